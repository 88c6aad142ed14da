"""Notices that the robot does not turn as its treads do: held, blocked or slipping (spec 10 §7)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum

from ...protocol.enums import RobotStatusFlag as Flag
from ..data import RobotState

_SLOWEST = 0.020
"""Both treads together below this speed tell nothing, m/s."""
_STILL = 0.174533
"""Yaw rate below which the body counts as not turning, rad/s."""
_MISMATCH = 0.2
_PATIENCE = 10
_LEAST_SPEED = 1e-8
_NOT_DRIVING_FREELY = Flag.IS_PICKED_UP | Flag.IS_ON_CHARGER | Flag.CLIFF_DETECTED


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
        """Where that is, for people."""
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
        """What the robot does, for people."""
        return _TEXTS[self.movement]


_TEXTS = {
    Movement.NONE: "the robot drives",
    Movement.TURNED_BUT_STOPPED: "the robot does not turn as its treads do",
    Movement.TURNED_OPPOSITE: "the robot turns against its treads",
    Movement.BLOCKED: "the robot does not follow its treads",
    Movement.TREADS_HELD: "the treads do not turn as they are told",
}


class UnexpectedMovementDetector:
    """Counts states in which treads and gyroscope disagree."""

    def __init__(self, wheel_separation: float) -> None:
        """Judge the treads by their distance, m."""
        self._separation = wheel_separation
        self._reset()

    def _reset(self) -> None:
        self._count = 0
        self._left = self._right = 0.0
        self._started_at = math.nan

    def update(self, state: RobotState) -> UnexpectedMovement | None:
        """Take a state; return what has been noticed with it."""
        if state.has(Flag.IS_PICKING_OR_PLACING):
            return None
        if state.has(_NOT_DRIVING_FREELY):
            self._reset()
            return None
        left, right = state.left_wheel_speed, state.right_wheel_speed
        if abs(left) + abs(right) < _SLOWEST:
            self._count_down()
            return None
        movement, weight = self._judge(left, right, state.yaw_rate)
        if weight < 0:
            self._count_down()
            return None
        if not self._count and weight:
            self._started_at = state.time
        self._count += weight
        if not self._count:
            return None
        self._left += max(1, weight) * left
        self._right += max(1, weight) * right
        if self._count <= _PATIENCE:
            return None
        noticed = UnexpectedMovement(state.time, self._started_at, movement, self._side())
        self._reset()
        return noticed

    def _count_down(self) -> None:
        self._count -= 1
        if self._count <= 0:
            self._reset()

    def _judge(self, left: float, right: float, yaw_rate: float) -> tuple[Movement, int]:
        if abs(yaw_rate) >= _STILL:
            is_opposite = (right - left) * yaw_rate <= 0
            return Movement.TURNED_OPPOSITE, 2 if is_opposite else -1
        expected = abs(0.5 * (right - left) / self._separation)
        disagrees = left * right < 0 or abs(expected - abs(yaw_rate)) > _MISMATCH
        return Movement.TURNED_BUT_STOPPED, 1 if disagrees else 0

    def _side(self) -> Side:
        left, right = self._left, self._right
        if left * right < -_LEAST_SPEED:
            return Side.RIGHT if left > 0 else Side.LEFT
        return Side.FRONT if left + right > 0 else Side.BACK
