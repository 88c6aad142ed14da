"""The actions ``move_head`` and ``move_lift``."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from cozmo_interfaces.action import MoveHead, MoveLift

from ...robot import JointProgress
from ...robot.geometry import lift_height
from ...robot.motion.joints import DEFAULT_ACCELERATION, DEFAULT_SPEED
from ..action_bridge import ActionBridge, Goal
from ..context import Context
from ..conversions.geometry import or_default
from ..jobs import Jobs


class JointActionsPart:
    """Moves head and lift, and succeeds when the robot says that they are there."""

    def __init__(self, context: Context, jobs: Jobs) -> None:
        """Offer the actions."""
        self._robot = context.robot
        self._bridges = [
            ActionBridge(context, jobs, MoveHead, "move_head", self._move_head, self._end_head),
            ActionBridge(context, jobs, MoveLift, "move_lift", self._move_lift, self._end_lift),
        ]

    async def _move_head(self, goal: Goal) -> str:
        def report(progress: JointProgress) -> None:
            goal.publish(
                MoveHead.Feedback(
                    angle=float(progress.position), angle_remaining=float(progress.remaining)
                )
            )

        angle = await _move(self._robot.joints.move_head, goal.request.angle, goal.request, report)
        return f"the head is at {angle:.3f} rad"

    async def _move_lift(self, goal: Goal) -> str:
        def report(progress: JointProgress) -> None:
            goal.publish(
                MoveLift.Feedback(
                    height=float(progress.position), height_remaining=float(progress.remaining)
                )
            )

        height = await _move(
            self._robot.joints.move_lift, goal.request.height, goal.request, report
        )
        return f"the lift is at {height:.3f} m"

    def _end_head(self, result: MoveHead.Result) -> None:
        if self._robot.state is not None:
            result.angle = float(self._robot.state.head_angle)

    def _end_lift(self, result: MoveLift.Result) -> None:
        if self._robot.state is not None:
            result.height = float(lift_height(self._robot.state.lift_angle))


async def _move(
    move: Callable[..., Coroutine[Any, Any, float]],
    target: float,
    request: Any,
    report: Callable[[JointProgress], None],
) -> float:
    return await move(
        target,
        speed=or_default("speed", request.speed, DEFAULT_SPEED),
        acceleration=or_default("acceleration", request.acceleration, DEFAULT_ACCELERATION),
        duration=request.duration,
        on_progress=report,
    )
