"""ROS actions as coroutines in the loop's thread."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle

from ..media import FRAME_TIME
from ..robot import Reason, SoundProgress
from .context import NodeContext
from .errors import accept, refuse
from .geometry import filled
from .jobs import Job
from .pacing import Throttle

_log = logging.getLogger(__name__)

_QUIET = (Reason.CANCELED, Reason.SUPERSEDED, Reason.SHUTDOWN)
_RESULT_KEPT = 30
"""How long a client may ask for a result after the end of its goal, s; each one takes memory, and
some of Jazzy's rclpy keep them for 15 min."""
_FEEDBACK_PERIOD = 0.1


class Goal(Job):
    """A goal while it is worked on: ``result`` is filled on the way, ``publish`` takes feedback."""

    def __init__(self, handle: ServerGoalHandle, result: Any) -> None:
        super().__init__()
        self.request, self.result = handle.request, result
        self.publish: Callable[[Any], None] = handle.publish_feedback


class ActionBridge:
    """One action: a goal is a coroutine ``run(goal)`` that returns a sentence on its success.

    Errors of the layers below (errors.py) abort the goal with ``reason`` and ``message``.
    Cancelling the goal cancels the coroutine. There is one goal at a time: a newer one ends the
    older with ``SUPERSEDED`` unless it is refused at once. ``finish`` is called with every result.
    ``uncancellable`` says why a goal cannot be cancelled now, if so; it is called in both threads.
    """

    def __init__(
        self,
        context: NodeContext,
        action: Any,
        name: str,
        run: Callable[[Goal], Coroutine[Any, Any, str]],
        finish: Callable[[Any], None] = lambda _: None,
        uncancellable: Callable[[], str] = lambda: "",
    ) -> None:
        self._context = context
        self._action, self._name = action, name
        self._run, self._finish, self._uncancellable = run, finish, uncancellable
        self._goals: dict[bytes, Goal] = {}
        self._current: Goal | None = None
        server = ActionServer(
            context.node,
            action,
            name,
            self._execute,
            goal_callback=lambda _: GoalResponse.ACCEPT,
            handle_accepted_callback=self._on_accepted,
            cancel_callback=self._on_cancel,
            result_timeout=_RESULT_KEPT,
        )
        context.action_servers.append(server)

    # -- in the executor's thread

    def _on_accepted(self, handle: ServerGoalHandle) -> None:
        self._goals[bytes(handle.goal_id.uuid)] = Goal(handle, self._action.Result())
        handle.execute()

    def _on_cancel(self, handle: ServerGoalHandle) -> CancelResponse:
        goal = self._goals.get(bytes(handle.goal_id.uuid))
        if goal is None:
            return CancelResponse.REJECT
        if refusal := self._uncancellable():
            _log.warning("%s cannot be cancelled: %s", self._name, refusal)
            return CancelResponse.REJECT
        self._context.thread.post(self._cancel, goal)
        return CancelResponse.ACCEPT

    async def _execute(self, handle: ServerGoalHandle) -> Any:
        key = bytes(handle.goal_id.uuid)
        goal = self._goals[key]
        try:
            accept(goal.result, await self._context.jobs.result_of(self._work(goal), goal))
        except Exception as error:
            refuse(goal.result, error, self._name)
            reason, text = goal.result.reason, f"{self._name}: {goal.result.message}"
            _log.log(logging.INFO if reason in _QUIET else logging.WARNING, "%s", text)
            if reason == Reason.CANCELED and handle.is_cancel_requested:
                handle.canceled()
            else:
                handle.abort()
        else:
            handle.succeed()
        finally:
            del self._goals[key]
        return goal.result

    # -- in the loop's thread

    def _cancel(self, goal: Goal) -> None:
        # What cannot be cancelled may have begun since the client was answered.
        if not self._uncancellable():
            goal.end(Reason.CANCELED, f"{self._name} was cancelled")

    async def _work(self, goal: Goal) -> str:
        # When this is called the goal has either failed or taken what it needs.
        asyncio.get_running_loop().call_soon(self._supersede, goal)
        try:
            return await self._run(goal)
        finally:
            self._finish(goal.result)

    def _supersede(self, goal: Goal) -> None:
        if goal.is_done:
            return
        older, self._current = self._current, goal
        if older is not None:
            older.end(Reason.SUPERSEDED, f"a newer goal of {self._name} took over")


def throttled(goal: Goal) -> Callable[[Any], None]:
    """Return what publishes progress in s ten times a second of what plays, and at its end."""
    throttle = Throttle(_FEEDBACK_PERIOD - FRAME_TIME / 2)

    def publish(message: Any) -> None:
        is_end = message.position >= message.duration - FRAME_TIME / 2
        if throttle.is_due(message.position, force=is_end):
            goal.publish(message)

    return publish


def sound_feedback(goal: Goal, kind: type) -> Callable[[SoundProgress], None]:
    """Return what publishes the progress of a sound and keeps it in the goal's result."""
    publish = throttled(goal)

    def on_progress(progress: SoundProgress) -> None:
        goal.result.position = progress.position
        publish(filled(kind, progress))

    return on_progress
