"""What of the reported pitch is the body's tilt, and what slope, zero and shaking (spec 18)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from cozmo_driver.perception.world.body_tilt import BodyTilt
from cozmo_driver.perception.world.frames import CHARGER_TILT
from cozmo_driver.perception.world.pose_history import StampedState

PERIOD = 0.03
ZERO = 0.107
"""What a real robot reports on a table."""
LIFT_DOWN, LIFT_UP = -0.198, 0.79
LOAD = math.radians(-1.0)


class Robot:
    """A robot on a floor that slopes along its x axis, with three times the noise of a real one."""

    def __init__(self, slope: float = 0.0) -> None:
        self.slope, self.noise = slope, 0.0009
        self.moment = StampedState(0.0, lift=LIFT_DOWN)
        self.body = self.error = 0.0
        self.tilts: list[float] = []
        self._tracker = BodyTilt()
        self._random = np.random.default_rng(0)

    def go(
        self, seconds: float, body: Callable[[float], float] | None = None, **rates: float
    ) -> None:
        """Let ``x``, ``y``, ``yaw``, ``head`` or ``lift`` change by these rates, per s."""
        self.tilts = []
        for number in range(round(seconds / PERIOD)):
            last = self.moment
            values = {name: getattr(last, name) + rate * PERIOD for name, rate in rates.items()}
            if body is not None:
                self.body = body((number + 1) * PERIOD)
            slope = self.slope * math.cos(values.get("yaw", last.yaw))
            pitch = ZERO + slope + self.body + self.error + self._random.normal(0.0, self.noise)
            stamp = last.stamp + PERIOD
            self.moment = replace(last, stamp=stamp, pitch=pitch, is_moving=bool(rates), **values)
            self.tilts.append(self._tracker.update(self.moment))

    @property
    def tilt(self) -> float:
        return self.tilts[-1]


def test_neither_zero_nor_slope_nor_shaking_is_a_tilt() -> None:
    robot = Robot(slope=math.radians(3.0))
    robot.go(3.0)
    for rate in (0.5, -1.5, 5.0):
        robot.go(1.5, lambda time: 0.02 * math.sin(40.0 * time), yaw=rate)
        assert set(robot.tilts) == {0.0}
        robot.go(3.0, lambda time: 0.02 * math.exp(-3.0 * time))
        assert set(robot.tilts) == {0.0}
        robot.go(2.0, lambda time: 0.02 * math.sin(40.0 * time), x=0.1)
        assert set(robot.tilts) == {0.0}
        robot.body = 0.0


def test_what_the_lift_carries_tilts_it_until_the_lift_is_down_again() -> None:
    robot = Robot(slope=math.radians(2.0))
    robot.go(3.0)
    robot.go(1.0, lambda time: LOAD * time, lift=LIFT_UP - LIFT_DOWN)
    robot.go(2.5)
    assert robot.tilt == pytest.approx(LOAD, abs=0.004)
    robot.go(3.0, yaw=0.6)
    robot.go(3.0, x=0.1)
    robot.go(3.0)
    assert robot.tilt == pytest.approx(LOAD, abs=0.008)
    robot.go(1.0, lambda time: LOAD * (1.0 - time), lift=LIFT_DOWN - LIFT_UP)
    robot.go(2.5)
    assert robot.tilt == 0.0
    robot.go(1.0, lambda time: LOAD * time, lift=LIFT_UP - LIFT_DOWN)
    robot.go(2.5)
    robot.go(0.5, lift=2 * (LIFT_DOWN - LIFT_UP))
    robot.go(0.3, x=-0.1)
    assert robot.tilt == 0.0


def test_on_the_charger_the_tilt_is_known_and_nowhere_else_afterwards() -> None:
    robot = Robot()
    robot.body = CHARGER_TILT
    robot.moment = replace(robot.moment, is_on_charger=True, lift=-0.05)
    robot.go(0.3)
    assert set(robot.tilts) == {CHARGER_TILT}
    robot.moment = replace(robot.moment, is_on_charger=False)
    robot.go(1.0, lambda time: CHARGER_TILT * max(1.0 - time / 0.83, 0.0), x=0.03)
    robot.go(3.0)
    assert set(robot.tilts) == {0.0}


def test_a_head_that_is_thrown_about_shakes_the_pitch_and_no_body() -> None:
    """The sensor hangs in the head, and its errors turn with it."""
    robot = Robot()
    robot.go(3.0)
    robot.go(0.2, lambda time: -0.3 * time, head=3.0)
    robot.go(1.0, lambda time: -0.06 * math.exp(-3.0 * time))
    assert set(robot.tilts) == {0.0}
    robot.body, robot.error = 0.0, 0.03
    robot.go(4.0)
    assert set(robot.tilts) == {0.0}


def test_nothing_is_said_off_the_treads_or_without_a_pitch() -> None:
    robot = Robot()
    robot.go(3.0)
    robot.body = 0.05
    robot.go(0.3)
    assert robot.tilt == pytest.approx(0.05, abs=0.004)
    tracker = BodyTilt()
    assert tracker.update(replace(robot.moment, is_on_treads=False)) == 0.0
    assert tracker.update(replace(robot.moment, pitch=None)) == 0.0
