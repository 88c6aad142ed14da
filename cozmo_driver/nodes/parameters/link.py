"""How to reach the robot, and what its frames are called."""

from __future__ import annotations

import ipaddress
import re

from ..parameter_set import ParameterSpec as P


def _is_address(value: str) -> str:
    try:
        ipaddress.IPv4Address(value)
    except ValueError:
        return f"'{value}' is not an IPv4 address; a robot is at 172.31.1.1"
    return ""


def _is_frame(value: str) -> str:
    if not value:
        return "a frame needs a name"
    if value.startswith("/") or re.search(r"\s", value):
        return f"'{value}' starts with a slash or holds a space, which tf2 does not take"
    return ""


def _is_prefix(value: str) -> str:
    return _is_frame(value) if value else ""


LINK = (
    P(
        "robot_address",
        "172.31.1.1",
        "IPv4 address of the robot",
        fixed=True,
        check=_is_address,
        rule="an IPv4 address",
    ),
    P("robot_port", 5551, "UDP port of the robot", low=1, high=65535, fixed=True),
    P(
        "network_interface",
        "",
        "network adapter that all traffic to the robot is bound to, e.g. wlan1; empty: by route",
        fixed=True,
    ),
    P("auto_connect", True, "connect when the node starts", fixed=True),
    P(
        "reconnect_initial_delay",
        0.5,
        "wait before the second attempt to connect",
        "s",
        low=0.05,
        high=60.0,
        fixed=True,
    ),
    P(
        "reconnect_factor",
        2.0,
        "each further wait is this many times the one before",
        low=1.0,
        high=10.0,
        fixed=True,
    ),
    P(
        "reconnect_max_delay",
        0.5,
        "longest wait between two attempts",
        "s",
        low=0.05,
        high=600.0,
        fixed=True,
        rule="at least reconnect_initial_delay",
    ),
)


FRAMES = (
    P("odom_frame", "odom", "frame of the odometry", fixed=True, check=_is_frame),
    P("base_frame", "base_footprint", "frame of the robot", fixed=True, check=_is_frame),
    P("imu_frame", "imu_link", "frame of imu/data_raw", fixed=True, check=_is_frame),
    P(
        "camera_frame",
        "camera_optical_frame",
        "frame of the pictures",
        fixed=True,
        check=_is_frame,
    ),
    P(
        "frame_prefix",
        "",
        "put before every frame name, e.g. cozmo1/, for several robots in one tree",
        fixed=True,
        check=_is_prefix,
    ),
    P("publish_tf", True, "broadcast odom_frame -> base_frame"),
)
