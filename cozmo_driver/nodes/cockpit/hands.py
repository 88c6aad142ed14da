"""The hands as a page knows them: what they can do, and how far they are."""

from __future__ import annotations

import time
from typing import Any, Final

from rclpy.node import Node

from ..rclpy_compat import LatestMessage, action_feedback
from .tables import HANDS

FEED: Final = "hands"
_PERIOD = 1.0
"""s between two looks at who is on the graph."""


class HandsFeed:
    """The feed ``hands``: actions that are offered, and the latest feedback; in the loop."""

    def __init__(self, node: Node, prefix: str) -> None:
        self._node, self._prefix = node, prefix
        self._feedback: dict[str, LatestMessage[Any]] = {}
        self._looked_at = 0.0
        self._value: dict[str, Any] = {}

    def start(self) -> None:
        self._value = {"actions": [], "action": "", "phase": "", "attempt": 0}
        self._looked_at = 0.0
        for name, kind in HANDS.items():
            topic = f"{self._prefix}/{name}/_action/feedback"
            self._feedback[name] = LatestMessage(self._node, action_feedback(kind), topic)

    def stop(self) -> None:
        while self._feedback:
            self._feedback.popitem()[1].close()

    def poll(self) -> dict[str, Any]:
        now = time.monotonic()
        if now - self._looked_at >= _PERIOD:
            self._looked_at = now
            self._value["actions"] = [name for name in HANDS if self._is_offered(name)]
        for name, latest in self._feedback.items():
            if (message := latest.take()) is not None:
                found = message.feedback
                self._value |= {"action": name, "phase": found.phase, "attempt": found.attempt}
        return dict(self._value)

    def _is_offered(self, action: str) -> bool:
        return self._node.count_publishers(f"{self._prefix}/{action}/_action/status") > 0
