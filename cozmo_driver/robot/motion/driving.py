"""Driving by speed: limits, the watchdog, what is in the way (spec 07 §3)."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from ..calibration import RobotCalibration
from ..data import RobotState
from ..errors import check_range
from ..geometry import EFFECTIVE_TRACK_WIDTH, MAX_WHEEL_ACCELERATION, MAX_WHEEL_SPEED, MAX_YAW_RATE
from ..odometry import UNLINKED
from .claims import Owner

_ABSURD = 1e6
"""Products of larger speeds, m/s and rad/s, might overflow."""


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
    """Correct the linear speed by the distance that the robot reports."""
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
    largest = max(abs(linear), abs(angular))
    if largest > _ABSURD:
        linear, angular = (speed * (_ABSURD / largest) for speed in (linear, angular))
    scale = min(1.0, limits.yaw_rate / abs(angular)) if angular else 1.0
    difference = angular * limits.track_width / 2
    left, right = (linear - difference) * scale, (linear + difference) * scale
    fastest = max(abs(left), abs(right))
    if fastest > limits.wheel_speed:
        left, right = (speed * limits.wheel_speed / fastest for speed in (left, right))
    return left, right


def limits_of(limits: DriveLimits, calibration: RobotCalibration) -> DriveLimits:
    """Return limits with the track that was measured of the robot.

    Only where the gyroscope corrects turns: a track is of one floor, too. And where no other than
    the usual one is set.
    """
    if not limits.is_yaw_trimmed or limits.track_width != EFFECTIVE_TRACK_WIDTH:
        return limits
    track = calibration.value("track_width", EFFECTIVE_TRACK_WIDTH)
    return limits if track == limits.track_width else replace(limits, track_width=track)


def balanced(speeds: tuple[float, float], difference: float) -> tuple[float, float]:
    """Return the speeds of left and right tread, which is longer by a share, for one distance."""
    left, right = speeds
    return left * (1.0 + difference / 2), right * (1.0 - difference / 2)


def limited(value: float, limit: float) -> float:
    """Return ``value`` with its magnitude at most ``limit``, in the same unit."""
    return math.copysign(min(abs(value), limit), value)


_REACTION = 0.15
"""Time from a measurement until the treads have stopped, s."""
_RESUME = 0.010
"""Reversing is possible again after driving this far forward, m."""


class BackupLimit:
    """Counts how far cmd_vel took the robot back; driving forward over that ground pays it back.

    What the treads roll on after it counts, too, seen or not. Actions go back unlimited.
    """

    def __init__(self, limit: Callable[[], float]) -> None:
        """``limit`` returns how far the robot may reverse, m; 0 for any distance."""
        self._limit = limit
        self._is_limited = True
        """Whether cmd_vel was the last that drove."""
        self.reset()

    def reset(self) -> None:
        self.reversed = 0.0
        """Distance reversed and not yet driven forward again, m."""
        self._unlimited = 0.0
        """How far actions have gone back since cmd_vel drove, m."""
        self._blocked_at: float | None = None
        self._blocked_by = 0.0
        """The limit that blocked it: a higher one lets the robot go on."""
        self._last: RobotState | None = None
        self._was_backing = False
        """By its pose: the speeds of treads that stop stay for some states (spec 18)."""

    def update(self, state: RobotState, owner: Owner) -> None:
        """Count the way since the last state; a robot that is lifted begins anew."""
        if state.is_off_ground:
            self.reset()
            return
        if owner is not Owner.NONE:
            self._is_limited = owner is Owner.TOPIC
        if self._last is not None:
            distance = self._distance_since(self._last, state)
            self._was_backing = distance < 0.0
            self._count(distance)
        self._last = state
        if self._blocked_at is not None and self.reversed <= self._blocked_at - _RESUME:
            self._blocked_at = None
        limit = self._limit()
        rolls_on = max(0.0, -state.speed) * _REACTION if owner is Owner.TOPIC else 0.0
        if limit and self.reversed + rolls_on >= limit:
            self._blocked_at = max(self.reversed, self._blocked_at or 0.0)
            self._blocked_by = limit

    @property
    def is_exhausted(self) -> bool:
        return self._blocked_at is not None and 0.0 < self._limit() <= self._blocked_by

    def _count(self, distance: float) -> None:
        if self._is_limited:
            self._unlimited = 0.0
        else:
            # Going to and fro, an action pays nothing back.
            gone = self._unlimited - distance
            self._unlimited, distance = max(0.0, gone), max(0.0, -gone)
        self.reversed = max(0.0, self.reversed - distance)

    def _distance_since(self, last: RobotState, state: RobotState) -> float:
        traveled = state.traveled_since(last)
        if traveled is not None:
            return traveled[0]
        # How far it went until it counted anew is unknown. Up to the limit: from there it reverses
        # over no ground but what it drives forward first.
        unseen = min(UNLINKED, max(0.0, state.time - last.time))
        gone = max(0.0, -last.speed) * unseen if self._was_backing else 0.0
        return -min(gone, max(0.0, self._limit() - self.reversed))


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


_LOOK = 0.1
_LOOKS = 5
"""In a row that found no state: frames of a healthy link come 0.35 s apart at most (spec 14). At
0.2 m/s the robot drives 12 cm until then."""


class StateWatch:
    """Tells when no state comes from a robot that is driven by speed.

    It counts how often it looked in vain and no time: whatever kept this program from running
    counts as one look, and the loop reads its sockets before each.
    """

    def __init__(self, is_needed: Callable[[], bool], missed: Callable[[], object]) -> None:
        """Look as long as ``is_needed``; call ``missed`` when states fail to come."""
        self._is_needed, self._missed = is_needed, missed
        self._vain = 0
        self._has_state = False
        self._timer: asyncio.TimerHandle | None = None

    @property
    def is_blind(self) -> bool:
        """Whether states failed to come and none has come since."""
        return self._vain >= _LOOKS

    def begin(self) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_LOOK, self._look)

    def state_came(self) -> None:
        self._has_state, self._vain = True, 0

    def _look(self) -> None:
        self._timer = None
        if not self._is_needed():
            return
        self._vain += not self._has_state
        self._has_state = False
        if self.is_blind:
            self._missed()
        else:
            self.begin()
