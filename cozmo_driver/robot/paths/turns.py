"""Turning in place to a heading or by an angle (spec 07 §5)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from ...protocol import messages
from ..errors import Reason, Refused, RobotError, check_range
from ..geometry import wrap_angle
from ..localization import Localization
from ..motion.claims import Claim
from ..motion.driving import limited
from ..motion.motion import Motion, is_still
from ..motion.motors import ACKNOWLEDGE_TIMEOUT
from ..session import Session
from .follower import PathFollower

TURN_SPEED = 2.0
TURN_ACCELERATION = 10.0
TURN_TOLERANCE = 0.035
_MOST_AT_ONCE = math.radians(170.0)
_LEG = math.radians(120.0)
"""The robot takes the shorter way; turns beyond the first are made in legs of the second."""
_SLOWEST, _FASTEST = 0.05, 5.236
_STILL_STATES = 2
_BLOCKED_AFTER = 1.0
_STEP = 0.01
"""A robot that turned less than this in the time above is stuck, s and rad."""


@dataclass(frozen=True, slots=True)
class AngleProgress:
    """Angle turned and left to turn, counter-clockwise positive, rad."""

    angle_turned: float
    angle_remaining: float


def turn_legs(angle: float) -> list[float]:
    """Return the turns, rad, that make up ``angle``, so that each one's shorter way is meant."""
    if abs(angle) <= _MOST_AT_ONCE:
        return [angle]
    count = math.ceil(abs(angle) / _LEG)
    return [angle / count] * count


class Turns:
    def __init__(
        self,
        session: Session,
        motion: Motion,
        localization: Localization,
        follower: PathFollower,
    ) -> None:
        self._session, self._motion = session, motion
        self._localization, self._follower = localization, follower

    async def turn(
        self,
        angle: float,
        *,
        is_absolute: bool = False,
        speed: float = TURN_SPEED,
        acceleration: float = TURN_ACCELERATION,
        tolerance: float = TURN_TOLERANCE,
        is_hold_ignored: bool = False,
        on_progress: Callable[[AngleProgress], object] = lambda _: None,
    ) -> float:
        """Turn by rad, counter-clockwise positive, or to a heading in the odometry frame.

        More than a full turn is possible. Returns the angle turned, rad. Cancelling stops the
        robot. ``is_hold_ignored``: also while ``after_pickup`` holds it. Raises
        ``ValueError``, ``RobotError``.
        """
        _check(angle, speed, acceleration, tolerance)
        speed = limited(speed, min(_FASTEST, self._motion.limits.yaw_rate))
        if speed < _SLOWEST:
            raise Refused(
                Reason.NOT_ALLOWED, "the limit of the yaw rate leaves no speed to turn with"
            )
        with self._motion.claim_wheels("turn_in_place", is_hold_ignored=is_hold_ignored) as claim:
            state = await self._follower.settle(claim)
            start = state.pose.yaw
            if is_absolute:
                angle = wrap_angle(angle - self._localization.pose.yaw)
            scale = self._localization.calibration.turn_scale
            tracker = _TurnTracker(start, angle, scale, on_progress)
            target = start
            for leg in turn_legs(angle):
                target = wrap_angle(target + leg / scale)
                await self._turn_to(claim, target, leg, (speed, acceleration, tolerance), tracker)
            return tracker.turned

    async def _turn_to(
        self,
        claim: Claim,
        target: float,
        leg: float,
        profile: tuple[float, float, float],
        tracker: _TurnTracker,
    ) -> None:
        """Turn to a heading of the robot's own coordinate system by the shorter way."""
        speed, acceleration, tolerance = profile
        action_id = self._motion.actions.next_id()
        self._session.send(
            messages.SetBodyAngle(target, speed, acceleration, tolerance, 0, True, action_id)
        )
        # Of the first state after it: before that the robot was silent, and may not have heard.
        sent_at = moved_at = math.nan
        timeout = 2 * (abs(leg) / speed + speed / acceleration) + 2.0
        reference: float | None = None
        still = 0
        while True:
            state = await claim.next_state()
            now, yaw = claim.time, state.pose.yaw
            if math.isnan(sent_at):
                sent_at = moved_at = now
            tracker.update(yaw)
            error = abs(wrap_angle(target - yaw))
            still = still + 1 if is_still(state) else 0
            if not self._motion.actions.is_acknowledged(action_id):
                if now - sent_at > ACKNOWLEDGE_TIMEOUT:
                    raise RobotError(
                        Reason.TIMEOUT,
                        f"the robot did not acknowledge the turn within {ACKNOWLEDGE_TIMEOUT:g} s",
                    )
                continue
            if error <= tolerance and still >= _STILL_STATES:
                return
            if reference is None or abs(wrap_angle(yaw - reference)) > _STEP:
                reference, moved_at = yaw, now
            left = f"{math.degrees(error):.1f} deg are left"
            if now - moved_at > _BLOCKED_AFTER:
                raise RobotError(Reason.BLOCKED, f"the robot does not turn on; {left}")
            if now - sent_at > timeout:
                raise RobotError(
                    Reason.TIMEOUT, f"the turn did not end within {timeout:.0f} s; {left}"
                )


class _TurnTracker:
    """Adds up headings to the angle turned, past any number of full turns."""

    def __init__(
        self,
        start: float,
        angle: float,
        scale: float,
        on_progress: Callable[[AngleProgress], object],
    ) -> None:
        """``scale`` is what the robot turns for each rad that it reports."""
        self.turned = 0.0
        self._angle, self._last, self._scale = angle, start, scale
        self._on_progress = on_progress

    def update(self, yaw: float) -> None:
        self.turned += wrap_angle(yaw - self._last) * self._scale
        self._last = yaw
        self._on_progress(AngleProgress(self.turned, self._angle - self.turned))


def _check(angle: float, speed: float, acceleration: float, tolerance: float) -> None:
    check_range("the angle", angle, -100.0, 100.0, "rad")
    check_range("the speed", speed, _SLOWEST, 100.0, "rad/s")
    check_range("the acceleration", acceleration, 0.1, 1000.0, "rad/s^2")
    check_range("the tolerance", tolerance, 0.01, 1.0, "rad")
