"""Keeps the speeds of ``cmd_vel`` by the distance that the robot reports.

Treads start and stop late, creep up to their speed (spec 18) and stick at slow ones (spec 14).
"""

from __future__ import annotations

import math

from ..data import RobotState
from .driving import DriveLimits, limited, limited_speeds

LIMIT = 0.4
"""Largest correction, as a share of the commanded speed (spec 07 §3)."""
_GAIN = 4.0
"""Correction for the distance that is missing, 1/s."""
_DELAY = 0.09
"""From a command until the robot follows it, s: as long at the start as at the stop."""
_ACCELERATION = 1.5
"""Of a tread without a limit, m/s^2."""
_LONGEST_STEP = 0.3
_BREAKAWAY_SPEEDS = 0.030, 0.060
"""m/s: at the first one treads started each time, driving straight (spec 18); below about 0.020
others' do not (spec 14). The second one is for floors on which turning needs more."""
_GROWTH = 4.0
"""Of that speed for the distance that a tread lags behind, 1/s."""
_BREAKAWAY_LAG = 0.001
"""Distance that a tread which stands may miss before it counts as stuck, m."""
_MADE_UP = 0.005
"""Distance of a tread that is made up for at any speed, m: what it missed until it started."""


class _Axis:
    """One of both speeds, m/s or rad/s."""

    def __init__(self) -> None:
        self._ramp = self._expected = self._missing = 0.0
        self.correction = 0.0

    def update(
        self, commanded: float, moved: float, dt: float, acceleration: float, made_up: float
    ) -> None:
        """Take the distance in m or rad that the robot moved within ``dt`` s."""
        change = acceleration * dt
        self._ramp += min(max(commanded - self._ramp, -change), change)
        self._expected += (self._ramp - self._expected) * (1 - math.exp(-dt / _DELAY))
        # What is missing is bounded, so that a robot that was stopped does not rush after it.
        most = max(LIMIT * abs(commanded) / _GAIN, made_up) if commanded else 0.0
        missing = self._missing + self._expected * dt - moved
        self._missing = min(max(missing, -most), most)
        self.correction = _GAIN * self._missing


class SpeedRegulator:
    """Corrects linear and angular speed; each can be left as it is commanded."""

    def __init__(self) -> None:
        self.reset(math.inf)

    def reset(self, start: float) -> None:
        """Forget everything; the speeds that follow hold from ``start`` on, s as the states'."""
        self._start = start
        self._linear, self._angular = _Axis(), _Axis()

    def corrected(self, linear: float, angular: float, limits: DriveLimits) -> tuple[float, float]:
        """Return the speeds to drive with for those commanded, m/s and rad/s."""
        linear, angular = limited_speeds(linear, angular, limits)
        # A command may have changed since the last state: none is reversed by what was missing.
        if limits.is_speed_regulated:
            linear += limited(self._linear.correction, LIMIT * abs(linear))
        if limits.is_yaw_trimmed:
            angular += limited(self._angular.correction, LIMIT * abs(angular))
        return linear, angular

    def update(
        self,
        commanded: tuple[float, float],
        last: RobotState,
        state: RobotState,
        limits: DriveLimits,
    ) -> None:
        """Take two states in a row and the speeds commanded between them, m/s and rad/s."""
        dt = state.robot_time - last.robot_time
        traveled = state.traveled_since(last)
        if traveled is None or not 0.0 < dt <= _LONGEST_STEP:
            return
        distance, turn = traveled
        dt = min(dt, max(0.0, state.time - self._start))
        linear, angular = limited_speeds(*commanded, limits)
        acceleration = limits.acceleration or _ACCELERATION
        self._linear.update(linear, distance, dt, acceleration, _MADE_UP)
        to_turn = 2 / limits.track_width
        self._angular.update(angular, turn, dt, to_turn * acceleration, to_turn * _MADE_UP)


class Breakaway:
    """Starts treads that stick: they get a faster speed until they report that they move."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self._lag = (0.0, 0.0)

    def applied(self, speeds: tuple[float, float], limit: float) -> tuple[float, float]:
        """Return left and right speed, m/s, a stuck tread's raised, at most to ``limit``."""
        left, right = (
            _started(speed, lag, limit) for speed, lag in zip(speeds, self._lag, strict=True)
        )
        return left, right

    def update(
        self,
        wanted: tuple[float, float],
        sent: tuple[float, float],
        state: RobotState,
        dt: float,
    ) -> None:
        """Take tread speeds, m/s, and a state ``dt`` s after the last one.

        ``wanted`` are those commanded: what corrects them does not start a tread. ``sent`` are
        those that the robot has.
        """
        measured = (state.left_wheel_speed, state.right_wheel_speed)
        left, right = (
            lag + (has if abs(lag) >= _BREAKAWAY_LAG else speed) * dt if has and not moved else 0.0
            for lag, speed, has, moved in zip(self._lag, wanted, sent, measured, strict=True)
        )
        self._lag = left, right


def _started(speed: float, lag: float, limit: float) -> float:
    if speed * lag <= 0.0 or abs(lag) < _BREAKAWAY_LAG:
        return speed
    slowest, fastest = _BREAKAWAY_SPEEDS
    least = min(max(slowest, _GROWTH * abs(lag)), fastest, limit)
    return math.copysign(max(abs(speed), least), speed)
