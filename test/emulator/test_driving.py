"""Treads, odometry and localization updates."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cozmo_driver.emulator import EmulatorOptions
from cozmo_driver.emulator.hardware import MAX_TREAD_SPEED
from cozmo_driver.emulator.treads import limited
from cozmo_driver.protocol.messages import (
    AbsoluteLocalizationUpdate,
    DriveWheels,
    RobotState,
    StopAllMotors,
)

from .bench import Bench


@pytest.fixture
def bench() -> Bench:
    bench = Bench(EmulatorOptions(ideal=True))
    bench.start()
    return bench


def test_the_treads_start_late_creep_up_and_stop_late(bench: Bench) -> None:
    """As robot B: 26.2 mm in a second at 30 mm/s (spec 18)."""
    bench.send(DriveWheels(30, 30))
    bench.run(0.04)
    assert bench.state.left_speed == 0.0
    bench.run(0.26)
    assert bench.state.left_speed == pytest.approx(24.0, abs=1.5)
    bench.run(0.7)
    bench.send(DriveWheels(0, 0))
    bench.run(0.03)
    assert bench.state.left_speed == pytest.approx(28.5, abs=1.0)
    bench.run(1.0)
    pose = bench.last_state().pose
    assert pose.x == pytest.approx(26.2, abs=1.2)
    assert pose.y == pytest.approx(0.0, abs=0.01)
    # The encoders' step, and the one that they go back by.
    assert bench.state.driven == pytest.approx(pose.x, abs=2 * 0.061)


def test_a_tread_at_rest_reports_its_last_speed_for_a_while(bench: Bench) -> None:
    bench.send(DriveWheels(30, 30))
    bench.run(1.0)
    bench.send(DriveWheels(0, 0))
    bench.forget()
    bench.run(1.0)
    assert bench.state.left_speed == 0.0
    speeds = [state.lwheel_speed_mmps for state in bench.got(RobotState)]
    assert all(speed == round(speed) for speed in speeds)
    standing = speeds.index(0.0)
    assert len(set(speeds[standing - 5 : standing])) == 1


@given(left=st.floats(-1000, 1000, allow_nan=False), right=st.floats(-1000, 1000, allow_nan=False))
def test_too_fast_treads_keep_their_difference(left: float, right: float) -> None:
    a, b = limited(left, right)
    assert abs(a) <= MAX_TREAD_SPEED + 1e-9
    assert abs(b) <= MAX_TREAD_SPEED + 1e-9
    wanted = right - left
    if abs(wanted) <= 2 * MAX_TREAD_SPEED:
        assert b - a == pytest.approx(wanted, abs=1e-9)
    else:
        assert b - a == math.copysign(2 * MAX_TREAD_SPEED, wanted)
    if abs(left) <= MAX_TREAD_SPEED and abs(right) <= MAX_TREAD_SPEED:
        assert (a, b) == (left, right)


def test_an_update_for_a_past_time_carries_on_what_was_driven_since(bench: Bench) -> None:
    bench.send(DriveWheels(100, 100))
    bench.run(1.0)
    then = bench.last_state()
    bench.run(0.5)
    bench.send(AbsoluteLocalizationUpdate(then.timestamp, 1, 1, 1000.0, 0.0, 0.0))
    bench.send(StopAllMotors())
    bench.run(0.5)
    driven_since = bench.state.driven - then.pose.x
    assert bench.last_state().pose.x == pytest.approx(1000.0 + driven_since, abs=2 * 0.061)
