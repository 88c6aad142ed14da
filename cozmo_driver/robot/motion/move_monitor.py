"""Judges from state to state whether a move of head or lift has ended (spec 07 §6)."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from dataclasses import dataclass

from ...protocol import Message, MotorID, RobotStatusFlag
from ..data import RobotState
from ..errors import Reason, RobotError, check_range
from .claims import Actuator
from .motors import ACKNOWLEDGE_TIMEOUT

MAX_SPEED = 15.0
_SLOWEST_SPEED = 0.01
_MOVE_TIME = 5.0
_BLOCKED_AFTER = 0.7
"""A joint that has not moved for this long after the acknowledgement will not get there, s."""
_ENDED_AFTER = 0.2
"""A joint that rests for this long while no motor moves has ended its move, s: one that rests too
short of its target is never reported to be in position (spec 18)."""
_REPORTED_AFTER = 0.06
"""An older state may be from before the command and tell of the last one, s."""
_LIFT_ARM = 0.066


@dataclass(frozen=True, slots=True)
class Joint:
    actuator: Actuator
    motor: MotorID
    in_position: RobotStatusFlag
    low: float
    high: float
    tolerance: float
    still: float
    """Smaller changes are noise."""
    measure: Callable[[RobotState], float]
    command: Callable[[float, float, float, float, int], Message]
    velocity: Callable[[float], Message]
    unit: str

    def clamped(self, value: float) -> float:
        if not math.isfinite(value):
            name = "head angle" if self.motor is MotorID.HEAD else "lift height"
            raise ValueError(f"the {name} must be finite, not {value}")
        return min(self.high, max(self.low, value))


@dataclass(frozen=True, slots=True)
class _Instant:
    """A moment by this computer's clock and by the robot's, s.

    While this computer is busy states wait: they do not show where the joint is now.
    """

    here: float
    there: float

    def since(self, earlier: _Instant) -> float:
        """Return the time that has passed by both clocks."""
        return min(self.here - earlier.here, self.there - earlier.there)


class MoveMonitor:
    """Judges one move from state to state."""

    def __init__(
        self,
        joint: Joint,
        what: str,
        target: float,
        profile: tuple[float, float, float],
        minimum_duration: float = 0.0,
    ) -> None:
        """Judge a move to ``target``, clamped, with ``profile``: rad/s, rad/s^2 and s or 0.

        It does not end before ``minimum_duration``, s. Raises ``ValueError`` for bad numbers.
        """
        self.joint, self.what, self.profile = joint, what, profile
        self.target = joint.clamped(target)
        self.action_id = 0
        self._minimum_duration = minimum_duration
        self._timeout = _timeout(joint, *profile)
        self._stall_timeout = max(_BLOCKED_AFTER, profile[2] / 3)
        self._start = math.nan
        self._sent_at: _Instant | None = None
        """That of the first state after it."""
        self._rest = math.inf
        self._moved_at = _Instant(0.0, 0.0)

    def update(self, state: RobotState, is_acknowledged: bool) -> bool:
        """Return whether the motion has ended at its target.

        Raises ``RobotError`` when it ended elsewhere or takes too long.
        """
        now = _Instant(asyncio.get_running_loop().time(), state.robot_time)
        joint, position = self.joint, self.joint.measure(state)
        if self._sent_at is None:
            self._sent_at, self._start = now, position
        if abs(position - self._rest) > joint.still:
            self._rest, self._moved_at = position, now
        elapsed, rested = now.since(self._sent_at), now.since(self._moved_at)
        if not is_acknowledged:
            if elapsed > ACKNOWLEDGE_TIMEOUT:
                raise RobotError(
                    Reason.TIMEOUT,
                    f"the robot did not acknowledge {self.what} within {ACKNOWLEDGE_TIMEOUT:g} s",
                )
            self._moved_at = now
            return False
        near = abs(position - self.target) <= joint.tolerance
        # A motor begins 0.13 s after its command; another that moves on must not hold this up.
        has_ended = rested > (self._stall_timeout if state.is_moving else _ENDED_AFTER)
        is_in_position = state.has(joint.in_position) and rested > _REPORTED_AFTER
        if near and (has_ended or is_in_position):
            return elapsed >= self._minimum_duration
        where = f"{joint.actuator.name} at {position:.3f} {joint.unit}, goal {self.target:.3f}"
        if not near and rested > self._stall_timeout:
            moved = "stopped" if abs(position - self._start) > joint.still else "did not move"
            raise RobotError(
                Reason.BLOCKED, f"{self.what} {moved}: {where}; is something in the way?"
            )
        if elapsed > self._timeout:
            raise RobotError(
                Reason.TIMEOUT, f"{self.what} did not end within {self._timeout:.0f} s: {where}"
            )
        return False


def _timeout(joint: Joint, speed: float, acceleration: float, duration: float) -> float:
    check_range("the speed", speed, _SLOWEST_SPEED, MAX_SPEED, "rad/s")
    check_range("the acceleration", acceleration, 0.1, 1000.0, "rad/s^2")
    check_range("the duration", duration, 0.0, 60.0, "s")
    travel = (joint.high - joint.low) / (_LIFT_ARM if joint.motor is MotorID.LIFT else 1.0)
    return _MOVE_TIME + (duration or 2 * (travel / speed + speed / acceleration))
