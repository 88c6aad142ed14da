"""Head and lift: their calibration, and moves with trapezoidal speed (spec 07 §6, §13)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from ..protocol import MotorID, messages
from .core import Core, Timer
from .hardware import (
    CALIBRATED_STILL_AFTER,
    CALIBRATION_SPEED,
    HEAD_LIMITS,
    HEAD_SHAKEN_TO,
    IN_POSITION,
    IN_POSITION_AFTER,
    JOINT_REPORTED_AFTER,
    JOINT_START_DELAY,
    LATER_CALIBRATION,
    LIFT_ARM,
    LIFT_HEIGHTS,
    LIFT_PIVOT,
    MAX_JOINT_ACCEL,
    REBOUND_AFTER,
    Hardware,
    Motor,
)

_DEFAULT_SPEED = 10.0
_DEFAULT_ACCEL = 20.0
_RAMP_SHARE = 0.25
"""Share of the time of a timed move that each of the two ramps takes."""
_SHORTEST = 0.005
"""Seconds; no timed move is shorter."""
_CLOSE = 1e-6


def lift_angle(height: float) -> float:
    """Return the angle in rad of the lift's arm for a height in mm it can have (spec 07 §1)."""
    low, high = LIFT_HEIGHTS
    height = min(max(height, low), high)
    return math.asin((height - LIFT_PIVOT[1]) / LIFT_ARM)


def lift_height(angle: float) -> float:
    """Return the height in mm of the lift's wrist for an angle in rad."""
    return LIFT_PIVOT[1] + LIFT_ARM * math.sin(angle)


@dataclass(frozen=True, slots=True)
class Profile:
    """A move: target in rad, speed in rad/s, acceleration in rad/s^2."""

    target: float
    speed: float
    accel: float


