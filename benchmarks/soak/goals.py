"""Goals that follow each other without end, and what became of each."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rclpy.action import ActionClient
from rclpy.node import Node

_PAUSE = 0.2
"""s before the next goal when one was not reached."""
_POLL = 0.05


@dataclass(frozen=True, slots=True)
class Outcome:
    """One goal from its sending to its result, times in s of the monotonic clock."""

    action: str
    reason: int
    message: str
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Goal:
    """What is asked of one action."""

    action: str
    kind: Any
    request: Any


class GoalLoop:
    """Sends one goal after the other; every method in the executor's thread."""

    def __init__(
        self,
        node: Node,
        goals: Sequence[Goal],
        take: Callable[[Outcome], None],
        may_send: Callable[[], bool] = lambda: True,
    ) -> None:
        """Send ``goals`` in turn for ever while ``may_send`` says so."""
        self._take, self._may_send = take, may_send
        kinds = {goal.action: goal.kind for goal in goals}
        self._clients = {name: ActionClient(node, kind, name) for name, kind in kinds.items()}
        self._goals = itertools.cycle(goals)
        self._goal: Goal | None = None
        self._start = self._rest_until = 0.0
        self._is_ending = False
        self._timer = node.create_timer(_POLL, self._poll)

    @property
    def pending(self) -> str:
        """The action whose result has not come yet."""
        return self._goal.action if self._goal else ""

    def end(self) -> None:
        """Send no more goals."""
        self._is_ending = True

    def _poll(self) -> None:
        now = time.monotonic()
        if self._goal or self._is_ending or now < self._rest_until or not self._may_send():
            return
        if not all(client.server_is_ready() for client in self._clients.values()):
            return
        self._goal, self._start = next(self._goals), now
        sent = self._clients[self._goal.action].send_goal_async(self._goal.request)
        sent.add_done_callback(self._sent)

    def _sent(self, future: Any) -> None:
        future.result().get_result_async().add_done_callback(self._done)

    def _done(self, future: Any) -> None:
        result, now = future.result().result, time.monotonic()
        assert self._goal is not None
        self._take(Outcome(self._goal.action, int(result.reason), result.message, self._start, now))
        self._goal = None
        self._rest_until = now if result.success else now + _PAUSE
