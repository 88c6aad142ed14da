"""Feeds that are more than a topic's newest message: histories, manipulation, the connection."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from diagnostic_msgs.msg import DiagnosticArray
from rcl_interfaces.msg import Log, ParameterEvent
from rclpy.node import Node
from rclpy.parameter import parameter_value_to_python
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState

from cozmo_interfaces.msg import ConnectionState, RobotEvent

from ..ros.geometry import seconds
from ..ros.rclpy_compat import LatestMessage, action_feedback
from ..ros.topics import COMMAND, LATCHED
from .ros_tables import MANIPULATION, NODES, connection
from .ros_values import diagnostics

KEPT = 200
_MOST_TEXT = 2000
_RELIABLE = QoSProfile(depth=KEPT, reliability=ReliabilityPolicy.RELIABLE)
_ROSOUT = QoSProfile(
    depth=KEPT,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)


class HistoryFeed(NamedTuple):
    """``values`` makes JSON objects of a message; the robot's namespace tells its own."""

    kind: type
    topic: str
    values: Callable[[Any, str], list[dict[str, Any]]]
    qos: QoSProfile = _RELIABLE


def log_lines(message: Log, namespace: str) -> list[dict[str, Any]]:
    """Return the line of one of the robot's nodes; loggers have dots where names have slashes."""
    prefix = namespace.strip("/").replace("/", ".")
    if prefix and not message.name.startswith(f"{prefix}."):
        return []
    return [
        {
            "time": round(seconds(message.stamp), 3),
            "level": message.level,
            "name": message.name[len(prefix) :].lstrip("."),
            "text": message.msg[:_MOST_TEXT],
        }
    ]


def _events(message: Any, _: str) -> list[dict[str, Any]]:
    return [
        {"time": round(seconds(message.header.stamp), 3), "text": message.description[:_MOST_TEXT]}
    ]


def changed_parameters(message: ParameterEvent, namespace: str) -> list[dict[str, Any]]:
    node = message.node.removeprefix(f"{namespace}/")
    if node not in NODES:
        return []
    return [
        {"node": node, "name": one.name, "value": parameter_value_to_python(one.value)}
        for one in (*message.new_parameters, *message.changed_parameters)
    ]


PARAMETERS_FEED: Final = "parameter_changes"
HISTORIES: Mapping[str, HistoryFeed] = {
    "log": HistoryFeed(Log, "/rosout", log_lines, _ROSOUT),
    "events": HistoryFeed(RobotEvent, "events", _events),
    PARAMETERS_FEED: HistoryFeed(ParameterEvent, "/parameter_events", changed_parameters),
}


class History:
    """Subscribed to all the time: the middleware keeps what nobody polls, and wakes nobody."""

    def __init__(self, node: Node, feed: HistoryFeed, namespace: str) -> None:
        """``namespace`` is that of the robot: with a slash before it, or empty."""
        self._feed, self._namespace = feed, namespace
        topic = feed.topic if feed.topic.startswith("/") else f"{namespace}/{feed.topic}"
        self._messages = LatestMessage[Any](node, feed.kind, topic, feed.qos)
        self._values: deque[dict[str, Any]] = deque(maxlen=KEPT)
        # A page takes for new what has a larger number, also of a cockpit that was started again.
        self._number = time.time_ns() // 10**6
        self._is_new = True

    def start(self) -> None:
        """Let the next ``poll`` return everything."""
        self._is_new = True

    def stop(self) -> None:
        """Go on collecting: what happens meanwhile is shown later."""

    def poll(self) -> list[dict[str, Any]] | None:
        """Return the newest values, numbered by ``id``; None where nothing has come."""
        for _ in range(KEPT):
            message = self._messages.take()
            if message is None:
                break
            for value in self._feed.values(message, self._namespace):
                self._add(value)
        if not self._is_new:
            return None
        self._is_new = False
        return list(self._values)

    def _add(self, value: dict[str, Any]) -> None:
        self._number += 1
        self._values.append({"id": self._number, **value})
        self._is_new = True


_PERIOD = 1.0
"""s between two looks at who is on the graph."""


class ParameterHistory(History):
    """Changes of parameters; one without a name says that its node was started.

    What a node declares then is sent before anybody has found it.
    """

    def __init__(self, node: Node, feed: HistoryFeed, namespace: str) -> None:
        super().__init__(node, feed, namespace)
        self._node = node
        self._known: frozenset[tuple[str, bytes]] | None = None
        """Nodes, and what tells one from the one before."""
        self._looked_at = 0.0

    def poll(self) -> list[dict[str, Any]] | None:
        now = time.monotonic()
        if now - self._looked_at >= _PERIOD:
            self._looked_at = now
            self._poll_graph()
        return super().poll()

    def _poll_graph(self) -> None:
        found = frozenset(
            (one.node_name, bytes(one.endpoint_gid))
            for one in self._node.get_publishers_info_by_topic(self._feed.topic)
            if one.node_namespace == (self._namespace or "/") and one.node_name in NODES
        )
        known, self._known = found if self._known is None else self._known, found
        for name, _ in found - known:
            kept = [value for value in self._values if value["node"] != name]
            self._values.clear()
            self._values.extend(kept)
            self._add({"node": name, "name": "", "value": None})


