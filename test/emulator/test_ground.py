"""Edges, hands and the charger: what happens to the robot rather than what it is told."""

from __future__ import annotations

import pytest

from cozmo_driver.protocol.messages import CliffEvent, DriveWheels, RobotState, RobotStopped

from .bench import Bench

_PICKED_UP = 0x8
_CLIFF = 0x4000


def test_at_an_edge_the_robot_stops_and_tells_it_half_a_second_later(bench: Bench) -> None:
    bench.send(DriveWheels(100, 100))
    bench.run(0.5)
    bench.firmware.ground.set_edge(True)
    bench.run(1.0)
    assert bench.state.left_speed == 0.0
    (stopped,), (reported,) = bench.times_of(RobotStopped), bench.times_of(CliffEvent)
    assert reported - stopped == pytest.approx(0.5, abs=0.05)
    (event,) = bench.got(CliffEvent)
    assert (event.detected_flags, event.did_stop_for_cliff) == (1, True)
    assert bench.last_state().status & _CLIFF
    assert bench.last_state().cliff_data_raw[0] == 8


def test_no_ground_is_told_until_the_floor_is_half_as_bright_again(bench: Bench) -> None:
    """Of the usual threshold of 400 up to 600 (spec 10 §4)."""
    for floor, is_cliff in ((450, False), (300, True), (450, True), (620, False), (450, False)):
        bench.firmware.ground.set_floor(floor)
        bench.run(0.1)
        assert bool(bench.last_state().status & _CLIFF) is is_cliff, floor
    assert [event.detected_flags for event in bench.got(CliffEvent)] == [1, 0]


def test_backing_over_an_edge_is_not_stopped(bench: Bench) -> None:
    bench.send(DriveWheels(-50, -50))
    bench.run(0.5)
    bench.firmware.ground.set_edge(True)
    bench.run(0.5)
    assert bench.state.left_speed == pytest.approx(-50.0, abs=2.0)
    assert not bench.got(RobotStopped)


def test_a_quick_touch_is_not_a_lift(bench: Bench) -> None:
    bench.firmware.ground.pick_up()
    bench.run(0.03)
    bench.firmware.ground.put_down()
    bench.run(0.5)
    assert not any(s.status & _PICKED_UP for s in bench.got(RobotState))


def test_a_robot_lifted_while_nobody_is_connected_says_so_from_the_first_state() -> None:
    bench = Bench()
    bench.firmware.ground.pick_up()
    bench.start()
    bench.run(0.1)
    assert bench.last_state().status & _PICKED_UP
