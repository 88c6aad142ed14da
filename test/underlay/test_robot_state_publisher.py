"""The executable, over the middleware."""

from __future__ import annotations

import math
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from . import skip_unless_stand_in

skip_unless_stand_in("robot_state_publisher")

from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.time import Time
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from tf2_ros import Buffer, TransformListener

from ..waiting import TIMEOUT, wait_until
from .graph import spinning_node

LATEST = Time()
EXECUTABLE = "robot_state_publisher"
URDF = """<robot name="arm">
  <link name="base"/><link name="arm"/><link name="hand"/><link name="eye"/>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="arm"/><axis xyz="0 0 1"/><origin xyz="0 0 1"/>
  </joint>
  <joint name="wrist" type="revolute">
    <parent link="arm"/><child link="hand"/><axis xyz="0 0 1"/><origin xyz="1 0 0"/>
    <mimic joint="shoulder" multiplier="-1"/>
  </joint>
  <joint name="socket" type="fixed">
    <parent link="hand"/><child link="eye"/><origin xyz="0.5 0 0"/>
  </joint>
</robot>"""


@contextmanager
def running_publisher(folder: Path, **parameters: str) -> Iterator[subprocess.Popen[str]]:
    """The executable with parameters from a file."""
    lines = [f"    {name}: {value}" for name, value in parameters.items()]
    urdf = "\n".join(f"      {line}" for line in URDF.splitlines())
    lines += [f"    robot_description: |\n{urdf}"]
    file = folder / "parameters.yaml"
    file.write_text("/**:\n  ros__parameters:\n" + "\n".join(lines) + "\n")
    process = subprocess.Popen(
        [EXECUTABLE, "--ros-args", "--params-file", str(file)], stderr=subprocess.PIPE, text=True
    )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=TIMEOUT)
        assert process.returncode == 0, errors
        assert "Traceback" not in errors


def publish_until(node: Node, position: float, done: Buffer, frames: tuple[str, str]) -> None:
    """Send the shoulder's position until a transform between the frames is known."""
    publisher = node.create_publisher(JointState, "joint_states", 10)

    def known() -> bool:
        state = JointState(name=["shoulder"], position=[position])
        state.header.stamp = node.get_clock().now().to_msg()
        publisher.publish(state)
        return done.can_transform(*frames, LATEST)

    wait_until(known, f"the transform between {frames}")


def test_moving_mimicking_and_fixed_joints_become_transforms(tmp_path: Path) -> None:
    with running_publisher(tmp_path), spinning_node("watcher") as node:
        buffer = Buffer()
        TransformListener(buffer, node)
        publish_until(node, math.pi / 2, buffer, ("base", "eye"))

        eye = buffer.lookup_transform("base", "eye", LATEST).transform

    # The arm points to the left, and the hand turns back by as much.
    at = (eye.translation.x, eye.translation.y, eye.translation.z)
    assert at == pytest.approx((0.5, 1.0, 1.0), abs=1e-9)
    assert abs(eye.rotation.w) == pytest.approx(1.0)


def test_frames_take_the_prefix_and_the_description_is_latched(tmp_path: Path) -> None:
    with running_publisher(tmp_path, frame_prefix="one/"), spinning_node("watcher") as node:
        buffer = Buffer()
        TransformListener(buffer, node)
        texts: list[str] = []
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        node.create_subscription(
            String, "robot_description", lambda message: texts.append(message.data), latched
        )

        wait_until(lambda: buffer.can_transform("one/hand", "one/eye", LATEST), "the fixed joint")
        wait_until(lambda: bool(texts), "the description")

    assert texts == [f"{URDF}\n"]


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ((), "robot_description must not be empty"),
        (("robot_description:=<robot",), "no XML"),
        (("robot_description:=<robot/>", "publish_frequency:=0.0"), "at most 1000"),
    ],
)
def test_without_what_it_needs_it_ends_with_the_reason(
    parameters: tuple[str, ...], reason: str
) -> None:
    options = [word for parameter in parameters for word in ("-p", parameter)]
    ended = subprocess.run(
        [EXECUTABLE, "--ros-args", *options], capture_output=True, text=True, timeout=TIMEOUT
    )

    assert ended.returncode == 1
    assert ended.stderr.startswith("robot_state_publisher: ")
    assert reason in ended.stderr