HEALTH_FEED: Final = "diagnostics"
_HEALTH_DEPTH = 10
"""Messages between two polls: each node sends one a second."""


class HealthFeed:
    """The feed ``diagnostics``: the newest of all statuses each time, as a page may miss some."""

    def __init__(self, node: Node, namespace: str) -> None:
        self._node, self._namespace = node, namespace
        self._messages: LatestMessage[Any] | None = None
        self._statuses: dict[tuple[str, str], dict[str, Any]] = {}

    def start(self) -> None:
        self._statuses.clear()
        qos = QoSProfile(depth=_HEALTH_DEPTH)
        self._messages = LatestMessage[Any](self._node, DiagnosticArray, "/diagnostics", qos)

    def stop(self) -> None:
        if self._messages is not None:
            self._messages.close()
        self._messages = None

    def poll(self) -> list[dict[str, Any]] | None:
        is_new = False
        while self._messages is not None and (message := self._messages.take()) is not None:
            for status in diagnostics(message, self._namespace):
                self._statuses[status["node"], status["name"]] = status
                is_new = True
        return list(self._statuses.values()) if is_new else None


MANIPULATION_FEED: Final = "manipulation"


class ManipulationFeed:
    """The feed ``manipulation``: actions that are offered, and the latest feedback; in the loop."""

    def __init__(self, node: Node, prefix: str) -> None:
        self._node, self._prefix = node, prefix
        self._feedback: dict[str, LatestMessage[Any]] = {}
        self._looked_at = 0.0
        self._value: dict[str, Any] = {}

    def start(self) -> None:
        self._value = {"actions": [], "action": "", "phase": "", "attempt": 0}
        self._looked_at = 0.0
        for name, kind in MANIPULATION.items():
            topic = f"{self._prefix}/{name}/_action/feedback"
            self._feedback[name] = LatestMessage(self._node, action_feedback(kind), topic)

    def stop(self) -> None:
        while self._feedback:
            self._feedback.popitem()[1].close()

    def poll(self) -> dict[str, Any]:
        now = time.monotonic()
        if now - self._looked_at >= _PERIOD:
            self._looked_at = now
            self._value["actions"] = [name for name in MANIPULATION if self._is_offered(name)]
        for name, latest in self._feedback.items():
            if (message := latest.take()) is not None:
                found = message.feedback
                self._value |= {"action": name, "phase": found.phase, "attempt": found.attempt}
        return dict(self._value)

    def _is_offered(self, action: str) -> bool:
        return bool(self._node.count_publishers(f"{self._prefix}/{action}/_action/status") > 0)


CONNECTION_FEED: Final = "connection"
_SILENCE = 1.5
"""s without a state of the robot, which sends 33 a second; the driver waits longer for it."""
_SILENT: Final = {
    "is_connected": False,
    "text": "robot not heard",
    "message": "Nothing comes from the robot: is it on and near, and does its driver run?",
}
_ABSENT: Final = {
    "is_connected": False,
    "text": "driver not heard",
    "is_wanted": None,
    "message": "Nothing comes from the driver: start it with make run, or in the launch file.",
}
"""What a page shows before it hears anything, too."""


class ConnectionFeed:
    """The feed ``connection``: what the driver says, unless the robot's states fail to come.

    A driver that has ended says nothing: the page may show what it said before the feed rested.
    """

    def __init__(self, node: Node, prefix: str) -> None:
        self._node, self._prefix = node, prefix
        self._topics: tuple[LatestMessage[Any], LatestMessage[Any]] | None = None
        self._value: dict[str, Any] | None = None
        self._heard_at = 0.0

    def start(self) -> None:
        self._value = None
        self._heard_at = time.monotonic()
        self._topics = (
            LatestMessage(self._node, ConnectionState, f"{self._prefix}/connection_state", LATCHED),
            LatestMessage(self._node, JointState, f"{self._prefix}/joint_states", COMMAND),
        )

    def stop(self) -> None:
        for topic in self._topics or ():
            topic.close()
        self._topics = None

    def poll(self) -> dict[str, Any] | None:
        if self._topics is None:
            return None
        driver, joints = (topic.take() for topic in self._topics)
        now = time.monotonic()
        if driver is not None:
            self._value = connection(driver)
        if driver is not None or joints is not None:
            self._heard_at = now
        if now - self._heard_at > _SILENCE:
            if self._value is None:
                return _ABSENT
            if self._value["is_connected"]:
                return self._value | _SILENT
        return self._value
