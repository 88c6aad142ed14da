"""The actions that move the robot: along paths, straight, in place, off its charger; its joints."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from geometry_msgs.msg import PoseStamped

from cozmo_interfaces.action import (
    DriveDistance,
    FollowPath,
    GoToPose,
    MoveHead,
    MoveLift,
    TurnInPlace,
    Undock,
)

from ..robot import (
    ANGLE_TOLERANCE,
    DRIVE_CENTER,
    JOINT_ACCELERATION,
    JOINT_SPEED,
    PATH_ACCELERATION,
    PATH_SPEED,
    PATH_TURN_SPEED,
    POSITION_TOLERANCE,
    TURN_ACCELERATION,
    TURN_SPEED,
    TURN_TOLERANCE,
    UNDOCK_EXTRA,
    UNDOCK_SPEED,
    AngleProgress,
    DistanceProgress,
    GoalProgress,
    JointProgress,
    PathProgress,
    PathStyle,
    Pose2D,
    Reason,
    Refused,
    RobotError,
)
from ..ros.action_bridge import ActionBridge, Goal
from ..ros.clients import GoalClient, OwnGoals
from ..ros.context import Context
from ..ros.geometry import (
    filled,
    or_default,
    path_header,
    plane_frame,
    segments,
    stamped_pose_message,
    waypoints,
)
from ..ros.on_map import PlaceOnMap
from ..ros.transforms import driver_frames

AVOIDING = "go_to_pose_avoiding"
"""The action of the manipulation node that goals of ``go_to_pose`` with ``avoid`` are passed to."""
_CORRECTIONS = 3
"""Times that a goal on the map is driven to again, as it is seen from nearer."""


class DriveActionsPart:
    """Drives to a pose and along a path, in any frame that tf knows; straight; turns; undocks."""

    def __init__(self, context: Context, place: PlaceOnMap) -> None:
        self._context, self._robot, self._place = context, context.robot, place
        self._frames = driver_frames(context)
        self._avoiding = GoalClient(context, GoToPose, AVOIDING, OwnGoals())
        self._odom = context.frame("odom_frame")
        for kind, name, run in (
            (DriveDistance, "drive_distance", self._drive),
            (TurnInPlace, "turn_in_place", self._turn),
            (Undock, "undock", self._undock),
            (GoToPose, "go_to_pose", self._go),
            (FollowPath, "follow_path", self._follow),
        ):
            ActionBridge(context, kind, name, run, self._add_pose)

    def _add_pose(self, result: Any) -> None:
        result.pose = self._pose_message(self._robot.localization.drive_center)

    def _pose_message(self, pose: Pose2D) -> PoseStamped:
        """Return a pose of ``base_footprint`` with the stamp of the latest state."""
        odometry, context = self._robot.odometry, self._context
        stamp = context.stamp_now() if odometry is None else context.stamp(odometry.time)
        return stamped_pose_message(pose, stamp, self._odom)

    async def _drive(self, goal: Goal) -> str:
        request = goal.request

        def on_progress(progress: DistanceProgress) -> None:
            goal.result.distance_traveled = float(progress.distance_traveled)
            goal.publish(filled(DriveDistance.Feedback, progress))

        driven = await self._robot.maneuvers.drive_distance(
            request.distance,
            **_given(request, speed=0.0, acceleration=PATH_ACCELERATION),
            is_cliff_ignored=request.is_cliff_ignored,
            is_hold_ignored=request.is_hold_ignored,
            on_progress=on_progress,
        )
        goal.result.distance_traveled = float(driven)
        return f"the robot drove {driven:.3f} m"

    async def _turn(self, goal: Goal) -> str:
        request = goal.request

        def on_progress(progress: AngleProgress) -> None:
            goal.result.angle_turned = float(progress.angle_turned)
            goal.publish(filled(TurnInPlace.Feedback, progress))

        turned = await self._robot.turns.turn(
            request.angle,
            is_absolute=request.is_absolute,
            speed=or_default("angular_speed", request.angular_speed, TURN_SPEED),
            acceleration=or_default(
                "angular_acceleration", request.angular_acceleration, TURN_ACCELERATION
            ),
            tolerance=or_default("angle_tolerance", request.angle_tolerance, TURN_TOLERANCE),
            is_hold_ignored=request.is_hold_ignored,
            on_progress=on_progress,
        )
        goal.result.angle_turned = float(turned)
        return f"the robot turned by {turned:.3f} rad"

    async def _undock(self, goal: Goal) -> str:
        request = goal.request

        def on_progress(progress: DistanceProgress) -> None:
            goal.result.distance_traveled = float(progress.distance_traveled)
            goal.publish(filled(Undock.Feedback, progress, self._robot.state))

        driven = await self._robot.maneuvers.undock(
            **_given(request, extra_distance=UNDOCK_EXTRA, speed=UNDOCK_SPEED),
            force=request.force,
            on_progress=on_progress,
        )
        goal.result.distance_traveled = float(driven)
        return f"the robot drove {driven:.3f} m and is off the charger"

    async def _go(self, goal: Goal) -> str:
        request, result = goal.request, goal.result
        result.position_error = result.angle_error = math.nan

        def on_progress(progress: GoalProgress) -> None:
            result.position_error = float(progress.distance_remaining)
            result.angle_error = float(progress.angle_remaining)
            pose = self._pose_message(progress.pose)
            goal.publish(filled(GoToPose.Feedback, progress, pose=pose))

        profile: dict[str, Any] = {
            "speed": or_default("speed", request.speed, PATH_SPEED),
            "turn_speed": or_default("angular_speed", request.angular_speed, PATH_TURN_SPEED),
            **_given(
                request, position_tolerance=POSITION_TOLERANCE, angle_tolerance=ANGLE_TOLERANCE
            ),
        }
        PathStyle(profile["speed"], profile["turn_speed"])  # Refused before anything waits.

        async def drive(there: Pose2D) -> GoalProgress:
            if request.avoid:
                return await self._go_avoiding(request, there, on_progress)
            return await self._robot.maneuvers.go_to_pose(
                there,
                **profile,
                is_heading_ignored=request.is_heading_ignored,
                is_reverse_allowed=request.is_reverse_allowed,
                point=DRIVE_CENTER,
                on_progress=on_progress,
            )

        tolerances = profile["position_tolerance"], profile["angle_tolerance"]
        end = await self._reach(request.pose, tolerances, request.is_heading_ignored, drive)
        on_progress(end)
        return f"the robot is {end.distance_remaining * 1000:.0f} mm from the goal"

    async def _reach(
        self,
        goal: PoseStamped,
        tolerances: tuple[float, float],
        is_heading_ignored: bool,
        drive: Callable[[Pose2D], Awaitable[GoalProgress]],
    ) -> GoalProgress:
        """Drive to a goal; to one on the map again, until it is there as seen from there.

        The frame of the map moves against odom while the robot drives. Raises ``RobotError``.
        """
        place, position, yaw = self._place, *tolerances
        known = position, math.pi if is_heading_ignored else yaw
        end = await drive(await place.in_odom(goal, self._frames, *known))
        for _ in range(_CORRECTIONS * place.is_map(goal.header.frame_id)):
            await place.settle(*known)
            there = await place.in_odom(goal, self._frames, *known)
            here = self._robot.localization.drive_center
            end = GoalProgress.to(there, here, is_heading_ignored=is_heading_ignored)
            if end.distance_remaining <= position and abs(end.angle_remaining) <= yaw:
                break
            end = await drive(there)
        if place.is_map(goal.header.frame_id) and not place.is_within(*known):
            raise RobotError(
                Reason.NOT_SEEN,
                f"the robot is at the goal within {1000 * place.state.position_deviation:.0f} mm "
                "only: put up more tags there, or give a larger position_tolerance",
            )
        return end

    async def _go_avoiding(
        self, request: GoToPose.Goal, there: Pose2D, on_progress: Callable[[GoalProgress], None]
    ) -> GoalProgress:
        """Let the manipulation node plan, and drive by ``follow_path``. Raises ``RobotError``."""
        robot, is_any = self._robot, request.is_heading_ignored
        if not self._avoiding.is_there:
            raise Refused(
                Reason.UNSUPPORTED,
                "the manipulation node drives around obstacles: start it (manipulation:=true)",
            )
        # What drives ends now, not once there is a plan.
        with robot.motion.claim_wheels("go_to_pose") as claim:
            await robot.paths.settle(claim)

        def progress() -> GoalProgress:
            here = robot.localization.drive_center
            return GoalProgress.to(there, here, is_heading_ignored=is_any)

        disconnect = robot.on_state.connect(lambda _: on_progress(progress()))
        request.pose = self._pose_message(there)
        try:
            await self._avoiding.do(
                **{name: getattr(request, name) for name in request.get_fields_and_field_types()}
            )
        except RobotError as error:
            if error.reason is Reason.LINK_LOST:
                # A node that has gone no longer ends what it began.
                robot.motion.wheels.abort(error.reason, str(error))
            raise
        finally:
            disconnect()
        end = progress()
        on_progress(end)
        return end

    async def _follow(self, goal: Goal) -> str:
        request = goal.request
        if bool(request.path.poses) == bool(request.segments):
            raise ValueError("give either the poses of path or segments, not both and not neither")

        def on_progress(progress: PathProgress) -> None:
            goal.result.segments_completed = int(progress.segments_completed)
            goal.result.distance_traveled = float(progress.distance_traveled)
            pose = self._pose_message(progress.pose)
            goal.publish(filled(FollowPath.Feedback, progress, pose=pose))

        follow = self._follow_poses if request.path.poses else self._follow_segments
        end = await follow(request, on_progress)
        return f"the robot drove {end.distance_traveled:.3f} m"

    async def _follow_poses(
        self, request: FollowPath.Goal, on_progress: Callable[[PathProgress], None]
    ) -> PathProgress:
        style = PathStyle(
            or_default("speed", request.speed, 0.0),
            or_default("angular_speed", request.angular_speed, PATH_TURN_SPEED),
            request.is_reverse,
        )
        waypoints(request.path, None)  # Bad values are refused before anything waits.
        frame = await self._frames.pose_of(path_header(request.path))
        passed = waypoints(request.path, frame)
        return await self._robot.paths.follow_poses(passed, style, on_progress=on_progress)

    async def _follow_segments(
        self, request: FollowPath.Goal, on_progress: Callable[[PathProgress], None]
    ) -> PathProgress:
        track = segments(request.segments, request.speed, request.angular_speed)
        frame = await self._frames.pose_of(request.header)
        if frame is not None:
            seen_from = plane_frame(frame)
            track = [segment.transformed(seen_from) for segment in track]
        return await self._robot.paths.follow(track, on_progress=on_progress)


class JointActionsPart:
    """Moves head and lift, and succeeds when they rest at the goal or a little beside it."""

    def __init__(self, context: Context) -> None:
        self._robot = context.robot
        ActionBridge(context, MoveHead, "move_head", self._move_head, self._add_angle)
        ActionBridge(context, MoveLift, "move_lift", self._move_lift, self._add_height)

    async def _move_head(self, goal: Goal) -> str:
        move, target = self._robot.joints.move_head, goal.request.angle
        angle = await _move(move, goal, target, MoveHead.Feedback, "angle")
        return f"the head is at {angle:.3f} rad, {target - angle:+.3f} rad from the goal"

    async def _move_lift(self, goal: Goal) -> str:
        move, target = self._robot.joints.move_lift, goal.request.height
        height = await _move(move, goal, target, MoveLift.Feedback, "height")
        return f"the lift is at {height:.4f} m, {target - height:+.4f} m from the goal"

    def _add_angle(self, result: MoveHead.Result) -> None:
        if self._robot.state is not None:
            result.angle = float(self._robot.state.head_angle)

    def _add_height(self, result: MoveLift.Result) -> None:
        if self._robot.state is not None:
            result.height = float(self._robot.state.lift_height)


async def _move(
    move: Callable[..., Coroutine[Any, Any, float]],
    goal: Goal,
    target: float,
    feedback: type,
    quantity: str,
) -> float:
    request = goal.request

    def on_progress(progress: JointProgress) -> None:
        position, remaining = float(progress.position), float(progress.remaining)
        goal.publish(feedback(**{quantity: position, f"{quantity}_remaining": remaining}))

    return await move(
        target,
        **_given(request, speed=JOINT_SPEED, acceleration=JOINT_ACCELERATION),
        duration=request.duration,
        on_progress=on_progress,
    )


def _given(request: Any, **defaults: float) -> dict[str, float]:
    """Return fields of a request; a 0 stands for the default. Raises ``ValueError``."""
    return {
        name: or_default(name, getattr(request, name), value) for name, value in defaults.items()
    }
