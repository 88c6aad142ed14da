"""Detects that the body does not follow its treads, or they not their commands (spec 10 §7).

Only what the sensors of a robot that shakes can tell (spec 18) counts: the heading that the robot
integrates from its gyroscope, the speeds of the treads, and what was commanded. A wall met head on
is not noticed while the treads slip. The accelerometer reports single moments 30 ms apart, that
shake by 0.28 m/s^2 at 27 mm/s and more at higher speeds: two of four recorded starts do not show
in it, and a bump is no more than a start.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from enum import IntEnum

from ..protocol import RobotStatusFlag as Flag
from .data import RobotState


class Movement(IntEnum):
    """What the body did instead of following the treads; values of ``RobotEvent.movement``."""

    NONE = 0
    TURNED_BUT_STOPPED = 1
    TURNED_OPPOSITE = 2
    BLOCKED = 3
    TREADS_HELD = 4


class Side(IntEnum):
    """Where the robot met whatever kept it; values of ``RobotEvent.side``."""

    NONE = 0
    FRONT = 1
    BACK = 2
    LEFT = 3
    RIGHT = 4

    @property
    def place(self) -> str:
        return _PLACES[self]


_PLACES = {
    Side.NONE: "at the robot",
    Side.FRONT: "in front of the robot",
    Side.BACK: "behind the robot",
    Side.LEFT: "on the robot's left",
    Side.RIGHT: "on the robot's right",
}


@dataclass(frozen=True, slots=True)
class UnexpectedMovement:
    """From ``started_at`` to ``time``, s of the host's monotonic clock."""

    time: float
    started_at: float
    movement: Movement
    side: Side

    @property
    def text(self) -> str:
        return f"{_TEXTS[self.movement]}: something may be {self.side.place}"


_TEXTS = {
    Movement.NONE: "the robot drives",
    Movement.TURNED_BUT_STOPPED: "the robot does not turn as its treads do",
    Movement.TURNED_OPPOSITE: "the robot turns against its treads",
    Movement.BLOCKED: "the robot is turned off the path of its treads",
    Movement.TREADS_HELD: "the treads do not turn as commanded",
}

_SLOWEST = 0.020
"""Treads that are together slower than this are not judged, m/s (spec 10 §7)."""
_SPAN, _LEAST_SPAN = 1.0, 0.4
"""Time over which treads and heading are compared, s; at the start of a drive the shorter one."""
_LONGEST_STEP = 0.1
"""Over a longer gap between states the travel of each tread is not known, s."""
_WIDEST, _NARROWEST = 6.5, 0.85
"""Effective tracks of robots that turn freely, in distances of the treads: floors made them 1 to 2
(spec 07), and a carpet may more."""
_NOISE = 0.05
"""Turn, rad, by which a held robot may seem to follow. The heading of a robot that drove straight
was 0.007 rad off its treads after a second (spec 18)."""
_FLOOR, _BEND = 0.15, 0.5
"""Turn that joints, edges of rugs and unequal treads may give a free robot, rad and rad/m: 2 % of
the distance is 0.44 rad/m."""
_STATES = 3
"""States in a row that must say the same."""
_RESTED = 1.0
"""Standing for this time ends what was noticed, s."""
_HELD_SPEED, _HELD_SHARE, _HELD_TIME = 0.030, 0.2, 0.4
"""A tread commanded at least this fast one way, m/s, that reaches less than this share for so long,
s, is held. Real ones reached 0.4 after 0.07 s and 0.75 after 0.1 s (spec 18)."""
_NOT_JUDGED = Flag.IS_PICKED_UP | Flag.IS_ON_CHARGER | Flag.IS_PICKING_OR_PLACING
_LEAST_SPEED = 1e-8
"""Of both treads, multiplied, (m/s)^2: with less one of them stands."""


@dataclass(frozen=True, slots=True)
class _Moved:
    """What the robot moved since it began to drive: its time, s, distances, m, and turn, rad."""

    time: float
    left: float = 0.0
    right: float = 0.0
    driven: float = 0.0
    """Travel of the body, forward and backward."""
    turn: float = 0.0