class Joint:
    """One motor; moves only while calibrated, a command given before waits for it."""

    def __init__(self, low: float, high: float, motor: Motor) -> None:
        self.low = low
        self.high = high
        self.angle = low
        self.speed = 0.0
        self.zero = 0.0
        """Where the joint really is when the robot takes it to be at 0, rad."""
        self.calibrated = False
        self._motor = motor
        self._calibrating = False
        self._profile = Profile(low, _DEFAULT_SPEED, _DEFAULT_ACCEL)
        self._goal = low
        """Where the move really ends."""
        self._waiting: Profile | None = None
        self._delay = 0.0
        self._moved_for = 0.0
        self._arrived_for = math.inf
        self._still_after = 0.0
        self._in_position_after = IN_POSITION_AFTER

    @property
    def active(self) -> bool:
        """Whether the motor works or has only just arrived."""
        return self._arrived_for < max(self._still_after, IN_POSITION_AFTER)

    @property
    def moving(self) -> bool:
        """Whether the robot counts the motor as moving."""
        return self._moved_for > JOINT_REPORTED_AFTER and self._arrived_for < self._still_after

    @property
    def true_angle(self) -> float:
        """Where the joint really is; ``angle`` is where the robot's motor takes it to be."""
        return self.angle + self.zero

    @property
    def reported(self) -> float:
        """The angle in whole steps of the motor."""
        return self.low + round((self.angle - self.low) / self._motor.step) * self._motor.step

    @property
    def in_position(self) -> bool:
        """Whether the joint rests close enough to what was commanded last."""
        return (
            self.calibrated
            and self._arrived_for >= self._in_position_after
            and abs(self._profile.target - self.angle) <= IN_POSITION
        )

    def move_to(self, target: float, speed: float, accel: float, duration: float = 0.0) -> None:
        """Move to an angle, in ``duration`` seconds if that is not 0. 0 means the usual speed."""
        target = min(max(target, self.low), self.high)
        speed = abs(speed) or _DEFAULT_SPEED
        accel = abs(accel) or _DEFAULT_ACCEL
        if duration > 0.0:
            duration = max(duration, _SHORTEST)
            speed = max(abs(target - self.angle) / (duration * (1 - _RAMP_SHARE)), _CLOSE)
            accel = max(speed / (duration * _RAMP_SHARE), _CLOSE)
        self._command(Profile(target, speed, min(accel, MAX_JOINT_ACCEL)))

    def move_at(self, speed: float) -> None:
        """Move at a speed in rad/s until the limit; 0 stops where the joint is."""
        if speed:
            self.move_to(self.high if speed > 0 else self.low, speed, _DEFAULT_ACCEL)
        else:
            self.stop()

    def stop(self) -> None:
        """Come to rest where the joint is; a command that still waits is forgotten."""
        self._waiting = None
        if not self.calibrated or not self.speed:
            self._goal = self.angle
            return
        braking = math.copysign(self.speed**2 / (2 * _DEFAULT_ACCEL), self.speed)
        self.move_to(self.angle + braking, _DEFAULT_SPEED, _DEFAULT_ACCEL)

    def shake(self) -> None:
        """Come closer to the target, as a head does that rests short of it while the lift moves."""
        short = self._profile.target - self.angle
        if self.calibrated and not self.speed and abs(short) > HEAD_SHAKEN_TO:
            self.angle = self._profile.target - math.copysign(HEAD_SHAKEN_TO, short)

    def start_calibration(self) -> None:
        self.calibrated = False
        self._calibrating = True
        self._profile = Profile(self.low, CALIBRATION_SPEED, _DEFAULT_ACCEL)
        self._goal, self._delay = self.low, 0.0
        self._moved_for, self._arrived_for = math.inf, 0.0

    def finish_calibration(self) -> None:
        """Rest at the lower stop; carry out what was requested meanwhile."""
        self._rest(self.low)
        self._profile = Profile(self.low, _DEFAULT_SPEED, _DEFAULT_ACCEL)
        self._arrived_for, self._still_after = 0.0, CALIBRATED_STILL_AFTER
        self._in_position_after = self._motor.calibrated_after
        self.calibrated = True
        if self._waiting is not None:
            self._command(self._waiting)

    def rebound(self) -> None:
        """Give way to the stop, unless something else is wanted of the motor meanwhile."""
        if self.calibrated and self.angle == self._goal == self.low:
            self.angle = self._goal = self.low + self._motor.rebound * self._motor.step

    def release(self) -> None:
        """Let go of the motor: it stops where it is and needs a calibration."""
        self._rest(self.angle)
        self._waiting = None
        self.calibrated = False

    def step(self, dt: float) -> None:
        if not self.active:
            return
        if self._delay > 0.0:
            self._delay -= dt
            return
        self._moved_for += dt
        remaining = self._goal - self.angle
        if abs(remaining) <= _CLOSE and abs(self.speed) <= self._profile.accel * dt:
            self.angle, self.speed = self._goal, 0.0
            if not self._calibrating:
                self._arrived_for += dt
            return
        self._arrived_for = 0.0
        self._approach(remaining, dt)

    def _approach(self, remaining: float, dt: float) -> None:
        """Take the fastest speed from which the profile can still brake before the goal."""
        accel = self._profile.accel * self._motor.vigour
        fastest = min(self._profile.speed, self._motor.top_speed[remaining < 0.0])
        half = accel * dt / 2
        braking = math.sqrt(half * half + 2 * accel * abs(remaining)) - half
        target = math.copysign(min(fastest, braking, abs(remaining) / dt), remaining)
        change = accel * dt
        self.speed = min(max(target, self.speed - change), self.speed + change)
        self.angle = min(max(self.angle + self.speed * dt, self.low), self.high)
        if self.angle in (self.low, self.high) and self.speed * remaining <= 0.0:
            self.speed = 0.0

    def _command(self, profile: Profile) -> None:
        if not self.calibrated:
            self._waiting = profile
            return
        self._waiting = None
        if not self.speed:
            self._delay, self._moved_for = JOINT_START_DELAY, 0.0
        self._profile = profile
        self._goal = self._end_of(profile.target)
        self._arrived_for, self._still_after = 0.0, self._motor.still_after
        self._in_position_after = IN_POSITION_AFTER

    def _end_of(self, target: float) -> float:
        """Return where a move from here to ``target`` ends: friction stops it short."""
        remaining = target - self.angle
        short = self._motor.short_up if remaining > 0.0 else self._motor.short_down
        if abs(remaining) <= short:
            return self.angle
        return min(max(target - short * math.copysign(1.0, remaining), self.low), self.high)

    def _rest(self, angle: float) -> None:
        self.angle, self.speed = angle, 0.0
        self._goal = angle
        self._calibrating = False
        self._delay, self._arrived_for = 0.0, math.inf


