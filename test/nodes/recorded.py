"""Messages of a robot and its camera as a recording has them: only their stamps count."""

from __future__ import annotations

import math
from array import array
from typing import Any

from builtin_interfaces.msg import Time
from nav_msgs.msg import Odometry
from sensor_msgs.msg import CameraInfo, JointState
from std_msgs.msg import Header

from cozmo_driver.robot import JOINTS, Pose2D
from cozmo_driver.ros.geometry import pose_message
from cozmo_interfaces.msg import RobotStatus

from .graph import Graph

CAMERA = "camera_optical_frame"
MATRIX = [294.716, 0.0, 143.163, 0.0, 294.899, 117.454, 0.0, 0.0, 1.0]


def header(now: float, frame: str) -> Header:
    nanoseconds = round(now * 1e9)
    stamp = Time(sec=nanoseconds // 10**9, nanosec=nanoseconds % 10**9)
    return Header(stamp=stamp, frame_id=frame)


def calibration() -> CameraInfo:
    size = {"width": 320, "height": 240}
    return CameraInfo(k=MATRIX, d=[0.0] * 5, distortion_model="plumb_bob", **size)


def publish_moment(
    graph: Graph, now: float, base: Pose2D, head: float, info: CameraInfo, topic: str, image: Any
) -> None:
    """Publish the state, calibration and image of a resting robot whose head is at an angle."""
    odometry = Odometry(header=header(now, "odom"), child_frame_id="base_footprint")
    odometry.pose.pose = pose_message(base)
    joints = JointState(
        header=header(now, ""),
        name=list(JOINTS),
        position=array("d", [head, -0.198, *([0.0] * 6)]),
        velocity=array("d", [0.0] * 8),
    )
    info.header = header(now, CAMERA)
    for name, message in (
        ("status", RobotStatus(header=header(now, ""), pitch=math.nan)),
        ("odom", odometry),
        ("joint_states", joints),
        ("camera/camera_info", info),
        (topic, image),
    ):
        graph.publisher(type(message), name).publish(message)
