"""Head and lift: they move to an angle with a trapezoidal speed profile (spec 07 §6, §13)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..protocol.messages import (
    MotorActionAck,
    MoveHead,
    MoveLift,
    SetHeadAngle,
    SetLiftHeight,
    StopAllMotors,
)
from .core import Core

HEAD_LIMITS = (-0.436332, 0.776672)
"""rad."""
LIFT_HEIGHTS = (32.0, 92.0)
"""mm above ground of the lift's wrist."""
MAX_SPEED = 3.0
"""rad/s; what the motors reach whatever the engine asks for."""
_PIVOT_HEIGHT = 45.0
_ARM_LENGTH = 66.0
_DEFAULT_SPEED = 10.0
_DEFAULT_ACCEL = 20.0
_MAX_ACCEL = 1000.0
_CALIBRATION_SPEED = 1.5
_RAMP_SHARE = 0.25
"""Share of the time of a timed move that each of the two ramps takes."""
_SHORTEST = 0.005
"""Seconds; no timed move is shorter."""
_CLOSE = 1e-6
_IN_POSITION_AFTER = 0.17
_STILL_AFTER = 0.23
"""Seconds after the arrival until the robot says so, as recorded."""


def lift_angle(height: float) -> float:
    """Return the angle in rad of the lift's arm for a height in mm (spec 07 §1)."""
    return math.asin((height - _PIVOT_HEIGHT) / _ARM_LENGTH)


def lift_height(angle: float) -> float:
    """Return the height in mm of the lift's wrist for an angle in rad."""
    return _PIVOT_HEIGHT + _ARM_LENGTH * math.sin(angle)


@dataclass(frozen=True, slots=True)
class Profile:
    """A move: target in rad, speed in rad/s, acceleration in rad/s^2."""

    target: float
    speed: float
    accel: float


class Joint:
    """One motor; moves only while calibrated, a command given before waits for that."""

    def __init__(self, low: float, high: float) -> None:
        """Rest at the lower limit, uncalibrated; angles in rad."""
        self.low = low
        self.high = high
        self.angle = low
        self.speed = 0.0
        self.calibrated = False
        self._calibrating = False
        self._profile = Profile(low, _DEFAULT_SPEED, _DEFAULT_ACCEL)
        self._waiting: Profile | None = None
        self._arrived_for = _STILL_AFTER

    @property
    def moving(self) -> bool:
        """Whether the motor works or has only just arrived."""
        return self._arrived_for < _STILL_AFTER

    @property
    def in_position(self) -> bool:
        """Whether the last command is carried out."""
        return self.calibrated and self._arrived_for >= _IN_POSITION_AFTER

    def move_to(self, target: float, speed: float, accel: float, duration: float = 0.0) -> None:
        """Move to an angle, in ``duration`` seconds if that is not 0. 0 means the usual speed."""
        target = min(max(target, self.low), self.high)
        speed = min(abs(speed) or _DEFAULT_SPEED, MAX_SPEED)
        accel = abs(accel) or _DEFAULT_ACCEL
        if duration > 0.0:
            duration = max(duration, _SHORTEST)
            speed = abs(target - self.angle) / (duration * (1 - _RAMP_SHARE))
            accel = max(speed / (duration * _RAMP_SHARE), _CLOSE)
            speed = min(max(speed, _CLOSE), MAX_SPEED)
        self._command(Profile(target, speed, min(accel, _MAX_ACCEL)))

    def move_at(self, speed: float) -> None:
        """Move at a speed in rad/s until the limit; 0 stops where the joint is."""
        if speed:
            self.move_to(self.high if speed > 0 else self.low, speed, _DEFAULT_ACCEL)
        else:
            self.stop()

    def stop(self) -> None:
        """Come to rest where the joint is; a command that still waits is forgotten."""
        self._waiting = None
        if not self.calibrated or not self.moving:
            return
        braking = math.copysign(self.speed**2 / (2 * _DEFAULT_ACCEL), self.speed)
        self.move_to(self.angle + braking, _DEFAULT_SPEED, _DEFAULT_ACCEL)

    def start_calibration(self) -> None:
        """Run against the lower stop."""
        self.calibrated = False
        self._calibrating = True
        self._profile = Profile(self.low, _CALIBRATION_SPEED, _DEFAULT_ACCEL)
        self._arrived_for = 0.0

    def finish_calibration(self) -> None:
        """Know where the lower stop is; carry out what was asked for meanwhile."""
        self._rest(self.low)
        self.calibrated = True
        if self._waiting is not None:
            self._command(self._waiting)

    def release(self) -> None:
        """Let go of the motor: it stops where it is and needs a calibration."""
        self._rest(self.angle)
        self._waiting = None
        self.calibrated = False

    def step(self, dt: float) -> None:
        """Move on by ``dt`` seconds."""
        if not self.moving:
            return
        profile = self._profile
        way = profile.target - self.angle
        if abs(way) <= _CLOSE and abs(self.speed) <= profile.accel * dt:
            self.angle, self.speed = profile.target, 0.0
            if not self._calibrating:
                self._arrived_for += dt
            return
        self._arrived_for = 0.0
        self._approach(way, dt)

    def _approach(self, way: float, dt: float) -> None:
        """Take the fastest speed from which the profile can still brake before the target."""
        accel = self._profile.accel
        half = accel * dt / 2
        braking = math.sqrt(half * half + 2 * accel * abs(way)) - half
        wanted = math.copysign(min(self._profile.speed, braking, abs(way) / dt), way)
        change = accel * dt
        self.speed = min(max(wanted, self.speed - change), self.speed + change)
        self.angle = min(max(self.angle + self.speed * dt, self.low), self.high)
        if self.angle in (self.low, self.high) and self.speed * way <= 0.0:
            self.speed = 0.0

    def _command(self, profile: Profile) -> None:
        if not self.calibrated:
            self._waiting = profile
            return
        self._waiting = None
        self._profile = profile
        self._arrived_for = 0.0

    def _rest(self, angle: float) -> None:
        self.angle, self.speed = angle, 0.0
        self._profile = Profile(angle, _DEFAULT_SPEED, _DEFAULT_ACCEL)
        self._calibrating = False
        self._arrived_for = _STILL_AFTER


