"""What rclpy has no public name for, in the one place that a new ROS 2 may break."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from rclpy.callback_groups import CallbackGroup
from rclpy.impl.rcutils_logger import RcutilsLogger as Logger
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy

__all__ = ["LatestMessage", "Logger", "action_services"]

_Message = TypeVar("_Message")
_ONE = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)


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


def action_services(action: Any) -> tuple[Any, Any]:
    """Return the services of an action type that a goal is sent and a result asked for with."""
    return action.Impl.SendGoalService, action.Impl.GetResultService
