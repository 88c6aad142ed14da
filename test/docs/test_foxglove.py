"""The layout for Foxglove names topics and fields that there are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest
import yaml

from .commands import ROOT

LAYOUT = json.loads((ROOT / "config" / "foxglove" / "cozmo.json").read_text(encoding="utf-8"))
QOS = ROOT / "config" / "rosbag_qos.yaml"
PANELS: dict[str, Any] = LAYOUT["configById"]
TYPES = {
    "Image!camera": {"sensor_msgs/CompressedImage", "sensor_msgs/CameraInfo"},
    "Image!face": {"sensor_msgs/Image"},
    "DiagnosticSummary!diagnostics": {"diagnostic_msgs/DiagnosticArray"},
    "Teleop!drive": {"geometry_msgs/Twist"},
    "3D!scene": {"nav_msgs/Odometry", "sensor_msgs/PointCloud2", "std_msgs/String"},
}
"""What panels accept of which nothing but the type of the topic can be wrong."""
_ROW = re.compile(r"^\| `(/?)([^`]+)` \| (\w+/\w+) \|", re.MULTILINE)
_TOPIC_KEYS = ("imageTopic", "calibrationTopic", "topic", "topicPath", "topicToRender", "value")


def offered() -> dict[str, str]:
    """Return the type of every topic of a robot without a namespace."""
    page = (ROOT / "docs" / "interface.md").read_text(encoding="utf-8")
    found = {f"/{name}": kind for _, name, kind in _ROW.findall(page)}
    return {**found, "/robot_description": "std_msgs/String"}


def paths_in(value: Any) -> Iterator[str]:
    """Yield the topics and message paths in a panel's settings."""
    if isinstance(value, list):
        for one in value:
            yield from paths_in(one)
    elif isinstance(value, dict):
        yield from value.get("topics", {})
        for key, one in value.items():
            if key in _TOPIC_KEYS and isinstance(one, str):
                yield one
            else:
                yield from paths_in(one)


def panels_in(layout: Any) -> list[str]:
    if isinstance(layout, str):
        return [layout]
    assert layout["direction"] in ("row", "column")
    return [*panels_in(layout["first"]), *panels_in(layout["second"])]


def test_every_panel_has_its_place_and_its_settings() -> None:
    assert sorted(panels_in(LAYOUT["layout"])) == sorted(PANELS)


@pytest.mark.parametrize("panel", PANELS)
def test_every_topic_and_field_of_a_panel_exists(panel: str) -> None:
    topics = offered()
    paths = list(paths_in(PANELS[panel]))
    assert paths
    for path in paths:
        topic, *fields = path.split(".")
        kind = topics[topic]
        for field in fields:
            package, name = kind.split("/")
            of = getattr(pytest.importorskip(f"{package}.msg"), name)
            kind = of.get_fields_and_field_types()[field]
    if panel in TYPES:
        assert {topics[path] for path in paths} == TYPES[panel]


def test_the_robots_frames_are_the_drivers() -> None:
    parameters = yaml.safe_load((ROOT / "config" / "cozmo.yaml").read_text(encoding="utf-8"))
    (node,) = parameters.values()
    frame = node["ros__parameters"]["odom_frame"]
    scene = PANELS["3D!scene"]
    assert (scene["followTf"], scene["layers"]["grid"]["frameId"]) == (frame, frame)


def test_the_profiles_for_bags_are_those_of_ros() -> None:
    profiles = yaml.safe_load(QOS.read_text(encoding="utf-8"))
    qos = import_module("rclpy.qos") if pytest.importorskip("rclpy") else None
    assert set(profiles) == {"/robot_description", "/tf_static"}
    for profile in profiles.values():
        assert profile["durability"] in qos.DurabilityPolicy.short_keys()
        assert profile["reliability"] in qos.ReliabilityPolicy.short_keys()
        assert profile["history"] in qos.HistoryPolicy.short_keys()
