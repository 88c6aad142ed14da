"""Every parameter of the driver node; ``config/cozmo.yaml`` explains them to users."""

from __future__ import annotations

import ipaddress
import re
from pathlib import Path

from ..media import SpeechProgram, speech
from ..resources import ResourceError, find_user_tree
from ..robot import (
    EFFECTIVE_TRACK_WIDTH,
    MAX_WHEEL_SPEED,
    MAX_YAW_RATE,
    TRACK_WIDTH,
    TraceTablesError,
    load_trace_tables,
)
from ..ros.camera_calibration import CalibrationError, load
from ..ros.parameter_set import FRAME_PREFIX, checked_by, is_frame, optional
from ..ros.parameter_set import FixedSpec as F
from ..ros.parameter_set import ParameterSpec as P

_UNKNOWN = 1e3
"""Variance of what is not measured, m^2 or rad^2."""
_SIX = "six numbers: x, y, z, roll, pitch, yaw"
_THREE = "three numbers: x, y, z"
_LONGEST_INTERFACE = 15
CONTINUE, HOLD, HOLD_UNTIL_LOCALIZED = AFTER_PICKUP = "continue", "hold", "hold_until_localized"


def _is_address(value: str) -> str:
    try:
        ipaddress.IPv4Address(value)
    except ValueError:
        return f"'{value}' is not an IPv4 address; a robot is at 172.31.1.1"
    return ""


def _is_interface(value: str) -> str:
    if len(value.encode()) > _LONGEST_INTERFACE or re.search(r"[\s/]", value):
        return f"'{value}' is no name of a network adapter; `ip link` lists them"
    return ""


def check_after_pickup(value: str) -> str:
    return "" if value in AFTER_PICKUP else f"'{value}' is none of {', '.join(AFTER_PICKUP)}"


def _is_mood(value: str) -> str:
    return "" if value.strip() else "a mood needs a name, such as Default"


def _is_folder(value: str) -> str:
    path = Path(value).expanduser()
    return f"{path} is not a folder" if path.exists() and not path.is_dir() else ""


