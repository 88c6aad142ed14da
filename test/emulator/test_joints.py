"""Head, lift and their calibration."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cozmo_driver.emulator.hardware import HARDWARE, HEAD_LIMITS
from cozmo_driver.emulator.joints import Joint, lift_angle
from cozmo_driver.protocol.messages import (
    MotorActionAck,
    MotorCalibration,
    SetHeadAngle,
    SetLiftHeight,
    StartMotorCalibration,
    SyncTime,
)

from .bench import Bench, started

_LIFT_IN_POS = 0x100
_LOW, _HIGH = HEAD_LIMITS


@pytest.fixture
def bench() -> Bench:
    bench = started()
    bench.run(0.1)
    return bench


@pytest.mark.parametrize(("asked", "reached"), [(0.0, 32.0), (76.0, 77.0), (200.0, 92.0)])
def test_the_lift_reaches_its_height(bench: Bench, asked: float, reached: float) -> None:
    bench.send(SetLiftHeight(60.0, action_id=1))
    bench.run(1.0)
    bench.send(SetLiftHeight(asked, action_id=2))
    bench.run(1.5)
    # Upwards it ends 1.1 mm too high of 50 (spec 18).
    assert bench.state.lift_height == pytest.approx(reached, abs=0.1)
    assert bench.last_state().lift_angle == pytest.approx(lift_angle(reached), abs=0.005)
    assert bench.last_state().status & _LIFT_IN_POS


def test_a_command_during_calibration_is_acknowledged_at_once_and_done_afterwards() -> None:
    """As in the recording: SetHeadAngle 1.0 s after SyncTime."""
    bench = Bench()
    bench.connect()
    bench.send(SyncTime())
    bench.run(1.0)
    bench.forget()
    bench.send(SetHeadAngle(0.4, action_id=1))
    bench.run(0.04)
    assert bench.got(MotorActionAck) == [MotorActionAck(1)]
    assert bench.state.head_angle == pytest.approx(_LOW)
    bench.run(2.0)
    assert bench.state.head_angle == pytest.approx(0.4, abs=0.002)


def test_a_motor_that_is_calibrated_again_meanwhile_finishes_once(bench: Bench) -> None:
    bench.forget()
    bench.send(StartMotorCalibration(True, False))
    bench.run(0.3)
    bench.send(StartMotorCalibration(True, False))
    bench.run(1.5)
    finished = [m for m in bench.got(MotorCalibration) if not m.calib_started]
    assert len(finished) == 1


@given(
    moves=st.lists(
        st.tuples(
            st.floats(-2, 2),
            st.floats(-20, 20),
            st.floats(-1e9, 1e9),
            st.one_of(st.just(0.0), st.floats(0, 3)),
            st.integers(1, 80),
        ),
        max_size=6,
    )
)
def test_a_joint_stays_in_its_limits_and_arrives_whatever_it_is_told(
    moves: list[tuple[float, float, float, float, int]],
) -> None:
    joint = Joint(*HEAD_LIMITS, HARDWARE["1.5"].head)
    joint.finish_calibration()
    for target, speed, accel, duration, steps in moves:
        joint.move_to(target, speed, accel, duration)
        for _ in range(steps):
            joint.step(0.005)
            assert _LOW <= joint.angle <= _HIGH
            assert abs(joint.speed) <= 15.0 + 1e-9
            assert math.isfinite(joint.angle)
    joint.move_to(0.1, 10, 20)
    for _ in range(600):
        joint.step(0.005)
    assert joint.angle == pytest.approx(0.1, abs=0.0011)
    assert joint.in_position
    assert not joint.moving