class Joints:
    """Head and lift: the commands that move them and their calibration."""

    def __init__(self, core: Core, hardware: Hardware, calibration_time: float) -> None:
        self._core = core
        self.calibration_time = calibration_time
        """Scales the time that a calibration takes; 0 is at once."""
        self._first_duration = dict(
            zip((MotorID.LIFT, MotorID.HEAD), hardware.calibration, strict=True)
        )
        self.head = Joint(*HEAD_LIMITS, hardware.head)
        low, high = map(lift_angle, LIFT_HEIGHTS)
        self.lift = Joint(low, high, hardware.lift)
        self._by_motor = {MotorID.LIFT: self.lift, MotorID.HEAD: self.head}
        self._calibrations = dict.fromkeys(self._by_motor, Timer())
        self.on_calibrated: Callable[[], None] = lambda: None
        """Called whenever both have become calibrated."""
        core.handle(messages.SetHeadAngle, lambda m: self._move(self.head, m.angle_rad, m))
        core.handle(
            messages.SetLiftHeight, lambda m: self._move(self.lift, lift_angle(m.height_mm), m)
        )
        core.handle(messages.MoveHead, lambda m: self.head.move_at(m.speed_rad_per_sec))
        core.handle(messages.MoveLift, lambda m: self.lift.move_at(m.speed_rad_per_sec))
        core.handle(messages.StopAllMotors, lambda _: self.head.stop())
        core.handle(messages.StopAllMotors, lambda _: self.lift.stop())
        core.handle(messages.StartMotorCalibration, self._on_calibration)
        core.when_disconnected(self.head.release)
        core.when_disconnected(self.lift.release)

    @property
    def moving(self) -> bool:
        return self.head.moving or self.lift.moving

    @property
    def active(self) -> bool:
        return self.head.active or self.lift.active

    @property
    def calibrated(self) -> bool:
        return self.head.calibrated and self.lift.calibrated

    def step(self, dt: float) -> None:
        self.head.step(dt)
        self.lift.step(dt)
        if self.lift.speed:
            self.head.shake()

    def calibrate(self) -> None:
        """Calibrate both as the robot does after SyncTime."""
        self._start(self._first_duration)

    def calibrate_head(self) -> None:
        """Calibrate the head as the robot does by itself after a fall."""
        self._start({MotorID.HEAD: LATER_CALIBRATION[MotorID.HEAD]}, automatic=True)

    def _move(
        self, joint: Joint, angle: float, m: messages.SetHeadAngle | messages.SetLiftHeight
    ) -> None:
        self._core.send(messages.MotorActionAck(m.action_id))
        joint.move_to(angle, m.max_speed_rad_per_sec, m.accel_rad_per_sec2, m.duration_sec)

    def _on_calibration(self, m: messages.StartMotorCalibration) -> None:
        requested = {MotorID.HEAD: m.calibrate_head, MotorID.LIFT: m.calibrate_lift}
        self._start({motor: t for motor, t in LATER_CALIBRATION.items() if requested[motor]})

    def _start(self, durations: dict[MotorID, float], *, automatic: bool = False) -> None:
        for motor, duration in durations.items():
            self._by_motor[motor].start_calibration()
            self._core.send(messages.MotorCalibration(motor, True, automatic))
            self._calibrations[motor].cancel()
            self._calibrations[motor] = self._core.after(
                duration * self.calibration_time, partial(self._finish, motor, automatic)
            )

    def _finish(self, motor: MotorID, automatic: bool) -> None:
        self._by_motor[motor].finish_calibration()
        self._core.after(REBOUND_AFTER, self._by_motor[motor].rebound)
        self._core.send(messages.MotorCalibration(motor, False, automatic))
        if self.calibrated:
            self.on_calibrated()
