"""Driving to a pose, straight, and off the charger (spec 07 §8)."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace

from ..data import DRIVE_CENTER, Pose2D, RobotState
from ..errors import Reason, Refused, RobotError, check_range
from ..geometry import wrap_angle
from ..localization import Localization
from ..motion.claims import Claim
from ..motion.motion import Motion
from .follower import PathFollower, PathProgress
from .segments import (
    DEFAULT_REVERSE_SPEED,
    PATH_ACCELERATION,
    PATH_SPEED,
    PATH_TURN_SPEED,
    Line,
)
from .smooth_path import AT_GOAL, PathStyle, Waypoint, check_waypoints, smooth_path

POSITION_TOLERANCE = 0.015
ANGLE_TOLERANCE = 0.1745
"""What counts as arrived at a pose, m and rad (spec 07 §8)."""
RAMP_LENGTH = 0.096
UNDOCK_EXTRA = 0.060
UNDOCK_SPEED = 0.020
"""Off the charger: length of its platform and what to drive beyond, m, and m/s (spec 07 §8)."""
_PLATFORM = (-0.010, RAMP_LENGTH, 0.040, 0.6)
"""On the platform a robot is at most so far behind, ahead of and beside its contacts, and askew."""
_ORIGIN = Pose2D()
_SHORT_DISTANCE_BACK = 0.100
_BEHIND = math.radians(120.0)
"""A goal no further than this and at least this far to the back may be reached backwards."""


@dataclass(frozen=True, slots=True)
class DistanceProgress:
    """Distance driven and left to drive, m, signed as the requested distance."""

    distance_traveled: float
    distance_remaining: float


@dataclass(frozen=True, slots=True)
class GoalProgress:
    """Distance to the goal in m, angle to its heading in rad, and the pose of what goes there."""

    distance_remaining: float
    angle_remaining: float
    pose: Pose2D

    @classmethod
    def to(cls, goal: Pose2D, here: Pose2D, *, is_heading_ignored: bool = False) -> GoalProgress:
        angle = 0.0 if is_heading_ignored else wrap_angle(goal.yaw - here.yaw)
        return cls(math.hypot(goal.x - here.x, goal.y - here.y), angle, here)


class ChargerTracker:
    """Where the contacts had power, in the robot's own coordinate system."""

    def __init__(self) -> None:
        self._contact: RobotState | None = None
        self.is_on_platform = False
        """The robot stands on the platform, with its contacts or beside them."""

    def update(self, state: RobotState) -> None:
        """Take a state. A robot that was carried has a new origin, and the place is forgotten."""
        if state.is_on_charger:
            self._contact = state
        contact = self._contact
        if contact is None or _system(contact) != _system(state):
            self.is_on_platform = False
            return
        here = contact.pose.inverse().compose(state.pose)
        behind, ahead, aside, askew = _PLATFORM
        is_beside = abs(here.y) > aside or abs(here.yaw) > askew
        self.is_on_platform = behind <= here.x <= ahead and not is_beside


