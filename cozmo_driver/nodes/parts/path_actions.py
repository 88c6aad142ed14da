"""The actions ``go_to_pose`` and ``follow_path``."""

from __future__ import annotations

import math
from collections.abc import Callable

from cozmo_interfaces.action import FollowPath, GoToPose

from ...robot import GoalProgress, PathProgress, PathStyle
from ...robot.data import DRIVE_CENTER
from ...robot.paths.maneuvers import ANGLE_TOLERANCE, POSITION_TOLERANCE
from ...robot.paths.segments import DEFAULT_SPEED, DEFAULT_TURN_SPEED
from ..action_bridge import ActionBridge, Goal
from ..context import Context
from ..conversions.geometry import (
    or_default,
    path_header,
    plane_frame,
    plane_pose,
    segments,
    waypoints,
)
from ..jobs import Jobs
from ..robot_pose import RobotPose
from ..transforms import FrameLookup


class PathActionsPart:
    """Drives to a pose and along a path, each in any frame that tf knows."""

    def __init__(self, context: Context, jobs: Jobs) -> None:
        """Offer the actions."""
        self._robot = context.robot
        self._frames = FrameLookup(context)
        self._pose = RobotPose(context)
        end = self._pose.put_into
        self._bridges = [
            ActionBridge(context, jobs, GoToPose, "go_to_pose", self._go, end),
            ActionBridge(context, jobs, FollowPath, "follow_path", self._follow, end),
        ]

    async def _go(self, goal: Goal) -> str:
        request, result = goal.request, goal.result
        result.position_error = result.angle_error = math.nan

        def report(progress: GoalProgress) -> None:
            result.position_error = float(progress.distance_remaining)
            result.angle_error = float(progress.angle_remaining)
            goal.publish(
                GoToPose.Feedback(
                    distance_remaining=float(progress.distance_remaining),
                    angle_remaining=float(progress.angle_remaining),
                    pose=self._pose.message(progress.pose),
                )
            )

        profile = {
            "speed": or_default("speed", request.speed, DEFAULT_SPEED),
            "turn_speed": or_default("angular_speed", request.angular_speed, DEFAULT_TURN_SPEED),
            "position_tolerance": or_default(
                "position_tolerance", request.position_tolerance, POSITION_TOLERANCE
            ),
            "angle_tolerance": or_default(
                "angle_tolerance", request.angle_tolerance, ANGLE_TOLERANCE
            ),
        }
        plane_pose(request.pose.pose)  # Bad values are refused before anything waits.
        frame = await self._frames.pose_of(request.pose.header)
        end = await self._robot.maneuvers.go_to_pose(
            plane_pose(request.pose.pose, frame),
            **profile,
            is_heading_ignored=request.is_heading_ignored,
            is_reverse_allowed=request.is_reverse_allowed,
            point=DRIVE_CENTER,
            on_progress=report,
        )
        return f"the robot is {end.distance_remaining * 1000:.0f} mm from the goal"

    async def _follow(self, goal: Goal) -> str:
        request = goal.request
        if bool(request.path.poses) == bool(request.segments):
            raise ValueError("give either the poses of path or segments, not both and not neither")
        follow = self._follow_poses if request.path.poses else self._follow_segments
        end = await follow(request, self._reporter(goal))
        return f"the robot drove {end.distance_traveled:.3f} m"

    async def _follow_poses(
        self, request: FollowPath.Goal, report: Callable[[PathProgress], None]
    ) -> PathProgress:
        style = PathStyle(
            or_default("speed", request.speed, 0.0),
            or_default("angular_speed", request.angular_speed, DEFAULT_TURN_SPEED),
            request.is_reverse,
        )
        waypoints(request.path, None)  # Bad values are refused before anything waits.
        frame = await self._frames.pose_of(path_header(request.path))
        passed = waypoints(request.path, frame)
        return await self._robot.paths.follow_poses(passed, style, on_progress=report)

    async def _follow_segments(
        self, request: FollowPath.Goal, report: Callable[[PathProgress], None]
    ) -> PathProgress:
        track = segments(request.segments, request.speed, request.angular_speed)
        frame = await self._frames.pose_of(request.header)
        if frame is not None:
            seen_from = plane_frame(frame)
            track = [segment.seen_in(seen_from) for segment in track]
        return await self._robot.paths.follow(track, on_progress=report)

    def _reporter(self, goal: Goal) -> Callable[[PathProgress], None]:
        def report(progress: PathProgress) -> None:
            goal.result.segments_completed = int(progress.segments_completed)
            goal.result.distance_traveled = float(progress.distance_traveled)
            goal.publish(
                FollowPath.Feedback(
                    segment=int(progress.segment),
                    segment_count=int(progress.segment_count),
                    distance_traveled=float(progress.distance_traveled),
                    distance_remaining=float(progress.distance_remaining),
                    pose=self._pose.message(progress.pose),
                )
            )

        return report
