"""How soon the eyes turn to somebody who appears: from the image to the display's next picture.

``python -m benchmarks.attention``: vision and face node as processes of their own take images of a
resting robot, in which a person appears again and again, and begin to look there.
"""

from __future__ import annotations

import math
import os
import random
import statistics
import sys
import time
from array import array
from collections.abc import Callable
from contextlib import ExitStack
from io import BytesIO
from typing import Any

from builtin_interfaces.msg import Time
from nav_msgs.msg import Odometry
from PIL import Image as Picture
from sensor_msgs.msg import CameraInfo, CompressedImage, Image, JointState
from std_msgs.msg import Header

from cozmo_driver.emulator import Pose2D
from cozmo_driver.emulator.world import World, find_world
from cozmo_driver.emulator.world.eye import Eye, Shutter
from cozmo_driver.emulator.world.layout_file import layout_of
from cozmo_driver.emulator.world.optics import Stance
from cozmo_driver.emulator.world.world import Occupant
from cozmo_driver.robot import JOINTS
from cozmo_interfaces.msg import FaceArray, RobotStatus

from . import DOMAIN
from .node_cpu import ros_program
from .soak.run import running_node

_PERIOD = 1 / 15
_ALONE, _TOGETHER = (12.0, 14.0), 2.0
"""s until somebody appears, and for which they stay: the eyes have forgotten them by then."""
_TIMES, _WANTED = 20, 0.25
_HEAD = 0.25
_MATRIX = [294.716, 0.0, 143.163, 0.0, 294.899, 117.454, 0.0, 0.0, 1.0]
_PERSON = {"file": "person.png", "x": 0.6, "y": 0.12, "z": 0.05, "width": 0.21}


def _image(people: list[dict[str, Any]]) -> bytes:
    """Return what the robot sees, as PNG."""
    floor = [{"rectangle": [-1, -1, 2, 1], "pattern": "wood"}]
    content = {"name": "attention", "floor": floor, "pictures": people}
    world = World(layout_of(content, str(find_world("visit"))), ideal=True)
    eye = Eye(world, Occupant(Pose2D, lambda: True), lambda _: Stance(Pose2D(), _HEAD))
    buffer = BytesIO()
    Picture.fromarray(eye.gray(Shutter())).save(buffer, "PNG")
    return buffer.getvalue()


class _Robot:
    """Publishes what a resting robot's driver does."""

    def __init__(self, node: Any) -> None:
        self.faces_at = self.eyes_at = math.inf
        """When somebody was first seen, and the first picture of the eyes came."""
        make: Callable[..., Any] = node.create_publisher
        self._status = make(RobotStatus, "status", 10)
        self._joints = make(JointState, "joint_states", 10)
        self._odometry = make(Odometry, "odom", 10)
        self._info = make(CameraInfo, "camera/camera_info", 10)
        self._camera = make(CompressedImage, "camera/image_raw/compressed", 10)
        node.create_subscription(FaceArray, "faces", self._on_faces, 10)
        node.create_subscription(Image, "face/image", self._on_eyes, 10)

    def _on_faces(self, message: FaceArray) -> None:
        if message.faces:
            self.faces_at = min(self.faces_at, time.monotonic())

    def _on_eyes(self, _: Image) -> None:
        self.eyes_at = min(self.eyes_at, time.monotonic())

    def show(self, png: bytes, seconds: float) -> float:
        """Publish images of it for some s; return when the first one went, s."""
        begun = due = time.monotonic()
        while due < begun + seconds:
            time.sleep(max(0.0, due - time.monotonic()))
            now = time.time_ns()
            stamp = Time(sec=now // 10**9, nanosec=now % 10**9)
            header = Header(stamp=stamp, frame_id="camera_optical_frame")
            self._status.publish(RobotStatus(header=header, pitch=math.nan))
            angles = array("d", [_HEAD, -0.198, *([0.0] * (len(JOINTS) - 2))])
            self._joints.publish(JointState(header=header, name=list(JOINTS), position=angles))
            odom = Header(stamp=stamp, frame_id="odom")
            self._odometry.publish(Odometry(header=odom, child_frame_id="base_footprint"))
            size = {"width": 320, "height": 240, "distortion_model": "plumb_bob"}
            self._info.publish(CameraInfo(header=header, k=_MATRIX, d=[0.0] * 5, **size))
            data = array("B", png)
            self._camera.publish(CompressedImage(header=header, format="png", data=data))
            due += _PERIOD
        return begun


def measure(times: int, seed: int = 1) -> list[tuple[float, float]]:
    """Return how long after the first image the face is known, and the eyes turn, s."""
    empty, person = _image([]), _image([_PERSON])
    rng, found = random.Random(seed), []
    with ExitStack() as stack:
        robot = stack.enter_context(running_node("", "attention", _Robot))
        modes = {"modes": "markers,faces,motion", "settling_time": 0.0}
        stack.enter_context(ros_program("vision_node", **modes))
        # Nothing else moves the eyes.
        still = dict.fromkeys(("blinks", "saccades", "glances"), False)
        stack.enter_context(ros_program("face_node", **still))
        while math.isinf(robot.faces_at):
            robot.show(person, 1.0)
        for _ in range(times):
            robot.show(empty, rng.uniform(*_ALONE))
            robot.faces_at = robot.eyes_at = math.inf
            begun = robot.show(person, _TOGETHER)
            found.append((robot.faces_at - begun, robot.eyes_at - begun))
    return found


def main() -> int:
    os.environ["ROS_DOMAIN_ID"] = DOMAIN
    found = measure(_TIMES)
    for name, values in zip(("face known", "eyes turn"), zip(*found, strict=True), strict=True):
        middle, worst = statistics.median(values), max(values)
        print(f"{name}: median {1e3 * middle:.0f} ms, worst {1e3 * worst:.0f} ms of {len(values)}")
    return int(max(eyes for _, eyes in found) > _WANTED)


if __name__ == "__main__":
    sys.exit(main())
