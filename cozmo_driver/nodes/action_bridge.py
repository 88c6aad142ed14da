"""ROS actions as coroutines in the loop's thread."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle

from ..robot import Reason
from .context import NodeContext
from .jobs import Job, Jobs
from .reasons import explain, refuse

_log = logging.getLogger(__name__)

_QUIET = (Reason.CANCELED, Reason.SUPERSEDED, Reason.SHUTDOWN)
_RESULT_KEPT = 30
"""How long a client may ask for a result after the end of its goal, s; each one takes memory, and
some of Jazzy's rclpy keep them for 15 min."""


@dataclass(frozen=True, slots=True)
class Goal:
    """A goal while it is worked on: ``result`` is filled on the way, ``publish`` takes feedback."""

    request: Any
    result: Any
    publish: Callable[[Any], None]


class ActionBridge:
    """One action: a goal is a coroutine ``run(goal)`` that returns a sentence on its success.

    Errors of the layers below (reasons.py) abort the goal with ``reason`` and ``message``.
    Cancelling the goal cancels the coroutine. There is one goal at a time: a newer one ends the
    older with ``SUPERSEDED`` unless it is refused at once. ``finish`` is called with every result.
    ``uncancellable`` says, in the robot's thread, why a goal cannot be cancelled now, if so.
    """

    def __init__(
        self,
        context: NodeContext,
        jobs: Jobs,
        action: Any,
        name: str,
        run: Callable[[Goal], Coroutine[Any, Any, str]],
        finish: Callable[[Any], None] = lambda _: None,
        uncancellable: Callable[[], str] = lambda: "",
    ) -> None:
        """Offer the action."""
        self._context, self._jobs = context, jobs
        self._action, self._name = action, name
        self._run, self._finish, self._uncancellable = run, finish, uncancellable
        self._logger = context.node.get_logger()
        self._by_goal: dict[bytes, Job] = {}
        self._current: Job | None = None
        self._server = ActionServer(
            context.node,
            action,
            name,
            self._execute,
            goal_callback=lambda _: GoalResponse.ACCEPT,
            handle_accepted_callback=self._accept,
            cancel_callback=self._cancel,
            result_timeout=_RESULT_KEPT,
        )

    # -- in the executor's thread

    def _accept(self, handle: ServerGoalHandle) -> None:
        self._by_goal[bytes(handle.goal_id.uuid)] = Job()
        handle.execute()

    def _cancel(self, handle: ServerGoalHandle) -> CancelResponse:
        job = self._by_goal.get(bytes(handle.goal_id.uuid))
        if job is None:
            return CancelResponse.REJECT
        refusal = self._context.in_loop(self._end, job)
        if refusal:
            self._logger.warning(f"{self._name} cannot be cancelled: {refusal}")
            return CancelResponse.REJECT
        return CancelResponse.ACCEPT

    async def _execute(self, handle: ServerGoalHandle) -> Any:
        key = bytes(handle.goal_id.uuid)
        goal = Goal(handle.request, self._action.Result(), handle.publish_feedback)
        try:
            job = self._by_goal[key]
            goal.result.message = await self._jobs.result_of(self._work(goal, job), job)
        except Exception as error:
            try:
                reason, text = explain(error)
            except Exception:
                # rclpy aborts the goal, and says less.
                _log.exception("%s failed", self._name)
                raise
            refuse(goal.result, error)
            # A ROS logger ties the severity to the line that calls it.
            if reason in _QUIET:
                self._logger.info(f"{self._name}: {text}")
            else:
                self._logger.warning(f"{self._name}: {text}")
            if reason is Reason.CANCELED and handle.is_cancel_requested:
                handle.canceled()
            else:
                handle.abort()
        else:
            goal.result.success, goal.result.reason = True, int(Reason.NONE)
            handle.succeed()
        finally:
            del self._by_goal[key]
        return goal.result

    # -- in the robot's thread

    def _end(self, job: Job) -> str:
        refusal = self._uncancellable()
        if not refusal:
            job.end(Reason.CANCELED, f"{self._name} was cancelled")
        return refusal

    async def _work(self, goal: Goal, job: Job) -> str:
        # When this is called the goal has either failed or taken what it needs.
        asyncio.get_running_loop().call_soon(self._take_over, job)
        try:
            return await self._run(goal)
        finally:
            self._finish(goal.result)

    def _take_over(self, job: Job) -> None:
        if job.is_done:
            return
        older, self._current = self._current, job
        if older is not None:
            older.end(Reason.SUPERSEDED, f"a newer goal of {self._name} took over")
