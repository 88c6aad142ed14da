"""Driving by speed: limits, the watchdog, what is in the way (spec 07 §3)."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from dataclasses import dataclass

from ..data import RobotState
from ..errors import check_range
from ..geometry import EFFECTIVE_TRACK_WIDTH, MAX_WHEEL_ACCELERATION, MAX_WHEEL_SPEED, MAX_YAW_RATE
from ..pushing import Side, UnexpectedMovement


@dataclass(frozen=True, slots=True)
class DriveLimits:
    """Of treads and turns, in m/s, rad/s and m/s^2. Raises ``ValueError`` for impossible ones."""

    wheel_speed: float = MAX_WHEEL_SPEED
    yaw_rate: float = MAX_YAW_RATE
    acceleration: float = 0.0
    """Of each tread, 0 for as fast as the robot can."""
    track_width: float = EFFECTIVE_TRACK_WIDTH
    """With which turns are computed, m."""
    is_yaw_trimmed: bool = True
    """Correct the turn rate by what the gyro measures."""
    is_speed_regulated: bool = True
    """Correct the linear speed by the way that the robot reports."""
    backup_limit: float = 0.0
    """How far cmd_vel may reverse before it drives forward again, m; 0 for any distance."""

    def __post_init__(self) -> None:
        for name, low, high in (
            ("wheel_speed", 0.0, MAX_WHEEL_SPEED),
            ("yaw_rate", 0.0, 10.0),
            ("acceleration", 0.0, MAX_WHEEL_ACCELERATION),
            ("track_width", 0.01, 0.5),
            ("backup_limit", 0.0, 1000.0),
        ):
            check_range(name, getattr(self, name), low, high)


def limited_speeds(linear: float, angular: float, limits: DriveLimits) -> tuple[float, float]:
    """Return the speeds in m/s and rad/s that can be driven, with the curve's radius kept."""
    left, right = tread_speeds(linear, angular, limits)
    return (left + right) / 2, (right - left) / limits.track_width


def tread_speeds(linear: float, angular: float, limits: DriveLimits) -> tuple[float, float]:
    """Return left and right tread speed in m/s for m/s and rad/s.

    Beyond the limits both are scaled alike, so that the curve keeps its radius (spec 07 §3).
    """
    scale = min(1.0, limits.yaw_rate / abs(angular)) if angular else 1.0
    difference = angular * limits.track_width / 2
    left, right = (linear - difference) * scale, (linear + difference) * scale
    fastest = max(abs(left), abs(right))
    if fastest > limits.wheel_speed:
        left, right = (speed * limits.wheel_speed / fastest for speed in (left, right))
    return left, right


def limited(value: float, limit: float) -> float:
    """Return ``value`` with its magnitude at most ``limit``, in the same unit."""
    return math.copysign(min(abs(value), limit), value)


_REACTION = 0.15
"""Time from a measurement until the treads have stopped, s."""
_RESUME = 0.010
"""Reversing is possible again after driving this far forward, m."""


class BackupLimit:
    """Counts how far the robot has reversed; driving forward over the same ground pays it back."""

    def __init__(self, limit: Callable[[], float]) -> None:
        """``limit`` returns how far the robot may reverse, m; 0 for any distance."""
        self._limit = limit
        self.reversed = 0.0
        """Distance reversed and not yet driven forward again, m."""
        self._blocked_at: float | None = None

    def reset(self) -> None:
        self.reversed = 0.0
        self._blocked_at = None

    def update(self, speed: float, dt: float) -> None:
        """Add a measured speed in m/s that lasted ``dt`` s."""
        self.reversed = max(0.0, self.reversed - speed * dt)
        if self._blocked_at is not None and self.reversed <= self._blocked_at - _RESUME:
            self._blocked_at = None
        limit = self._limit()
        if limit and self.reversed + max(0.0, -speed) * _REACTION >= limit:
            self._blocked_at = max(self.reversed, self._blocked_at or 0.0)

    @property
    def is_exhausted(self) -> bool:
        return bool(self._limit()) and self._blocked_at is not None