class Maneuvers:
    def __init__(self, motion: Motion, localization: Localization, follower: PathFollower) -> None:
        self._motion, self._localization, self._follower = motion, localization, follower
        self.charger = ChargerTracker()

    async def drive_distance(
        self,
        distance: float,
        *,
        speed: float = 0.0,
        acceleration: float = PATH_ACCELERATION,
        is_cliff_ignored: bool = False,
        is_hold_ignored: bool = False,
        on_progress: Callable[[DistanceProgress], object] = lambda _: None,
    ) -> float:
        """Drive straight by m, backwards if negative; return the distance driven, m, signed.

        ``speed`` in m/s, 0 for the default of the direction. ``is_cliff_ignored``: the robot does
        not stop at edges meanwhile. ``is_hold_ignored``: also while ``after_pickup`` holds it.
        Raises ``ValueError``, ``RobotError``.
        """
        check_range("the distance", distance, -100.0, 100.0, "m")
        _check_straight(speed, acceleration)
        with self._motion.claim_wheels("drive_distance", is_hold_ignored=is_hold_ignored) as claim:
            await self._follower.settle(claim)
            with self._motion.cliff.suspended() if is_cliff_ignored else nullcontext():
                return await self._straight(distance, speed, acceleration, on_progress, claim)

    async def go_to_pose(
        self,
        goal: Pose2D,
        *,
        is_relative: bool = False,
        speed: float = PATH_SPEED,
        turn_speed: float = PATH_TURN_SPEED,
        position_tolerance: float = POSITION_TOLERANCE,
        angle_tolerance: float = ANGLE_TOLERANCE,
        is_heading_ignored: bool = False,
        is_reverse_allowed: bool = False,
        point: Pose2D = _ORIGIN,
        on_progress: Callable[[GoalProgress], object] = lambda _: None,
    ) -> GoalProgress:
        """Turn, drive straight and turn to a pose in the odometry frame, m and rad.

        ``is_relative``: the pose counts from where the robot stands. ``point`` is what shall be
        there, as seen from the robot's origin. Returns what is left to the goal. Raises
        ``ValueError``, ``RobotError`` (BLOCKED when it ended outside the tolerances).
        """
        if not all(math.isfinite(value) for value in (goal.x, goal.y, goal.yaw)):
            raise ValueError(f"the goal must be finite, not {goal}")
        here = self._localization.drive_center
        there = here.compose(goal) if is_relative else goal
        # Nothing stops for a goal that cannot be driven to; it is planned once the robot stands.
        check_waypoints([Waypoint(there.x, there.y, there.yaw)])
        style = PathStyle(speed, turn_speed)
        with self._motion.claim_wheels("go_to_pose") as claim:
            await self._follower.settle(claim)
            center_now = self._localization.drive_center_from_now()
            center = center_now()
            if is_relative:
                goal = self._localization.pose.compose(point).compose(goal)
            is_reverse = is_reverse_allowed and _is_short_drive_back(center, goal)
            if is_heading_ignored:
                bearing = math.atan2(goal.y - center.y, goal.x - center.x)
                goal = Pose2D(goal.x, goal.y, bearing + math.pi if is_reverse else bearing)

            def progress() -> GoalProgress:
                here = center_now().compose(DRIVE_CENTER.inverse()).compose(point)
                left = GoalProgress.to(goal, here, is_heading_ignored=is_heading_ignored)
                return replace(left, pose=self._localization.pose.compose(point))

            def report(_: PathProgress) -> None:
                on_progress(progress())

            aim = goal.compose(point.inverse()).compose(DRIVE_CENTER)
            if is_reverse:
                style = PathStyle(min(speed, DEFAULT_REVERSE_SPEED), turn_speed, True)
            # Turning moves the robot, too: half of what counts as arrived is left for it.
            near = min(AT_GOAL, position_tolerance / 2)
            is_there = is_heading_ignored and progress().distance_remaining < near
            segments = smooth_path(center, [Waypoint(aim.x, aim.y, goal.yaw)], style, near)
            if segments and not is_there:
                await self._follower.follow(segments, on_progress=report, claim=claim)
            end = progress()
            on_progress(end)
            _check_arrival(end, position_tolerance, angle_tolerance)
            return end

    async def undock(
        self,
        *,
        extra_distance: float = UNDOCK_EXTRA,
        speed: float = UNDOCK_SPEED,
        force: bool = False,
        on_progress: Callable[[DistanceProgress], object] = lambda _: None,
    ) -> float:
        """Drive straight off the charger and ``extra_distance`` m beyond; return m driven.

        The robot does not stop at edges meanwhile, because the platform ends in one (spec 14).
        ``force``: also where neither contacts nor odometry know of the charger. Raises
        ``ValueError``, ``RobotError`` (BLOCKED: it is still on it).
        """
        check_range("the extra distance", extra_distance, 0.0, 1.0, "m")
        _check_straight(speed, PATH_ACCELERATION)
        self._motion.check_wheels()
        if not (force or self.charger.is_on_platform):
            raise Refused(
                Reason.OFF_CHARGER,
                "the robot does not stand on its charger, as far as its contacts have shown; "
                "if it does all the same, undock with force",
            )
        distance = RAMP_LENGTH + extra_distance
        with self._motion.claim_wheels("undock", is_charger_left=True) as claim:
            await self._follower.settle(claim)
            with self._motion.cliff.suspended():
                driven = await self._straight(
                    distance, speed, PATH_ACCELERATION, on_progress, claim
                )
        state = self._motion.state
        if state is not None and state.is_on_charger:
            raise RobotError(
                Reason.BLOCKED,
                f"the robot drove {driven:.2f} m and is still on the charger; is it stuck?",
            )
        return driven

    async def _straight(
        self,
        distance: float,
        speed: float,
        acceleration: float,
        on_progress: Callable[[DistanceProgress], object],
        claim: Claim,
    ) -> float:
        sign = math.copysign(1.0, distance)
        default = PATH_SPEED if distance >= 0 else DEFAULT_REVERSE_SPEED
        center = self._localization.drive_center_from_now()
        start = center()
        end = start.compose(Pose2D(distance))
        line = Line(
            (start.x, start.y),
            (end.x, end.y),
            sign * (abs(speed) or default),
            acceleration,
        )

        def report(path: PathProgress) -> None:
            on_progress(
                DistanceProgress(sign * path.distance_traveled, sign * path.distance_remaining)
            )

        await self._follower.follow([line], on_progress=report, claim=claim)
        return start.inverse().compose(center()).x


def _system(state: RobotState) -> tuple[int, int]:
    return state.origin_id, state.frame_id


def _check_straight(speed: float, acceleration: float) -> None:
    """Raise ``ValueError`` for what cannot be driven: nothing shall stop for it."""
    Line((0.0, 0.0), (1.0, 0.0), speed or PATH_SPEED, acceleration)


def _is_short_drive_back(pose: Pose2D, goal: Pose2D) -> bool:
    here = pose.inverse().compose(goal)
    return (
        math.hypot(here.x, here.y) < _SHORT_DISTANCE_BACK
        and abs(math.atan2(here.y, here.x)) > _BEHIND
    )


def _check_arrival(end: GoalProgress, position_tolerance: float, angle_tolerance: float) -> None:
    if end.distance_remaining > position_tolerance or abs(end.angle_remaining) > angle_tolerance:
        raise RobotError(
            Reason.BLOCKED,
            f"the robot ended {end.distance_remaining * 1000:.0f} mm and "
            f"{math.degrees(end.angle_remaining):.0f} deg from the goal",
        )