# Name, default, text, unit, lowest, highest.
PARAMETERS: tuple[P, ...] = (
    # -- link
    F(
        "robot_address",
        "172.31.1.1",
        "IPv4 address of the robot",
        check=_is_address,
        rule="an IPv4 address",
    ),
    F("robot_port", 5551, "UDP port of the robot", low=1, high=65535),
    F(
        "network_interface",
        "",
        "network adapter that all traffic to the robot is bound to, e.g. wlan1; empty: by route",
        check=_is_interface,
    ),
    F("auto_connect", True, "connect when the node starts"),
    F("reconnect_initial_delay", 0.5, "wait before the second attempt to connect", "s", 0.05, 60.0),
    F(
        "reconnect_factor",
        2.0,
        "each further wait is this many times the one before",
        low=1.0,
        high=10.0,
    ),
    F(
        "reconnect_max_delay",
        0.5,
        "longest wait between two attempts",
        "s",
        0.05,
        600.0,
        rule="at least reconnect_initial_delay",
    ),
    # -- frames
    F("odom_frame", "odom", "frame of the odometry", check=is_frame),
    F("base_frame", "base_footprint", "frame of the robot", check=is_frame),
    F("imu_frame", "imu_link", "frame of imu/data_raw", check=is_frame),
    F("camera_frame", "camera_optical_frame", "frame of the pictures", check=is_frame),
    FRAME_PREFIX,
    P("publish_tf", True, "broadcast odom_frame -> base_frame"),
    # -- motion
    P("cmd_vel_timeout", 0.5, "stop when no cmd_vel came for this time", "s", 0.05, 10.0),
    F("enable_stamped_cmd_vel", False, "cmd_vel is a TwistStamped instead of a Twist"),
    P(
        "max_wheel_speed",
        MAX_WHEEL_SPEED,
        "fastest a tread may run; the curve is kept",
        "m/s",
        0.01,
        MAX_WHEEL_SPEED,
    ),
    P(
        "max_angular_velocity",
        MAX_YAW_RATE,
        "fastest turn; the curve is kept; treads that stick are started by up to 1.7 rad/s",
        "rad/s",
        0.05,
        MAX_YAW_RATE,
    ),
    P(
        "max_wheel_acceleration",
        0.0,
        "acceleration of the treads; 0: as fast as the robot can",
        "m/s^2",
        0.0,
        10.0,
    ),
    F("wheel_separation", TRACK_WIDTH, "distance of the tread centres", "m", 0.02, 0.2),
    P(
        "wheel_separation_effective",
        EFFECTIVE_TRACK_WIDTH,
        "distance that turns are computed with, because treads slip in turns; the usual one gives "
        "way to what was measured or learnt of the robot, with yaw_rate_trim",
        "m",
        0.02,
        0.2,
    ),
    P(
        "regulate_speed",
        True,
        "keep the linear speed of cmd_vel by the distance the robot reports, and start treads "
        "that stick; turns: yaw_rate_trim",
    ),
    P(
        "yaw_rate_trim",
        True,
        "correct turns driven by cmd_vel by what the gyroscope measures, and learn from it how far "
        "apart the treads seem to be",
    ),
    P(
        "backup_limit",
        0.0,
        "how far cmd_vel may reverse before it drives forward again; 0: any distance",
        "m",
        0.0,
        1000.0,
    ),
    P(
        "after_pickup",
        CONTINUE,
        "what a robot that was carried does: continue; hold until set_odometry or release_stop; "
        "hold_until_localized, also until the frame of the odometry is moved in tf",
        check=check_after_pickup,
        rule=", ".join(AFTER_PICKUP),
    ),
    P("stop_on_cliff", True, "the robot stops by itself at an edge"),
    P(
        "stop_on_bump",
        False,
        "stop once when the treads are held, or the robot does not turn as they do; the next "
        "command drives. A wall met head on is not noticed while the treads slip",
    ),
    P(
        "hazard_lifetime",
        60.0,
        "how long hazards holds where the robot met an edge or an obstacle",
        "s",
        1.0,
        86400.0,
    ),
    F(
        "cliff_threshold",
        0,
        "reflectance below which there is no ground; 0: adapted to the floor",
        low=0,
        high=800,
    ),
    # -- odometry and imu
    P(
        "pose_covariance_diagonal",
        (1e-4, 1e-4, _UNKNOWN, _UNKNOWN, _UNKNOWN, 1e-3),
        "least variances of the pose in odom, those of the start and of set_odometry; x, y and yaw "
        "grow by driving, turning, slip and being lifted",
        "m^2, rad^2",
        low=0.0,
        rule=_SIX,
    ),
    P(
        "twist_covariance_diagonal",
        (1e-4, 1e-4, _UNKNOWN, _UNKNOWN, _UNKNOWN, 3e-4),
        "variances of the velocity in odom",
        "m^2/s^2, rad^2/s^2",
        low=0.0,
        rule=_SIX,
    ),
    P(
        "covariance_inflation",
        100.0,
        "factor on the velocity's variances in odom while the robot is off its treads or slips",
        low=1.0,
        high=1e6,
    ),
    P(
        "covariance_inflation_time",
        2.0,
        "in which the factor falls back to 1 afterwards",
        "s",
        0.0,
        60.0,
    ),
    P(
        "angular_velocity_covariance_diagonal",
        (8.1e-7, 8.1e-7, 8.1e-7),
        "variances of the gyroscope in imu/data_raw; as measured on standing robots",
        "rad^2/s^2",
        low=0.0,
        rule=_THREE,
    ),
    P(
        "driving_angular_velocity_covariance_diagonal",
        (1.8e-3, 1.0e-3, 1.1e-3),
        "those while the treads turn; as measured on a robot that drove at 20 to 33 mm/s",
        "rad^2/s^2",
        low=0.0,
        rule=_THREE,
    ),
    P(
        "linear_acceleration_covariance_diagonal",
        (1.44e-4, 1.44e-4, 1.44e-4),
        "variances of the accelerometer in imu/data_raw; as measured on standing robots",
        "m^2/s^4",
        low=0.0,
        rule=_THREE,
    ),
    P(
        "driving_linear_acceleration_covariance_diagonal",
        (0.09, 0.054, 0.0078),
        "those while the treads turn; as measured on a robot that drove at 20 to 33 mm/s",
        "m^2/s^4",
        low=0.0,
        rule=_THREE,
    ),
    # -- camera
    P("camera_enabled", True, "stream pictures from the start; see the service enable_camera"),
    P("camera_color", False, "colour pictures, of half the width"),
    P("camera_auto_exposure", True, "exposure time and gain follow the pictures"),
    P("camera_exposure", 16, "exposure time; where automatic exposure begins", "ms", 1, 66),
    P(
        "camera_gain",
        2.0,
        "amplification of the sensor; where automatic exposure begins",
        low=0.1,
        high=4.0,
    ),
    F(
        "camera_info_url",
        "",
        "calibration file (path, file:// or package:// URL); empty: one saved, measured, or the "
        "robot's own",
        check=optional(checked_by(load, CalibrationError)),
        rule="a calibration for 320 x 240 pixels",
    ),
    # -- sound
    P("volume", 1.0, "loudness of the speaker", low=0.0, high=1.0),
    P(
        "audio_latency",
        0.3,
        "sound of the topic audio that is collected before it is played",
        "s",
        0.17,
        1.0,
    ),
    P(
        "audio_capacity",
        10.0,
        "most sound of the topic audio that waits; of more the oldest is dropped",
        "s",
        1.5,
        60.0,
    ),
    P(
        "audio_end_after",
        0.5,
        "a stream of the topic audio ends when nothing came for this time",
        "s",
        0.1,
        60.0,
    ),
    P(
        "speech_command",
        speech.DEFAULT_COMMAND,
        "program that writes the speech of say as a WAV file",
        check=checked_by(lambda value: SpeechProgram(command=value), ValueError),
        rule="a command with {wav}",
    ),
    P(
        "speech_voice",
        "en",
        "voice or language for texts that name none",
        check=checked_by(lambda value: SpeechProgram(voice=value), ValueError),
        rule="a voice of the speech program",
    ),
    P(
        "speech_pitch",
        1.5,
        "how much higher than the speech program the robot speaks",
        low=speech.SMALLEST,
        high=speech.LARGEST,
    ),
    P("speech_timeout", 20.0, "time that the speech program may take", "s", 1.0, speech.LONGEST),
    # -- animation
    P(
        "resource_dir",
        "",
        "assets of the app: the folder with assets, or one in it; empty: the imported ones",
        check=optional(checked_by(find_user_tree, ResourceError)),
        rule="a folder with animations",
    ),
    P("animation_mood", "Default", "mood by which groups choose their clips", check=_is_mood),
    P("animation_replace", True, "a newer clip takes the place of the one that plays"),
    P(
        "animation_seed",
        0,
        "seed of all that chance decides about clips; 0: another one each time",
        low=0,
        high=999_999,
    ),
    # -- storage, firmware and power
    P("allow_nv_write", False, "nv_write and nv_erase may change the robot's storage"),
    P("allow_firmware_update", False, "update_firmware may write the robot's flash memory"),
    P("allow_power_off", False, "power_off may switch the robot off"),
    F(
        "backup_directory",
        "",
        "folder for the old content of entries that are changed; empty: the user's own",
        check=optional(_is_folder),
        rule="a folder, or a path where one can be made",
    ),
    F(
        "cache_directory",
        "",
        "folder for what was read from a robot and need not be read again; empty: the user's own",
        check=optional(_is_folder),
        rule="a folder, or a path where one can be made",
    ),
    F(
        "recorder",
        True,
        "write the last minute of traffic beside the log when something unexpected ends a session "
        "or a movement",
    ),
    P("log_firmware_traces", False, "put the firmware's own log lines into the node's log"),
    F(
        "trace_tables_file",
        "",
        "file of the app that makes them text, AnkiLogStringTables.json; empty: numbers",
        check=optional(
            checked_by(lambda file: load_trace_tables(Path(file).expanduser()), TraceTablesError)
        ),
        rule="AnkiLogStringTables.json",
    ),
)
