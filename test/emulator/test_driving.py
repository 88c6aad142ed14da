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
    StopAllMotors,
)

from .bench import Bench, started


@pytest.fixture
def bench() -> Bench:
    return started(EmulatorOptions(ideal=True))


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


def test_another_speed_comes_as_late_as_a_start_however_often_it_is_told(bench: Bench) -> None:
    """Every recorded command took as long (spec 18)."""
    tread = bench.firmware.wheels.left
    bench.send(DriveWheels(50, 50))
    bench.run(2.0)
    for _ in range(4):
        bench.send(DriveWheels(100, 100))
        bench.run(0.01)
    assert tread.speed == pytest.approx(50.0, abs=1.0)
    bench.run(0.02)
    assert tread.speed > 60.0


def test_a_stop_ends_what_was_told_before_it(bench: Bench) -> None:
    bench.send(DriveWheels(50, 50))
    bench.run(2.0)
    bench.send(DriveWheels(100, 100))
    bench.run(0.01)
    bench.send(StopAllMotors())
    bench.run(1.0)
    assert bench.state.left_speed == 0.0
    assert bench.firmware.wheels.left.travel < 50.0 * 2.0 + 6.0


def test_held_it_counts_what_its_treads_turn_and_feels_no_turn(bench: Bench) -> None:
    """The pose counts the treads' ticks; only its yaw is the gyro's (spec 18)."""
    bench.firmware.ground.hold(True)
    bench.send(DriveWheels(50, 100))
    bench.run(1.0)
    left, right = (tread.travel for tread in bench.firmware.wheels.both)
    pose = bench.last_state().pose
    assert left < right - 20.0
    assert pose.x == pytest.approx((left + right) / 2, abs=5.0)
    assert (pose.y, pose.angle) == pytest.approx((0.0, 0.0), abs=0.01)
    assert bench.state.driven == 0.0


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
