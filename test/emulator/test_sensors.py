"""What RobotState says about the robot that stands still."""

from __future__ import annotations

import math
from statistics import mean, pstdev

import pytest

from cozmo_driver.emulator import EmulatorOptions
from cozmo_driver.emulator.hardware import ACCEL_STEP, HARDWARE
from cozmo_driver.emulator.variation import Variation
from cozmo_driver.emulator.world import World
from cozmo_driver.protocol.messages import DriveWheels, RobotState, SetHeadAngle

from .bench import Bench


@pytest.fixture
def bench() -> Bench:
    bench = Bench()
    bench.start()
    return bench


@pytest.mark.parametrize("hardware", list(HARDWARE))
def test_at_rest_the_accelerometer_measures_gravity_in_the_head_frame(hardware: str) -> None:
    options = EmulatorOptions(hardware=hardware, variation=Variation())
    bench = Bench(options, World(ideal=True))
    bench.start()
    figures = HARDWARE[hardware]
    for target in (-0.436, 0.4):
        bench.send(SetHeadAngle(target))
        bench.run(3.0)
        bench.forget()
        bench.run(3.0)
        states = bench.got(RobotState)
        angle = states[-1].head_angle
        gravity = (9806 * math.sin(angle), 0.0, 9806 * math.cos(angle))
        for axis in range(3):
            felt = [state.accel[axis] for state in states]
            # The reported angle comes in steps of 0.0045 rad: 44 mm/s2.
            assert mean(felt) == pytest.approx(gravity[axis] + figures.accel_bias[axis], abs=30)
            assert pstdev(felt) == pytest.approx(figures.accel_noise[axis], rel=0.3)
        # What the robot says of its pitch is what it feels (spec 18).
        said = mean(state.pose.pitch for state in states)
        felt_pitch = mean(math.atan2(s.accel.x, s.accel.z) - s.head_angle for s in states)
        assert said == pytest.approx(felt_pitch, abs=0.003)
        assert pstdev(state.pose.pitch for state in states) < 0.0006


def test_without_noise_bias_and_steps_stay() -> None:
    bench = Bench(EmulatorOptions(ideal=True))
    bench.start()
    bench.run(10.0)
    first, *rest = bench.got(RobotState)[-20:]
    assert all(state.accel == first.accel and state.pose == first.pose for state in rest)
    assert first.accel.y == pytest.approx(HARDWARE["1.5"].accel_bias[1], abs=ACCEL_STEP / 2)


def test_the_battery_sags_while_driving(bench: Bench) -> None:
    bench.run(1.0)
    full = mean(state.battery_voltage for state in bench.got(RobotState))
    assert full == pytest.approx(4.05, abs=0.008)
    bench.forget()
    bench.send(DriveWheels(50, -50))
    bench.run(1.0)
    sagged = mean(s.battery_voltage for s in bench.got(RobotState))
    assert sagged == pytest.approx(full - 0.016, abs=0.015)


def test_the_same_seed_gives_the_same_noise_and_another_one_other_noise() -> None:
    def life(seed: int) -> list[RobotState]:
        bench = Bench(EmulatorOptions(seed=seed))
        bench.start()
        bench.run(1.0)
        return bench.got(RobotState)

    assert life(1) == life(1)
    assert life(1) != life(2)


@pytest.mark.parametrize(
    "wrong",
    [{"calibration_time": -1.0}, {"battery_voltage": 12.0}, {"torn_images": -1}, {"shaking": -1.0}],
)
def test_options_that_make_no_sense_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="EmulatorOptions"):
        EmulatorOptions(**wrong)  # type: ignore[arg-type]
