"""What RobotState says about the robot that stands still, and which options there are."""

from __future__ import annotations

import math
from typing import Any

import pytest

from cozmo_driver.emulator import (
    EmulatorOptions,
    EmulatorServer,
    ImageEffects,
    ImpairmentOptions,
)
from cozmo_driver.emulator.hardware import ACCEL_STEP, HARDWARE
from cozmo_driver.emulator.wifi import WifiOptions
from cozmo_driver.protocol.messages import RobotState

from .bench import started


def test_without_noise_bias_and_steps_stay() -> None:
    bench = started(EmulatorOptions(ideal=True))
    bench.run(10.0)
    first, *rest = bench.got(RobotState)[-20:]
    assert all(state.accel == first.accel and state.pose == first.pose for state in rest)
    assert first.accel.y == pytest.approx(HARDWARE["1.5"].accel_bias[1], abs=ACCEL_STEP / 2)


def test_the_same_seed_gives_the_same_noise_and_another_one_other_noise() -> None:
    def life(seed: int) -> list[RobotState]:
        bench = started(EmulatorOptions(seed=seed))
        bench.run(1.0)
        return bench.got(RobotState)

    assert life(1) == life(1)
    assert life(1) != life(2)


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        (EmulatorOptions, {"hardware": "2.0"}),
        (EmulatorOptions, {"calibration_time": -1.0}),
        (EmulatorOptions, {"battery_voltage": 12.0}),
        (EmulatorOptions, {"shaking": -1.0}),
        (ImageEffects, {"light": 4.0}),
        (ImpairmentOptions, {"loss": 1.5}),
        (ImpairmentOptions, {"latency": -1.0}),
        (WifiOptions, {"stalls": -1.0}),
        (WifiOptions, {"burst_loss": 1.5}),
        (WifiOptions, {"address_changes": 1e9}),
        (EmulatorServer, {"speed": 0.0}),
        (EmulatorServer, {"speed": math.nan}),
    ],
)
def test_options_that_make_no_sense_are_refused(options: type, wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"{options.__name__}.{next(iter(wrong))}"):
        options(**wrong)
