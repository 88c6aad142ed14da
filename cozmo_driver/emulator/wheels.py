"""The treads: commanded speeds, acceleration limits (spec 07 §3-4, §13)."""

from __future__ import annotations

import math

from ..protocol.messages import (
    DriveWheels,
    DriveWheelsCurvature,
    StopAllMotors,
    TurnInPlaceAtSpeed,
)
from .core import Core

MAX_SPEED = 220.0
"""mm/s, each tread."""
MAX_ACCEL = 10_000.0
DEFAULT_ACCEL = 1500.0
"""mm/s^2, when the engine asks for none."""
TREAD_DISTANCE = 46.0
"""mm between the centres of the treads."""
EFFECTIVE_TRACK = 69.0
"""mm; turning in place the treads slip, which looks like a wider track."""
_STRAIGHT = (32767, -32768)


def limited(left: float, right: float) -> tuple[float, float]:
    """Return tread speeds within the limit with their difference kept (spec 07 §3)."""
    if abs(right - left) > 2 * MAX_SPEED:
        return math.copysign(MAX_SPEED, left - right), math.copysign(MAX_SPEED, right - left)
    shift = min(0.0, MAX_SPEED - max(left, right)) + max(0.0, -MAX_SPEED - min(left, right))
    return left + shift, right + shift


class Tread:
    """One tread that ramps to its target speed; mm/s and mm/s^2."""

    def __init__(self) -> None:
        """Start at rest."""
        self.speed = 0.0
        self.target = 0.0
        self._accel = DEFAULT_ACCEL
        self._is_on = True

    def switch(self, on: bool) -> None:
        """Switch the motor on or off; off, it comes to rest and takes no commands."""
        if not on:
            self.drive(0.0, 0.0)
        self._is_on = on

    def drive(self, speed: float, accel: float) -> None:
        """Set the target; an acceleration of 0 is the robot's own."""
        self.target = speed if self._is_on else 0.0
        self._accel = min(abs(accel), MAX_ACCEL) or DEFAULT_ACCEL

    def step(self, dt: float) -> None:
        """Move on by ``dt`` seconds."""
        change = self.target - self.speed
        limit = self._accel * dt
        self.speed = (
            self.target if abs(change) <= limit else self.speed + math.copysign(limit, change)
        )


class Wheels:
    """Both treads; only another command or the end of the connection ends what they do."""

    def __init__(self, core: Core) -> None:
        """Take part in the connection."""
        self.left = Tread()
        self.right = Tread()
        core.handle(DriveWheels, self._drive)
        core.handle(DriveWheelsCurvature, self._drive_curvature)
        core.handle(TurnInPlaceAtSpeed, self._turn)
        core.handle(StopAllMotors, lambda _: self.stop())
        core.when_disconnected(self.stop)

    @property
    def moving(self) -> bool:
        """Whether a tread turns or is about to."""
        left, right = self.left, self.right
        return bool(left.speed or right.speed or left.target or right.target)

    def drive(self, left: float, right: float, left_accel: float, right_accel: float) -> None:
        """Drive the treads at speeds in mm/s with accelerations in mm/s^2."""
        left, right = limited(left, right)
        self.left.drive(left, left_accel)
        self.right.drive(right, right_accel)

    def stop(self) -> None:
        """Come to rest."""
        self.drive(0.0, 0.0, 0.0, 0.0)

    def step(self, dt: float) -> None:
        """Move on by ``dt`` seconds."""
        self.left.step(dt)
        self.right.step(dt)

    def _drive(self, m: DriveWheels) -> None:
        self.drive(
            m.lwheel_speed_mmps, m.rwheel_speed_mmps, m.lwheel_accel_mmps2, m.rwheel_accel_mmps2
        )

    def _drive_curvature(self, m: DriveWheelsCurvature) -> None:
        radius = m.curvature_radius_mm
        if radius in _STRAIGHT:
            left = right = m.speed
        elif radius == 0:
            left, right = -m.speed, m.speed
        else:
            bend = TREAD_DISTANCE / 2 / radius
            left, right = m.speed * (1 - bend), m.speed * (1 + bend)
        self.drive(left, right, m.accel, m.accel)

    def _turn(self, m: TurnInPlaceAtSpeed) -> None:
        speed = m.speed_rad_per_sec * EFFECTIVE_TRACK / 2
        accel = m.accel_rad_per_sec2 * EFFECTIVE_TRACK / 2
        self.drive(-speed, speed, accel, accel)
