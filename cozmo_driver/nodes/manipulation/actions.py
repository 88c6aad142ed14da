"""The actions of the hands: one goal at a time, of whichever action."""

from __future__ import annotations

import math
from collections.abc import Callable, Coroutine
from typing import Any

from cozmo_interfaces.action import DockCharger, GoToObject

from ...link import with_timeout
from ...manipulation.approach import DISTANCE, go_to_object
from ...manipulation.charger import dock_charger
from ...manipulation.charger_memory import ChargerMemory
from ...robot import Reason, RobotError
from ..action_bridge import ActionBridge, Goal
from ..context import NodeContext
from ..conversions.geometry import or_default, stamped_pose_message
from .ros_body import RosBody

_DOCK_TIMEOUT = 120.0
_Work = Callable[[Goal], Coroutine[Any, Any, str]]


class Actions:
    """``dock_charger`` and ``go_to_object``. Who drives by ``cmd_vel`` ends them."""

    def __init__(self, context: NodeContext, body: RosBody, memory: ChargerMemory) -> None:
        self._context, self._body, self._memory = context, body, memory
        self._current: Goal | None = None
        for kind, name, work, finish in (
            (DockCharger, "dock_charger", self._dock, lambda _: None),
            (GoToObject, "go_to_object", self._go, self._add_pose),
        ):
            ActionBridge(context, kind, name, self._alone(work), finish)

    def update(self) -> None:
        """Give way to who drives by hand."""
        if self._body.is_driven_by_hand and self._current is not None:
            self._current.end(Reason.SUPERSEDED, "cmd_vel took over the wheels")

    def _alone(self, work: _Work) -> _Work:
        """Return work that ends the goal before it, of whichever action."""

        async def run(goal: Goal) -> str:
            older, self._current = self._current, goal
            if older is not None:
                older.end(Reason.SUPERSEDED, "a newer goal of the hands took over")
            try:
                return await work(goal)
            finally:
                if self._current is goal:
                    self._current = None

        return run

    def _reporter(self, goal: Goal, kind: Any) -> Callable[[str, int], None]:
        def on_phase(phase: str, attempt: int) -> None:
            goal.result.attempts = attempt
            goal.publish(kind.Feedback(phase=phase, attempt=attempt))

        return on_phase

    async def _dock(self, goal: Goal) -> str:
        timeout = or_default("timeout", goal.request.timeout, _DOCK_TIMEOUT)
        docking = dock_charger(
            self._body,
            self._memory,
            self._reporter(goal, DockCharger),
            is_search_forbidden=goal.request.is_search_forbidden,
        )
        try:
            goal.result.attempts = await with_timeout(timeout, docking)
        except TimeoutError:
            text = f"the robot was not on its charger after {timeout:g} s"
            raise RobotError(Reason.TIMEOUT, text) from None
        return "the robot stands on its charger"

    async def _go(self, goal: Goal) -> str:
        name, distance = goal.request.object, goal.request.distance
        if not math.isfinite(distance):
            raise ValueError(f"the distance must be finite, not {distance}")
        goal.result.attempts = await go_to_object(
            self._body, name, distance or DISTANCE, self._reporter(goal, GoToObject)
        )
        return f"the robot stands before {name}"

    def _add_pose(self, result: GoToObject.Result) -> None:
        stamp = self._context.stamp_now()
        result.pose = stamped_pose_message(self._body.situation.pose, stamp, self._body.odom_frame)
