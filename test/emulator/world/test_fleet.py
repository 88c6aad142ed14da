"""Several robots in one world, and time that passes faster."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from cozmo_driver.emulator import Firmware, Pose2D, World, running_emulator
from cozmo_driver.protocol.messages import (
    DriveWheels,
    ObjectAvailable,
    ObjectConnectionState,
    RobotState,
    SetLiftHeight,
    SetPropSlot,
)

from ..bench import Bench
from ..udp_engine import UdpEngine
from .worlds import QUIET, ROOM, world

_STARTS = [{"x": 0.0, "y": 0.0}, {"x": 0.3, "y": 0.0, "yaw": 180}]


def pair() -> tuple[Bench, Bench]:
    """Return two robots in one world that look at each other."""
    shared = world(ROOM, robots=_STARTS, cubes=[{"number": 1, "x": 0.0, "y": 0.5}])
    robots = Bench(QUIET, shared), Bench(QUIET, shared)
    for bench in robots:
        bench.start()
    return robots


def run_both(robots: tuple[Bench, Bench], seconds: float) -> None:
    for _ in range(round(seconds / 0.01)):
        for bench in robots:
            bench.run(0.01)


def test_two_robots_that_drive_at_each_other_meet_in_the_middle() -> None:
    robots = pair()
    for bench in robots:
        bench.send(DriveWheels(100, 100))
    run_both(robots, 3.0)
    gap = robots[1].state.pose.x - robots[0].state.pose.x
    assert gap == pytest.approx(2 * 32.1, abs=1.0)
    assert robots[0].state.pose.x == pytest.approx(150.0 - 32.1, abs=3.0)


def test_a_robot_in_the_hand_is_in_nobody_s_way() -> None:
    robots = pair()
    robots[1].firmware.handling.pick_up()
    robots[0].send(DriveWheels(100, 100))
    run_both(robots, 4.0)
    assert robots[0].state.pose.x > 350.0


def test_a_cube_belongs_to_the_robot_that_connected_it_first() -> None:
    robots = one, other = pair()
    for bench in robots:
        bench.send(SetPropSlot(0xC1000011, 0))
    run_both(robots, 3.0)
    assert [m.connected for m in one.got(ObjectConnectionState)] == [True]
    assert not other.got(ObjectConnectionState)
    other.forget()
    run_both(robots, 2.0)
    assert not other.got(ObjectAvailable)
    one.send(SetPropSlot(0, 0))
    run_both(robots, 3.0)
    assert [m.connected for m in other.got(ObjectConnectionState)] == [True]


def test_a_world_without_a_free_place_takes_no_robot() -> None:
    shared = world(ROOM, robots=_STARTS)
    Bench(QUIET, shared), Bench(QUIET, shared)
    with pytest.raises(ValueError, match="places for 2 robots: add one under robots"):
        Bench(QUIET, shared)


def test_only_the_first_robot_starts_on_the_charger_of_a_world() -> None:
    options = replace(QUIET, on_charger=True)
    shared = world(ROOM, robots=_STARTS, charger={"x": 0.5, "y": 0.5})
    first, second = Bench(options, shared), Bench(options, shared)
    assert (first.state.on_charger, second.state.on_charger) == (True, False)
    assert (second.state.pose.x, second.state.pose.y) == (300.0, 0.0)
    # The endless floor gives each one its own.
    endless = World()
    assert all(Bench(options, endless).state.on_charger for _ in range(2))


def test_switched_off_and_on_again_the_robot_is_where_it_was() -> None:
    with running_emulator(world=world(ROOM, robots=_STARTS), calibration_time=0.0) as emulator:
        emulator.call(lambda f: f.handling.put_down(Pose2D(0.0, -200.0, 1.0)))
        emulator.restart()
        assert emulator.state().pose == Pose2D(0.0, pytest.approx(-200.0), pytest.approx(1.0))
        assert len(emulator.call(lambda f: f.place.world.occupants)) == 1


def test_switched_off_the_robot_sets_down_the_cube_that_it_carries() -> None:
    place = world(ROOM, cubes=[{"number": 1, "x": 0.3, "y": 0.0}])
    cube = place.cube(1)
    with running_emulator(world=place, speed=10.0, ideal=True) as emulator:
        with UdpEngine(emulator.port) as engine:
            engine.start()
            engine.run_until(lambda: bool(engine.got(RobotState)))

            def grasp(firmware: Firmware) -> None:
                cube.pose = Pose2D(45.0)
                firmware.place.fork.grasp()

            emulator.call(grasp)
            engine.send(SetLiftHeight(92.0))
            engine.run_until(lambda: cube.place.bottom > 40.0)
        emulator.restart()
        assert (cube.place.bottom, cube.holder) == (0.0, None)
        assert cube.is_on_floor


def test_time_passes_faster_when_asked() -> None:
    def robot_time() -> tuple[float, float, float]:
        """Return the time before, the robot's time, the time after."""
        before = time.monotonic()
        emulator.state()
        return before, emulator.call(lambda f: f.core.now), time.monotonic()

    with running_emulator(speed=20.0, calibration_time=0.0) as emulator:
        start = robot_time()
        with UdpEngine(emulator.port) as engine:
            engine.start()
            engine.run_until(lambda: len(engine.got(RobotState)) > 30)
        end = robot_time()
        lived = end[1] - start[1] + emulator.lost_time()
        assert 20.0 * (end[0] - start[2]) <= lived + 1e-6
        assert end[1] - start[1] <= 20.0 * (end[2] - start[0]) + 1e-6
