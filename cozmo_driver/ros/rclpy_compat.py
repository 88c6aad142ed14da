"""What rclpy has no public name for, in the one place that a new ROS 2 may break."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from rclpy.callback_groups import CallbackGroup
from rclpy.event_handler import EventHandler
from rclpy.impl.rcutils_logger import RcutilsLogger as Logger
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy

from ..link import LoopThread

__all__ = ["DeferredEvents", "LatestMessage", "Logger", "action_feedback", "action_services"]

_Message = TypeVar("_Message")
_ONE = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)


_PERIOD, _WINDOW = 1.0, 0.1
"""s between two times at which events are waited for, and how long each time."""


class _NeverExecuted(CallbackGroup):
    """Keeps a subscription away from the executor."""

    def can_execute(self, entity: Any) -> bool:
        return False

    def beginning_execution(self, entity: Any) -> bool:
        return False

    def ending_execution(self, entity: Any) -> None:
        return


class LatestMessage(Generic[_Message]):
    """Subscribes to a topic; the middleware keeps its newest message until it is taken.

    An executor would wake up for every message. Of a topic with 33 messages in a second that costs
    more than all that is done with the few that matter.
    """

    def __init__(
        self, node: Node, kind: type[_Message], topic: str, qos: QoSProfile = _ONE
    ) -> None:
        """Subscribe; with a deeper ``qos`` the messages are taken one by one, the oldest first."""
        self._node = node
        self._subscription = node.create_subscription(
            kind, topic, lambda _: None, qos, callback_group=_NeverExecuted()
        )

    def take(self) -> _Message | None:
        """Return the newest message, unless it was taken before."""
        subscription = self._subscription
        with subscription.handle:
            taken = subscription.handle.take_message(subscription.msg_type, subscription.raw)
        return None if taken is None else taken[0]

    def close(self) -> None:
        self._node.destroy_subscription(self._subscription)


class DeferredEvents(CallbackGroup):
    """Leaves what reports incompatible QoS and types out of most rounds of a busy executor.

    Two such events belong to every publisher and subscription, and take most of a round: commands
    wait for that. They are in one round a second at least, and in that of an executor that rests.
    """

    def __init__(self, node: Node, thread: LoopThread, wake: Callable[[], object]) -> None:
        """Defer those of what the node has by now; ``wake`` begins a round of its executor."""
        super().__init__()
        self._thread, self._wake = thread, wake
        self._open_until = -math.inf
        self._is_opening = False
        for waitable in node.waitables:
            # Whoever waits for an event of a subscription is woken by its messages too.
            is_executed = not isinstance(waitable.callback_group, _NeverExecuted)
            if isinstance(waitable, EventHandler) and is_executed:
                waitable.callback_group = self

    def can_execute(self, entity: Any) -> bool:
        if time.monotonic() < self._open_until:
            return True
        if not self._is_opening:
            self._is_opening = True
            self._thread.post(self._thread.loop.call_later, _PERIOD, self._open)
        return False

    def beginning_execution(self, entity: Any) -> bool:
        return True

    def ending_execution(self, entity: Any) -> None:
        return

    def _open(self) -> None:
        self._open_until = time.monotonic() + _WINDOW
        self._is_opening = False
        self._wake()


def action_feedback(action: Any) -> Any:
    """Return the type of the messages on ``ACTION/_action/feedback``."""
    return action.Impl.FeedbackMessage


def action_services(action: Any) -> tuple[Any, Any]:
    """Return the services of an action type that a goal is sent and a result asked for with."""
    return action.Impl.SendGoalService, action.Impl.GetResultService
