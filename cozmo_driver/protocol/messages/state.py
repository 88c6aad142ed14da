"""Periodic state."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from ..enums import AnimTrackFlag, RobotStatusFlag
from ..registry import ROBOT_TO_ENGINE, message
from ..structs import AccelData, GyroData, RobotPose
from ..wire import F32, I8, I32, U8, U16, U32, About, Array


@message(0xF0, ROBOT_TO_ENGINE, confidence="H", reliable=False)
class RobotState(NamedTuple):
    """Sensor and pose state every 30 ms of robot time."""

    timestamp: Annotated[U32, About("robot clock", unit="ms")]
    pose_frame_id: U32
    pose_origin_id: U32
    pose: RobotPose
    lwheel_speed_mmps: Annotated[F32, About(unit="mm/s")]
    rwheel_speed_mmps: Annotated[F32, About(unit="mm/s")]
    head_angle: Annotated[F32, About(unit="rad")]
    lift_angle: Annotated[F32, About("height_mm = 45 + 66*sin(liftAngle)", unit="rad")]
    accel: AccelData
    gyro: GyroData
    battery_voltage: Annotated[F32, About(unit="V")]
    status: Annotated[U32, RobotStatusFlag]
    cliff_data_raw: Annotated[
        tuple[int, ...], Array("H", 4), About("only [0] is populated on Cozmo [H]")
    ]
    backpack_touch_sensor_raw: U16
    curr_path_segment: Annotated[I8, About("-1 = none")]


@message(0xF1, ROBOT_TO_ENGINE, confidence="H", reliable=False)
class AnimationState(NamedTuple):
    """Animation playback counters every 30 ms once InitController was sent."""

    timestamp: Annotated[U32, About("WiFi processor clock, not the robot clock", unit="us")]
    num_anim_bytes_played: Annotated[I32, About("bytes (tag+payload) consumed", unit="B")]
    num_audio_frames_played: Annotated[I32, About("audio/silence frames + End keyframes consumed")]
    enabled_anim_tracks: Annotated[U8, AnimTrackFlag, About("0xFF normally")]
    tag: Annotated[U8, About("current animation, 0 = none")]
    client_drop_count: Annotated[U8, About("messages the robot could not queue")]
