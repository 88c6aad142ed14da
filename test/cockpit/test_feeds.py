"""Feeds of topics that all robots share: what belongs to one of them, and what is new."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("rclpy", reason="no ROS 2 here")

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rcl_interfaces.msg import ParameterEvent
from rclpy.parameter import Parameter

from cozmo_driver.cockpit import ros_feeds
from cozmo_driver.cockpit.ros_feeds import (
    HISTORIES,
    PARAMETERS_FEED,
    ConnectionFeed,
    ParameterHistory,
)
from cozmo_driver.cockpit.ros_values import diagnostics
from cozmo_interfaces.msg import ConnectionState

from ..nodes.graph import LATCHED, running_graph, wait_until


@pytest.mark.parametrize(
    ("namespace", "nodes"),
    [
        ("", ["cozmo_driver"]),
        ("/one", ["one/cozmo_driver", "one/nav/planner"]),
        ("/on", []),
        ("/two", ["two/cozmo_driver"]),
    ],
)
def test_a_robot_has_its_own_health_and_no_other_one(namespace: str, nodes: list[str]) -> None:
    names = ("cozmo_driver", "one/cozmo_driver", "/one/nav/planner", "two/cozmo_driver")
    message = DiagnosticArray(status=[DiagnosticStatus(name=f"{name}: link") for name in names])
    message.header.stamp.sec = 7
    found = diagnostics(message, namespace)
    assert [one["node"].strip("/") for one in found] == nodes
    assert {(one["name"], one["stamp"]) for one in found} <= {("link", 7.0)}


class Paper:
    """A node, and its subscription to changes of parameters."""

    def __init__(self) -> None:
        self.ids: list[int] = []
        """Of publishers of the robot's driver."""
        self.messages: list[ParameterEvent] = []

    def get_publishers_info_by_topic(self, _: str) -> list[Any]:
        names = {"node_name": "cozmo_driver", "node_namespace": "/one"}
        return [SimpleNamespace(endpoint_gid=[one], **names) for one in self.ids]

    def take(self) -> ParameterEvent | None:
        return self.messages.pop(0) if self.messages else None


def event(**changes: dict[str, float]) -> ParameterEvent:
    parameters = {
        f"{kind}_parameters": [Parameter(name, value=value).to_parameter_msg()]
        for kind, named in changes.items()
        for name, value in named.items()
    }
    return ParameterEvent(node="/one/cozmo_driver", **parameters)


def test_a_node_that_is_started_again_has_other_parameters(monkeypatch: pytest.MonkeyPatch) -> None:
    paper = Paper()
    monkeypatch.setattr(ros_feeds, "LatestMessage", {Any: lambda *_: paper})
    monkeypatch.setattr(ros_feeds, "_PERIOD", 0.0)
    history = ParameterHistory(paper, HISTORIES[PARAMETERS_FEED], "/one")  # type: ignore[arg-type]

    def polled() -> list[tuple[str, Any]] | None:
        found = history.poll()
        return None if found is None else [(one["name"], one["value"]) for one in found]

    paper.ids = [1]
    paper.messages = [event(changed={"speed": 0.1})]
    assert polled() == [("speed", 0.1)]
    assert polled() is None
    paper.ids = [2]
    paper.messages = [event(new={"speed": 0.2})]
    assert polled() == [("", None), ("speed", 0.2)]
    assert polled() is None


def test_a_driver_that_ended_while_nobody_looked_is_not_heard() -> None:
    with running_graph() as graph:
        feed = ConnectionFeed(graph.node, graph.namespace)

        def is_said(text: str) -> bool:
            return (feed.poll() or {}).get("text") == text

        def start_driver() -> Any:
            driver = graph.node.create_publisher(ConnectionState, "connection_state", LATCHED)
            driver.publish(ConnectionState(state=ConnectionState.CONNECTED))
            return driver

        driver = start_driver()
        graph.in_executor(feed.start)
        # Until it is found, a page shows what it knows.
        assert feed.poll() is None or is_said("connected")
        wait_until(lambda: is_said("connected"), "it is not found")
        graph.in_executor(feed.stop)
        graph.node.destroy_publisher(driver)
        graph.in_executor(feed.start)
        wait_until(lambda: is_said("driver not heard"), "it is still believed to be there")
        start_driver()
        wait_until(lambda: is_said("connected"), "the next one is not found")
        graph.in_executor(feed.stop)
