"""What the IMU feels while the robot drives (spec 18)."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import stdev

import numpy as np
import pytest

from cozmo_driver.emulator import EmulatorOptions
from cozmo_driver.emulator.hardware import ACCEL_STEP, GYRO_STEPS
from cozmo_driver.emulator.shaking import JOINTS, SPEED
from cozmo_driver.emulator.variation import Variation
from cozmo_driver.emulator.world import World
from cozmo_driver.protocol.messages import DriveWheels, RobotState, SetHeadAngle

from .bench import Bench, started

_FIRST_JOINT = 0.69 * JOINTS


def standing(seed: int = 0, shaking: float = 1.0, **options: object) -> Bench:
    """Return a robot like B with its head as in the recordings."""
    options = {"variation": Variation()} | options
    chosen = EmulatorOptions(seed=seed, hardware="1.0", shaking=shaking, **options)  # type: ignore[arg-type]
    bench = started(chosen, World(ideal=True))
    bench.send(SetHeadAngle(-0.247))
    bench.run(1.5)
    return bench


def figures(states: Sequence[RobotState]) -> np.ndarray:
    """Return accelerations, mm/s^2, and turn rates, rad/s, of states: n x 6."""
    return np.array([[*state.accel, *state.gyro] for state in states])


def drive(bench: Bench, left: float, right: float, seconds: float) -> list[RobotState]:
    bench.forget()
    bench.send(DriveWheels(left, right))
    bench.run(seconds)
    return bench.got(RobotState)


def spread(bench: Bench, left: float, right: float) -> np.ndarray:
    """Return the standard deviations at a steady speed, without single jolts."""
    drive(bench, left, right, 3.0)
    felt = figures(drive(bench, left, right, 4.0))
    usual = np.abs(felt - np.median(felt, axis=0))
    return 1.4826 * np.median(usual, axis=0)


def test_rates_grow_with_the_speed_and_accelerations_with_its_square_to_a_third_of_g() -> None:
    slow, fast, fastest = (spread(standing(), v, v) for v in (SPEED, 2 * SPEED, 200.0))
    assert fast[3:] / slow[3:] == pytest.approx(np.full(3, 2.0), rel=0.3)
    assert fast[:3] / slow[:3] == pytest.approx(np.full(3, 3.8), rel=0.3)
    assert fastest[0] == pytest.approx(3300.0, rel=0.25)
    assert fastest[3] == pytest.approx(0.28, rel=0.3)


def test_the_factor_scales_it_and_without_it_or_ideal_only_the_start_is_felt() -> None:
    assert spread(standing(shaking=3.0), SPEED, SPEED)[0] == pytest.approx(920.0, rel=0.25)
    for bench in (standing(shaking=0.0), standing(ideal=True)):
        assert spread(bench, SPEED, SPEED) == pytest.approx(np.zeros(6), abs=12.0)


def test_yaw_and_pitch_stay_calm_at_any_speed() -> None:
    bench = standing()
    for speed in (30.0, 200.0):
        states = drive(bench, speed, speed, 20.0)[20:]
        assert max(abs(state.pose.angle) for state in states) < 0.008
        assert stdev(state.pose.pitch for state in states) == pytest.approx(0.0009, abs=0.0004)


def test_a_joint_of_the_floor_jolts_the_robot_each_time_it_rolls_over_it() -> None:
    ahead, back = [], []
    for seed in range(10):
        bench = standing(seed)
        zero = figures([bench.last_state()])[0]
        for speed, felt in ((28.0, ahead), (-28.0, back), (28.0, ahead)):
            states = drive(bench, speed, speed, 4.0)
            sides = [state.pose.x > _FIRST_JOINT for state in states]
            over = sides.index(not sides[0])
            felt.append(figures([states[over]])[0] - zero)
    # Shaking is as strong as the jolt in single ones: the mean of many shows it.
    there, again = np.mean(ahead[::2], axis=0), np.mean(ahead[1::2], axis=0)
    for jolt in (there, again, -np.mean(back, axis=0)):
        assert -1700.0 < jolt[0] < -450.0
        assert 0.03 < jolt[4] < 0.2


def test_figures_come_in_counts_of_the_sensor_and_within_its_range() -> None:
    felt = figures(drive(standing(shaking=10.0), 200.0, 200.0, 6.0))
    counts = felt / ((ACCEL_STEP,) * 3 + GYRO_STEPS)
    assert np.abs(counts - counts.round()).max() < 0.01
    assert np.abs(counts).max() == pytest.approx(32767)