class Joints:
    """Head and lift, and the commands that move them."""

    def __init__(self, core: Core) -> None:
        """Take part in the connection."""
        self._core = core
        self.head = Joint(*HEAD_LIMITS)
        self.lift = Joint(*(lift_angle(height) for height in LIFT_HEIGHTS))
        core.handle(SetHeadAngle, self._set_head)
        core.handle(SetLiftHeight, self._set_lift)
        core.handle(MoveHead, lambda m: self.head.move_at(m.speed_rad_per_sec))
        core.handle(MoveLift, lambda m: self.lift.move_at(m.speed_rad_per_sec))
        core.handle(StopAllMotors, lambda _: self._stop())
        core.when_disconnected(self._release)

    @property
    def moving(self) -> bool:
        """Whether one of them moves."""
        return self.head.moving or self.lift.moving

    @property
    def calibrated(self) -> bool:
        """Whether both know their position."""
        return self.head.calibrated and self.lift.calibrated

    def step(self, dt: float) -> None:
        """Move on by ``dt`` seconds."""
        self.head.step(dt)
        self.lift.step(dt)

    def _set_head(self, m: SetHeadAngle) -> None:
        self._core.send(MotorActionAck(m.action_id))
        self.head.move_to(
            m.angle_rad, m.max_speed_rad_per_sec, m.accel_rad_per_sec2, m.duration_sec
        )

    def _set_lift(self, m: SetLiftHeight) -> None:
        self._core.send(MotorActionAck(m.action_id))
        low, high = LIFT_HEIGHTS
        self.lift.move_to(
            lift_angle(min(max(m.height_mm, low), high)),
            m.max_speed_rad_per_sec,
            m.accel_rad_per_sec2,
            m.duration_sec,
        )

    def _stop(self) -> None:
        self.head.stop()
        self.lift.stop()

    def _release(self) -> None:
        self.head.release()
        self.lift.release()
