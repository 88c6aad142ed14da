"""What hands do to the robot, as its states and messages tell."""

from __future__ import annotations

import math
from statistics import mean

import pytest

from cozmo_driver.emulator import EmulatorOptions, Posture
from cozmo_driver.emulator.body import Pose2D
from cozmo_driver.emulator.hardware import HARDWARE
from cozmo_driver.protocol.messages import FallingStopped, RobotState, SetHeadAngle

from .bench import Bench, started

_PICKED_UP, _FALLING = 0x8, 0x20


BIAS = HARDWARE["1.5"].accel_bias


@pytest.fixture
def bench() -> Bench:
    return started(EmulatorOptions(ideal=True))


def averages(bench: Bench) -> tuple[float, float, float, float]:
    """Return pitch in deg and accelerations in mm/s^2 while the robot rests for a second."""
    bench.run(2.5)
    bench.forget()
    bench.run(1.0)
    states = bench.got(RobotState)
    return (
        math.degrees(mean(state.pose.pitch for state in states)),
        mean(state.accel.x for state in states),
        mean(state.accel.y for state in states),
        mean(state.accel.z for state in states),
    )


@pytest.mark.parametrize(
    ("posture", "pitch", "force"),
    [
        (Posture.FLAT, 0, (0, 0, 9806)),
        (Posture.HELD, 0, (0, 0, 9806)),
        (Posture.LEFT, 0, (0, -9806, 0)),
        (Posture.RIGHT, 0, (0, 9806, 0)),
        (Posture.BACK, 74.5, (9449, 0, 2621)),
        (Posture.FACE, -86, (-9782, 0, 684)),
        (Posture.SLOPE, 20, (3354, 0, 9215)),
    ],
)
def test_every_posture_measures_as_it_lies(
    bench: Bench, posture: Posture, pitch: float, force: tuple[float, float, float]
) -> None:
    bench.send(SetHeadAngle(0.0))
    bench.run(1.0)
    bench.firmware.handling.put(posture)
    measured = averages(bench)
    felt = [part + bias for part, bias in zip(force, BIAS, strict=True)]
    assert measured[0] == pytest.approx(math.degrees(math.atan2(felt[0], felt[2])), abs=0.5)
    assert measured[1:] == pytest.approx(felt, abs=20)
    is_lifted = bool(bench.last_state().status & _PICKED_UP)
    assert is_lifted is (posture not in (Posture.FLAT, Posture.SLOPE))
    assert (bench.last_state().cliff_data_raw[0] == 8) is is_lifted


def test_the_end_of_the_connection_ends_a_fall_and_a_shake(bench: Bench) -> None:
    bench.firmware.handling.fall()
    bench.firmware.handling.shake(60.0)
    bench.run(0.1)
    bench.engine.disconnect(bench.now)
    bench.run(0.5)
    bench.start()
    bench.run(0.1)
    state = bench.last_state()
    assert not state.status & (_FALLING | _PICKED_UP)
    assert math.hypot(*state.accel) == pytest.approx(10_339, abs=700)


def test_the_end_of_the_connection_ends_carrying_and_tipping_over(bench: Bench) -> None:
    handling, body = bench.firmware.handling, bench.firmware.body
    handling.put_down(Pose2D(100.0))
    bench.run(0.1)
    bench.engine.disconnect(bench.now)
    bench.run(1.0)
    assert (body.is_held, body.world_pose.x) == (False, pytest.approx(100.0))
    bench.start()
    handling.tip(Posture.BACK, 0.33)
    bench.run(0.1)
    bench.engine.disconnect(bench.now)
    bench.run(1.0)
    assert (handling.posture, body.is_lifted) == (Posture.BACK, True)


def test_hands_end_a_fall_and_tipping_over(bench: Bench) -> None:
    handling, body = bench.firmware.handling, bench.firmware.body
    for begin in (
        lambda: handling.fall(landing=Posture.FACE),
        lambda: handling.tip(Posture.FACE, 0.33),
    ):
        begin()
        bench.run(0.1)
        handling.put_down()
        bench.run(1.0)
        assert (handling.posture, body.pitch, body.is_held) == (Posture.FLAT, 0.0, False)
    (stopped,) = bench.got(FallingStopped)
    assert (stopped.duration_ms, stopped.impact_intensity) == (100, 0.0)
    assert not bench.last_state().status & _FALLING


def test_a_shake_and_a_fall_that_began_before_the_connection_end_in_it() -> None:
    bench = Bench()
    bench.firmware.handling.shake(0.2)
    bench.firmware.handling.fall()
    bench.start()
    imu, body = bench.firmware.imu, bench.firmware.body
    assert (imu.is_shaken, imu.is_weightless, body.is_held) == (False, False, False)
