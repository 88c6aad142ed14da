"""Feeds of topics that all robots share: what belongs to one of them."""

from __future__ import annotations

import pytest

pytest.importorskip("rclpy", reason="no ROS 2 here")

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus

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
    found = diagnostics(message, namespace) or []
    assert [one["node"].strip("/") for one in found] == nodes
    assert {(one["name"], one["stamp"]) for one in found} <= {("link", 7.0)}
