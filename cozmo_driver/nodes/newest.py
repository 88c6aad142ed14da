"""The newest message of a topic, taken when it is wanted.

An executor would wake up for every message. Of a topic with 33 messages in a second that costs more
than all that is done with the few that matter.
"""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy

from .rclpy_compat import take_message

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


class Newest(Generic[_Message]):
    """Subscribes to a topic; the middleware keeps its newest message until it is taken."""

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
        message: _Message | None = take_message(self._subscription)
        return message

    def close(self) -> None:
        """Leave the topic."""
        self._node.destroy_subscription(self._subscription)
