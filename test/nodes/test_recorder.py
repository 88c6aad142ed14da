"""A recording of a driver on the emulator, read back by the format's own reader."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from cozmo_driver.emulator import running_emulator

rclpy = pytest.importorskip("rclpy", reason="no ROS 2 here")
pytest.importorskip("mcap", reason="the package mcap is not installed")
reading = pytest.importorskip("mcap_ros2.reader", reason="mcap-ros2-support is not installed")

from sensor_msgs.msg import CameraInfo, Image  # noqa: E402
from std_msgs.msg import String  # noqa: E402

from cozmo_driver.ros.recorder import Recorder, definition_of  # noqa: E402

from ..waiting import wait_until  # noqa: E402
from .graph import LATCHED, Graph, running_driver, running_graph  # noqa: E402

PATIENCE = 90.0
"""s: a driver is started first."""


def read(path: Path) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for one in reading.read_ros2_messages(str(path)):
        found.setdefault(one.channel.topic, []).append(one)
    return found


def test_what_the_driver_publishes_is_read_back_with_what_was_latched_before(
    tmp_path: Path,
) -> None:
    path = tmp_path / "drive.mcap"
    with (
        running_emulator(calibration_time=0.0) as emulator,
        running_graph() as graph,
        running_driver(emulator.port, graph.namespace),
    ):
        emulator.wait_for(lambda state: state.connected, timeout=PATIENCE)
        graph.node.create_publisher(String, "robot_description", LATCHED).publish(
            String(data="<robot/>")
        )
        inside = f"{graph.namespace}/"
        recorder = graph.in_executor(
            lambda: Recorder(
                graph.node, path, lambda topic: topic.startswith(inside) and "raw" not in topic
            )
        )
        wanted = {"odom", "joint_states", "battery_state", "robot_info", "robot_description"}

        def has_all() -> bool:
            known = {topic.removeprefix(inside) for topic in recorder.recording.topics}
            return wanted <= known and recorder.recording.messages > 300

        wait_until(has_all, "the topics are not recorded", PATIENCE)
        recording = graph.in_executor(recorder.close)
        with pytest.raises(FileExistsError):
            Recorder(graph.node, path)

    assert (recording.dropped, recording.error) == (0, "")
    assert recording.size == path.stat().st_size
    messages = {topic.removeprefix(inside): every for topic, every in read(path).items()}
    assert sum(map(len, messages.values())) == recording.messages
    assert wanted <= set(messages)
    assert not any("image_raw" in topic for topic in messages)
    odometry = messages["odom"][0].ros_msg
    assert (odometry.header.frame_id, len(odometry.pose.covariance)) == ("odom", 36)
    assert "head_joint" in " ".join(messages["joint_states"][0].ros_msg.name)
    assert messages["battery_state"][0].ros_msg.voltage > 3.0
    # Published before the recording began.
    assert messages["robot_description"][0].ros_msg.data == "<robot/>"
    assert messages["robot_info"][0].ros_msg.firmware_version == 2457
    times = [one.log_time_ns for one in messages["odom"]]
    assert times == sorted(times)


def test_a_full_recording_ends_by_itself_and_stays_readable(tmp_path: Path) -> None:
    path = tmp_path / "full.mcap"
    limit = 600_000
    with running_graph() as graph:
        topic = f"{graph.namespace}/noise"
        recorder = graph.in_executor(
            lambda: Recorder(graph.node, path, lambda name: name == topic, max_size=limit)
        )
        publish_until_full(graph, recorder)
        recording = graph.in_executor(recorder.close)
    assert recording.error == f"{path} has its full size of {limit} bytes"
    assert limit <= recording.size == path.stat().st_size < 2 * limit
    assert [len(one.ros_msg.data) for one in read(path)[topic]] == [100_000] * recording.messages


def publish_until_full(graph: Graph, recorder: Recorder) -> None:
    # Nothing that is compressed to less.
    noise = Random(1).randbytes(100_000)
    publisher = graph.publisher(Image, "noise")

    def is_full() -> bool:
        publisher.publish(Image(data=noise))
        return bool(recorder.recording.error)

    wait_until(is_full, "the recording has no end")


def test_a_definition_has_every_field_and_type_of_a_message() -> None:
    first, *others = definition_of(CameraInfo).split(f"{'=' * 80}\n")
    assert first.splitlines()[:5] == [
        "std_msgs/Header header",
        "uint32 height",
        "uint32 width",
        "string distortion_model",
        "float64[] d",
    ]
    assert "float64[9] k" in first
    assert [text.splitlines()[0] for text in others] == [
        "MSG: std_msgs/Header",
        "MSG: builtin_interfaces/Time",
        "MSG: sensor_msgs/RegionOfInterest",
    ]
