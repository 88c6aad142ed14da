"""The treads: how they start, creep up to their speed, stop and measure it (spec 07 §3, 18)."""

from __future__ import annotations

import math
from collections import deque
from random import Random

from ..protocol import messages
from .core import Core
from .hardware import (
    DEFAULT_TREAD_ACCEL,
    EFFECTIVE_TRACK,
    MAX_TREAD_ACCEL,
    MAX_TREAD_SPEED,
    TREAD_BREAKAWAY,
    TREAD_CREEP,
    TREAD_DISTANCE,
    TREAD_JITTER,
    TREAD_LAG_BACKWARD,
    TREAD_LAG_FORWARD,
    TREAD_START_DELAY,
    TREAD_STOP_DELAY,
    TREAD_TICK,
    TREADS_FROZEN,
    TREADS_STILL_AFTER,
)

_STRAIGHT = (32767, -32768)


def limited(left: float, right: float) -> tuple[float, float]:
    """Return tread speeds within the limit with their difference kept (spec 07 §3)."""
    most = MAX_TREAD_SPEED
    if abs(right - left) > 2 * most:
        return math.copysign(most, left - right), math.copysign(most, right - left)
    shift = min(0.0, most - max(left, right)) + max(0.0, -most - min(left, right))
    return left + shift, right + shift


def towards(target: float, value: float, change: float) -> float:
    if abs(target - value) <= change:
        return target
    return value + math.copysign(change, target - value)


class Tread:
    """One tread; mm/s and mm/s^2. It follows commands late and creeps up to its speed (spec 18).

    Slow commands do not start it (spec 14); what the robot regulates itself does.
    The robot measures its speed by the time between two ticks of the encoder: at rest the last
    value stays for a while.
    """

    def __init__(self, random: Random, noise: float, frozen_for: float) -> None:
        self.speed = 0.0
        self.target = 0.0
        self.acceleration = 0.0
        """mm/s^2 in the last step."""
        self.travel = 0.0
        """mm that it has turned since power on; less when it turns back."""
        self._accel = DEFAULT_TREAD_ACCEL
        self._breakaway = TREAD_BREAKAWAY
        self._is_on = True
        self._time = self._delay = 0.0
        self._changes: deque[tuple[float, float, float]] = deque()
        """When it turns at another speed, which, and the acceleration that was asked for."""
        self._lag = (0.0, 0.0)
        """Shares of the target that are still missing: one comes fast, one slowly."""
        self._random, self._noise = random, noise
        self._frozen_for = frozen_for
        self._rested_for = math.inf
        self._measured = 0.0

    def measure(self) -> float:
        """Return the speed that the robot measures now, in whole mm/s, with a jitter of its own."""
        if self.speed:
            jitter = self._random.gauss(0.0, TREAD_JITTER * self._noise)
            self._measured = float(round(self.speed + jitter))
        elif self._rested_for >= self._frozen_for:
            self._measured = 0.0
        return self._measured

    @property
    def moving(self) -> bool:
        """Whether the robot counts the tread as moving."""
        return bool(self.speed) or self._rested_for < self._frozen_for + TREADS_STILL_AFTER

    def has_relaxed(self, dt: float) -> bool:
        """Whether the reported speed has just become 0, within the last ``dt`` s."""
        return self._frozen_for <= self._rested_for < self._frozen_for + dt

    @property
    def demanded(self) -> float:
        """Acceleration that was asked for, mm/s^2."""
        return self._accel

    @property
    def active(self) -> bool:
        """Whether the tread turns or is about to, or has only just come to rest."""
        return bool(self.target or self._changes) or self.moving

    def switch(self, on: bool) -> None:
        """Switch the motor on or off; off, it comes to rest and accepts no commands."""
        if not on:
            self.drive(0.0, 0.0)
        self._is_on = on

    def drive(self, speed: float, accel: float) -> None:
        """Set the target, which it follows later; an acceleration of 0 is the robot's own."""
        speed = speed if self._is_on else 0.0
        rests = self._is_stuck or not (self.speed or self.target or self._changes)
        if speed and not rests:
            self._changes.append((self._time + TREAD_START_DELAY, speed, accel))
            return
        self._changes.clear()
        if speed:
            self._delay = TREAD_START_DELAY
        elif self.target:
            self._delay = TREAD_STOP_DELAY
        self._follow(speed, accel)

    def _follow(self, speed: float, accel: float) -> None:
        self._breakaway = TREAD_BREAKAWAY
        if speed and speed * self.speed <= 0.0 and speed * self.target <= 0.0:
            self._lag = TREAD_LAG_FORWARD if speed > 0.0 else TREAD_LAG_BACKWARD
        self.target = speed
        self._accel = min(abs(accel), MAX_TREAD_ACCEL) or DEFAULT_TREAD_ACCEL

    def servo(self, speed: float) -> None:
        """Set the speed at once, as the robot's own controller of paths and turns does."""
        self._changes.clear()
        self.target = speed if self._is_on else 0.0
        self._accel, self._lag, self._delay = MAX_TREAD_ACCEL, (0.0, 0.0), 0.0
        self._breakaway = 0.0

    @property
    def _is_stuck(self) -> bool:
        """Whether the tread rests and its target is too slow to start it."""
        return not self.speed and abs(self.target) < self._breakaway

    def step(self, dt: float) -> None:
        self._rested_for = 0.0 if self.speed else self._rested_for + dt
        self.travel += self.speed * dt
        self.acceleration = 0.0
        self._time += dt
        while self._changes and self._changes[0][0] <= self._time:
            self._follow(*self._changes.popleft()[1:])
        if self._delay > 0.0:
            self._delay -= dt
            return
        if self._is_stuck:
            return
        fast, slow = self._lag
        self._lag = fast * (1.0 - dt / TREAD_CREEP[0]), slow * (1.0 - dt / TREAD_CREEP[1])
        target = self.target * (1.0 - fast - slow)
        before, self.speed = self.speed, towards(target, self.speed, self._accel * dt)
        self.acceleration = (self.speed - before) / dt
        if before and not self.speed:
            self._measured = math.copysign(self._last_measured(), before)

    def _last_measured(self) -> float:
        """Return the mean speed, mm/s, between the last two ticks before the tread came to rest."""
        left = 0.5 + self._noise * self._random.uniform(-0.5, 0.5)
        ticks = math.sqrt(1.0 + left) + math.sqrt(left)
        return min(abs(self._measured), round(math.sqrt(self._accel * TREAD_TICK / 2) * ticks))


