"""Every parameter of the driver node; ``config/cozmo.yaml`` explains them to users."""

from __future__ import annotations

import ipaddress
import re

from ..robot.geometry import EFFECTIVE_TRACK_WIDTH, MAX_WHEEL_SPEED, MAX_YAW_RATE, TRACK_WIDTH
from .camera_calibration import CalibrationError, load
from .parameter_set import ParameterSpec as P

_LARGE = 1e3
"""Variance of what is not measured, m^2 or rad^2."""
_POSE_VARIANCES = (1e-4, 1e-4, _LARGE, _LARGE, _LARGE, 1e-3)
_TWIST_VARIANCES = (1e-4, 1e-4, _LARGE, _LARGE, _LARGE, 1e-4)
_SIX = "six numbers: x, y, z, roll, pitch, yaw"
_THREE = "three numbers: x, y, z"


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


def _is_calibration(value: str) -> str:
    try:
        if value:
            load(value)
    except CalibrationError as error:
        return str(error)
    return ""


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

MOTION = (
    P("cmd_vel_timeout", 0.5, "stop when no cmd_vel came for this time", "s", low=0.05, high=10.0),
    P(
        "enable_stamped_cmd_vel",
        False,
        "cmd_vel is a TwistStamped instead of a Twist",
        fixed=True,
    ),
    P(
        "max_wheel_speed",
        MAX_WHEEL_SPEED,
        "fastest a tread may run; the curve is kept",
        "m/s",
        low=0.01,
        high=MAX_WHEEL_SPEED,
    ),
    P(
        "max_angular_velocity",
        MAX_YAW_RATE,
        "fastest turn; the curve is kept",
        "rad/s",
        low=0.05,
        high=MAX_YAW_RATE,
    ),
    P(
        "max_wheel_acceleration",
        0.0,
        "acceleration of the treads; 0: as fast as the robot can",
        "m/s^2",
        low=0.0,
        high=10.0,
    ),
    P(
        "wheel_separation",
        TRACK_WIDTH,
        "distance of the tread centres",
        "m",
        low=0.02,
        high=0.2,
        fixed=True,
    ),
    P(
        "wheel_separation_effective",
        EFFECTIVE_TRACK_WIDTH,
        "distance that turns are computed with, because treads slip in turns",
        "m",
        low=0.02,
        high=0.2,
    ),
    P("yaw_rate_trim", True, "correct turns driven by cmd_vel by what the gyroscope measures"),
    P(
        "backup_limit",
        0.0,
        "how far cmd_vel may reverse before it drives forward again; 0: any distance",
        "m",
        low=0.0,
        high=1000.0,
    ),
    P("stop_on_cliff", True, "the robot stops by itself at an edge"),
    P(
        "cliff_threshold",
        0,
        "reflectance below which there is no ground; 0: adapted to the floor",
        low=0,
        high=800,
        fixed=True,
    ),
)

ODOMETRY = (
    P(
        "pose_covariance_diagonal",
        _POSE_VARIANCES,
        "variances of the pose in odom",
        "m^2, rad^2",
        low=0.0,
        rule=_SIX,
    ),
    P(
        "twist_covariance_diagonal",
        _TWIST_VARIANCES,
        "variances of the velocity in odom",
        "m^2/s^2, rad^2/s^2",
        low=0.0,
        rule=_SIX,
    ),
    P(
        "covariance_inflation",
        100.0,
        "factor on both while the robot is off the ground and shortly after",
        low=1.0,
        high=1e6,
    ),
    P(
        "covariance_inflation_time",
        2.0,
        "how long after it is back on the ground",
        "s",
        low=0.0,
        high=60.0,
    ),
    P(
        "angular_velocity_covariance_diagonal",
        (1e-4, 1e-4, 1e-4),
        "variances of the gyroscope in imu/data_raw",
        "rad^2/s^2",
        low=0.0,
        rule=_THREE,
    ),
    P(
        "linear_acceleration_covariance_diagonal",
        (1e-2, 1e-2, 1e-2),
        "variances of the accelerometer in imu/data_raw",
        "m^2/s^4",
        low=0.0,
        rule=_THREE,
    ),
)

CAMERA = (
    P("camera_enabled", True, "stream pictures from the start; see the service enable_camera"),
    P("camera_color", False, "colour pictures, of half the width", fixed=True),
    P("camera_exposure", 16, "exposure time", "ms", low=1, high=66, fixed=True),
    P("camera_gain", 2.0, "amplification of the sensor", low=0.1, high=3.984, fixed=True),
    P(
        "camera_info_url",
        "",
        "calibration file (path, file:// or package:// URL); empty: typical values",
        fixed=True,
        check=_is_calibration,
        rule="a calibration for 320 x 240 pixels",
    ),
)

SOUND = (
    P("volume", 1.0, "loudness of the speaker when the node starts", low=0.0, high=1.0, fixed=True),
)

PARAMETERS: tuple[P, ...] = (*LINK, *FRAMES, *MOTION, *ODOMETRY, *CAMERA, *SOUND)
