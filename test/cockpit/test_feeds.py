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
from cozmo_driver.cockpit.ros_feeds import HISTORIES, PARAMETERS_FEED, ParameterHistory
from cozmo_driver.cockpit.ros_values import diagnostics


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
