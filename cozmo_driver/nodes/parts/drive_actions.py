"""The actions ``drive_distance``, ``turn_in_place`` and ``undock``."""

from __future__ import annotations

from cozmo_interfaces.action import DriveDistance, TurnInPlace, Undock

from ...protocol.enums import RobotStatusFlag
from ...robot import AngleProgress, DistanceProgress
from ...robot.paths import turns
from ...robot.paths.maneuvers import DEFAULT_UNDOCK_EXTRA, DEFAULT_UNDOCK_SPEED
from ...robot.paths.segments import DEFAULT_ACCELERATION
from ..action_bridge import ActionBridge, Goal
from ..context import Context
from ..conversions.geometry import or_default
from ..jobs import Jobs
from ..robot_pose import RobotPose


class DriveActionsPart:
    """Drives straight, turns in place, leaves the charger."""

    def __init__(self, context: Context, jobs: Jobs) -> None:
        """Offer the actions."""
        self._robot = context.robot
        end = RobotPose(context).put_into
        self._bridges = [
            ActionBridge(context, jobs, DriveDistance, "drive_distance", self._drive, end),
            ActionBridge(context, jobs, TurnInPlace, "turn_in_place", self._turn, end),
            ActionBridge(context, jobs, Undock, "undock", self._undock, end),
        ]

    async def _drive(self, goal: Goal) -> str:
        request = goal.request

        def report(progress: DistanceProgress) -> None:
            goal.result.distance_traveled = float(progress.traveled)
            goal.publish(
                DriveDistance.Feedback(
                    distance_traveled=float(progress.traveled),
                    distance_remaining=float(progress.remaining),
                )
            )

        driven = await self._robot.maneuvers.drive_distance(
            request.distance,
            speed=or_default("speed", request.speed, 0.0),
            acceleration=or_default("acceleration", request.acceleration, DEFAULT_ACCELERATION),
            on_progress=report,
        )
        goal.result.distance_traveled = float(driven)
        return f"the robot drove {driven:.3f} m"

    async def _turn(self, goal: Goal) -> str:
        request = goal.request

        def report(progress: AngleProgress) -> None:
            goal.result.angle_turned = float(progress.turned)
            goal.publish(
                TurnInPlace.Feedback(
                    angle_turned=float(progress.turned), angle_remaining=float(progress.remaining)
                )
            )

        turned = await self._robot.turns.turn(
            request.angle,
            is_absolute=request.is_absolute,
            speed=or_default("angular_speed", request.angular_speed, turns.DEFAULT_SPEED),
            acceleration=or_default(
                "angular_acceleration", request.angular_acceleration, turns.DEFAULT_ACCELERATION
            ),
            tolerance=or_default(
                "angle_tolerance", request.angle_tolerance, turns.DEFAULT_TOLERANCE
            ),
            on_progress=report,
        )
        goal.result.angle_turned = float(turned)
        return f"the robot turned by {turned:.3f} rad"

    async def _undock(self, goal: Goal) -> str:
        request = goal.request

        def report(progress: DistanceProgress) -> None:
            goal.result.distance_traveled = float(progress.traveled)
            state = self._robot.state
            goal.publish(
                Undock.Feedback(
                    distance_traveled=float(progress.traveled),
                    distance_remaining=float(progress.remaining),
                    is_on_charger=state is not None and state.has(RobotStatusFlag.IS_ON_CHARGER),
                )
            )

        driven = await self._robot.maneuvers.undock(
            extra_distance=or_default(
                "extra_distance", request.extra_distance, DEFAULT_UNDOCK_EXTRA
            ),
            speed=or_default("speed", request.speed, DEFAULT_UNDOCK_SPEED),
            force=request.force,
            on_progress=report,
        )
        goal.result.distance_traveled = float(driven)
        return f"the robot drove {driven:.3f} m and is off the charger"