class UnexpectedMovementDetector:
    """Compares treads, heading and commands from state to state; tells what lasts only once."""

    def __init__(self, wheel_separation: float) -> None:
        """``wheel_separation`` is the distance of the treads, m."""
        self._separation = wheel_separation
        self._moved: deque[_Moved] = deque()
        self.release()

    def release(self) -> None:
        """Assume that the robot drives freely."""
        self.current: UnexpectedMovement | None = None
        """From when it was noticed until the robot follows its treads again or has rested."""
        self._last: RobotState | None = None
        self._moved.clear()
        self._off = 0
        self._moved_at = self._held_since = math.nan
        self._commanded = 0.0, 0.0

    def update(
        self, state: RobotState, commanded: tuple[float, float] = (0.0, 0.0), ramp: float = 0.0
    ) -> UnexpectedMovement | None:
        """Return what a state shows for the first time.

        ``commanded`` are tread speeds, m/s, 0 where they are not known, and ``ramp`` the time in
        which they are reached, s.
        """
        if state.is_off_ground or state.has(_NOT_JUDGED):
            self.release()
            return None
        noticed = self._judge_turn(state) or self._judge_treads(state, commanded, ramp)
        self._last = state
        if self.current is not None and state.time - self._moved_at > _RESTED:
            self.current = None
        if noticed is None or self.current is not None:
            return None
        self.current = noticed
        return noticed

    def _judge_turn(self, state: RobotState) -> UnexpectedMovement | None:
        """Compare the turn of the last second with those that the travel of the treads allows."""
        if not self._follow(state):
            self._moved.clear()
            self._off = 0
            return None
        first, last = self._moved[0], self._moved[-1]
        if last.time - first.time < _LEAST_SPAN:
            return None
        left, right = last.left - first.left, last.right - first.right
        movement = self._movement(left, right, last.driven - first.driven, last.turn - first.turn)
        if movement is Movement.NONE:
            self._off = 0
            if math.isnan(self._held_since):
                self.current = None
            return None
        self._off += 1
        if self._off != _STATES:
            return None
        started_at = state.time - (last.time - first.time)
        return UnexpectedMovement(state.time, started_at, movement, side_of(left, right))

    def _movement(self, left: float, right: float, driven: float, turn: float) -> Movement:
        expected = (right - left) / self._separation
        follows, least = math.copysign(turn, turn * expected), abs(expected) / _WIDEST - _NOISE
        if follows < least and least > 0.0:
            return Movement.TURNED_OPPOSITE if follows < -_NOISE else Movement.TURNED_BUT_STOPPED
        is_off = abs(turn) > abs(expected) / _NARROWEST + _FLOOR + _BEND * driven
        return Movement.BLOCKED if is_off else Movement.NONE

    def _follow(self, state: RobotState) -> bool:
        """Add what moved since the last state; return whether the treads turn and it is known."""
        last, left, right = self._last, state.left_wheel_speed, state.right_wheel_speed
        if abs(left) + abs(right) < _SLOWEST:
            return False
        self._moved_at = state.time
        if not self._moved or last is None:
            self._moved.append(_Moved(state.robot_time))
            return True
        dt, moved = state.robot_time - last.robot_time, state.traveled_since(last)
        if moved is None or not 0.0 < dt <= _LONGEST_STEP:
            return False
        before = self._moved[-1]
        self._moved.append(
            _Moved(
                state.robot_time,
                before.left + (last.left_wheel_speed + left) / 2 * dt,
                before.right + (last.right_wheel_speed + right) / 2 * dt,
                before.driven + abs(moved[0]),
                before.turn + moved[1],
            )
        )
        while state.robot_time - self._moved[0].time > _SPAN:
            self._moved.popleft()
        return True

    def _judge_treads(
        self, state: RobotState, commanded: tuple[float, float], ramp: float
    ) -> UnexpectedMovement | None:
        """Tell whether a tread stands for too long that was commanded to turn.

        Not where its command goes to and fro, as that of a controller at its goal: treads follow
        late.
        """
        reached = state.left_wheel_speed, state.right_wheel_speed
        before, self._commanded = self._commanded, commanded
        if not any(
            abs(wanted) >= _HELD_SPEED and speed / wanted < _HELD_SHARE and wanted * old >= 0.0
            for wanted, old, speed in zip(commanded, before, reached, strict=True)
        ):
            self._held_since = math.nan
            return None
        self._moved_at = state.time
        last = self._last
        if last is None or state.robot_time - last.robot_time > _LONGEST_STEP:
            # It may have been driven otherwise meanwhile.
            self._held_since = math.nan
        if math.isnan(self._held_since):
            self._held_since = state.time
        if state.time - self._held_since < _HELD_TIME + ramp:
            return None
        started_at, self._held_since = self._held_since, math.inf
        side = side_of(*commanded)
        return UnexpectedMovement(state.time, started_at, Movement.TREADS_HELD, side)


def side_of(left: float, right: float) -> Side:
    """Return where something must be that stops treads of these speeds, m/s."""
    if left * right < -_LEAST_SPEED:
        return Side.RIGHT if left > 0.0 else Side.LEFT
    return Side.FRONT if left + right > 0.0 else Side.BACK