def curve(speed: float, radius: int) -> tuple[float, float]:
    """Return tread speeds for a curvature radius in mm as the wire has it; 0 turns in place."""
    if radius == 0:
        return -speed, speed
    bend = 0.0 if radius in _STRAIGHT else TREAD_DISTANCE / 2 / radius
    return speed * (1 - bend), speed * (1 + bend)


class Wheels:
    """Both treads; only another command or the end of the connection ends what they do."""

    def __init__(self, core: Core) -> None:
        random = core.random("wheels")
        self.left = Tread(random, core.noise, TREADS_FROZEN[0])
        self.right = Tread(random, core.noise, TREADS_FROZEN[1])
        self.track = EFFECTIVE_TRACK
        """mm by which the treads seem to be apart in turns on the floor under them. The gyro tells
        the robot: the turns that it regulates itself are as fast as they should be (spec 07 §4).
        """
        core.handle(messages.DriveWheels, self._on_drive)
        core.handle(messages.DriveWheelsCurvature, self._on_drive_curvature)
        core.handle(messages.TurnInPlaceAtSpeed, self._on_turn)
        core.handle(messages.StopAllMotors, lambda _: self.stop())
        core.when_disconnected(self.stop)

    @property
    def both(self) -> tuple[Tread, Tread]:
        return self.left, self.right

    @property
    def moving(self) -> bool:
        """Whether the robot counts the treads as moving."""
        return self.left.moving or self.right.moving

    @property
    def active(self) -> bool:
        return self.left.active or self.right.active

    @property
    def stand(self) -> bool:
        return not (self.left.speed or self.right.speed)

    def drive(self, left: float, right: float, left_accel: float, right_accel: float) -> None:
        left, right = limited(left, right)
        self.left.drive(left, left_accel)
        self.right.drive(right, right_accel)

    def servo(self, left: float, right: float) -> None:
        """Set speeds in mm/s as the controller of paths and turns does."""
        left, right = limited(left, right)
        self.left.servo(left)
        self.right.servo(right)

    def steer(self, speed: float, rate: float) -> None:
        """Set a speed in mm/s and a turn rate in rad/s as that controller does."""
        difference = rate * self.track / 2
        self.servo(speed - difference, speed + difference)

    def stop(self) -> None:
        self.drive(0.0, 0.0, 0.0, 0.0)

    def step(self, dt: float) -> None:
        self.left.step(dt)
        self.right.step(dt)

    def _on_drive(self, m: messages.DriveWheels) -> None:
        self.drive(
            m.lwheel_speed_mmps, m.rwheel_speed_mmps, m.lwheel_accel_mmps2, m.rwheel_accel_mmps2
        )

    def _on_drive_curvature(self, m: messages.DriveWheelsCurvature) -> None:
        self.drive(*curve(m.speed, m.curvature_radius_mm), m.accel, m.accel)

    def _on_turn(self, m: messages.TurnInPlaceAtSpeed) -> None:
        speed = m.speed_rad_per_sec * self.track / 2
        accel = m.accel_rad_per_sec2 * self.track / 2
        self.drive(-speed, speed, accel, accel)