class CommandTimer:
    """Watches who drives by speed: the robot keeps a commanded speed for ever (spec 07 §3)."""

    def __init__(self, timeout: float, expired: Callable[[], object]) -> None:
        """Call ``expired`` when ``timeout`` seconds have passed since a command that moves."""
        self.timeout = timeout
        self._expired = expired
        self._last: float | None = None
        """When the last command that moves came; None while there is nothing to stop."""
        self._timer: asyncio.TimerHandle | None = None

    def change_timeout(self, timeout: float) -> None:
        """Let another time, s, hold, for a command under way too."""
        self.timeout = timeout
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._arm()

    def command(self, moves: bool) -> None:
        """A command came; one that stops ends the watch."""
        self._last = asyncio.get_running_loop().time() if moves else None
        self._arm()

    def _arm(self) -> None:
        """Keep one timer running; a command only moves the time that it finds."""
        if self._last is not None and self._timer is None:
            due = self._last + self.timeout
            self._timer = asyncio.get_running_loop().call_at(due, self._on_timer, due)

    def _on_timer(self, due: float) -> None:
        self._timer = None
        # The loop may call within its clock resolution too early; what was due is due.
        now = max(asyncio.get_running_loop().time(), due)
        if self._last is not None and now >= self._last + self.timeout:
            self._last = None
            self._expired()
        else:
            self._arm()


BUMP_BACKED_OFF = 0.020
"""After driving this far away from it the robot may drive towards it again, m ..."""
TURNED = 0.3
"""... or after turning this far, rad ..."""
GIVEN_UP = 1.0
"""... or when nobody asked it to for this time, s."""
_LONGEST_BUMP_STEP = 0.3
_OPEN = {Side.FRONT: 1.0, Side.BACK: -1.0}
"""Sign of the speed that drives against what is there; turns are always possible."""


class BumpGuard:
    """Knows where something is in the way; times are those of the states, s."""

    def __init__(self, enabled: bool = True) -> None:
        self.is_enabled = enabled
        self.pushing: UnexpectedMovement | None = None
        """What the robot pushes against now."""
        self.last: UnexpectedMovement | None = None
        """What it pushed against last in this session."""
        self.reset()

    def reset(self) -> None:
        self.pushing = self.last = None
        self._side = Side.NONE
        self._way = self._turn = 0.0
        self._asked_at = -math.inf
        self._last_state: RobotState | None = None

    def enable(self, on: bool) -> None:
        self.is_enabled = on

    @property
    def side(self) -> Side:
        """Where the robot may not drive to, FRONT or BACK; NONE for anywhere."""
        return self._side if self.is_enabled else Side.NONE

    @property
    def is_present(self) -> bool:
        """Tell whether the robot pushes now, or may not drive against what is there."""
        return self.pushing is not None or self.side is not Side.NONE

    def forbids(self, linear: float, now: float) -> bool:
        """Tell whether a speed in m/s is against what is in the way; asking keeps it so."""
        forbidden = linear * _OPEN.get(self.side, 0.0) > 0.0
        if forbidden:
            self._asked_at = now
        return forbidden

    def update(self, state: RobotState, pushing: UnexpectedMovement | None) -> bool:
        """Return whether the robot has just begun to push against ``pushing``."""
        last, self._last_state = self._last_state, state
        has_begun = pushing is not None and pushing is not self.pushing
        self.pushing = pushing
        if state.is_off_ground:
            self._side = Side.NONE
        if has_begun:
            assert pushing is not None
            self.last, self._asked_at = pushing, state.time
            self._side = pushing.side if pushing.side in _OPEN else Side.NONE
            self._way = self._turn = 0.0
        elif last is not None and self._side is not Side.NONE:
            dt = min(max(state.robot_time - last.robot_time, 0.0), _LONGEST_BUMP_STEP)
            speed = (state.left_wheel_speed + state.right_wheel_speed) / 2
            self._way -= speed * dt * _OPEN[self._side]
            self._turn += state.yaw_rate * dt
            given_up = state.time - self._asked_at > GIVEN_UP
            if self._way > BUMP_BACKED_OFF or abs(self._turn) > TURNED or given_up:
                self._side = Side.NONE
        return has_begun
