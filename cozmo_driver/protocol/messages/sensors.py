"""Periodic state, IMU, cliff, falls, button and camera."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from ..enums import AnimTrackFlag, ImageEncoding, ImageResolution, ImageSendMode, RobotStatusFlag
from ..registry import ENGINE_TO_ROBOT, ROBOT_TO_ENGINE, message
from ..structs import AccelData, GyroData, RobotPose
from ..wire import F32, I8, I16, I32, U8, U16, U32, About, Array, Bool, Octets, VarOctets


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


@message(0x4A, ENGINE_TO_ROBOT, confidence="H")
class IMURequest(NamedTuple):
    """Ask for raw IMU samples (0xC7) for a time."""

    length_ms: Annotated[U32, About(unit="ms")]


@message(0x54, ENGINE_TO_ROBOT, confidence="E")
class SetCliffDetectThreshold(NamedTuple):
    """Raw cliff reading below which a cliff is reported; engine sends 50, later 400."""

    detect_level: U16 = 400


@message(0x60, ENGINE_TO_ROBOT, confidence="E")
class EnableStopOnCliff(NamedTuple):
    """Let the robot stop by itself at a cliff."""

    enable: Bool = True


@message(0x63, ENGINE_TO_ROBOT, confidence="E")
class EnableBraceWhenFalling(NamedTuple):
    """Tuck head and lift when a fall is detected."""

    enable: Bool = True


@message(0xBF, ROBOT_TO_ENGINE, confidence="E")
class IMUDataChunk(NamedTuple):
    """IMU log chunk (not used by current firmware; 0xC7 is)."""

    a_x: Annotated[tuple[float, ...], Array("f", 8)]
    a_y: Annotated[tuple[float, ...], Array("f", 8)]
    a_z: Annotated[tuple[float, ...], Array("f", 8)]
    g_x: Annotated[tuple[float, ...], Array("f", 8)]
    g_y: Annotated[tuple[float, ...], Array("f", 8)]
    g_z: Annotated[tuple[float, ...], Array("f", 8)]
    seq_id: U8
    chunk_id: U8
    total_num_chunks: U8


@message(0xC0, ROBOT_TO_ENGINE, confidence="E")
class CliffEvent(NamedTuple):
    """Cliff detected or cleared."""

    timestamp: Annotated[U32, About(unit="ms")]
    detected_flags: Annotated[U8, About("bits of sensors; 0 = cleared")]
    did_stop_for_cliff: Bool


@message(0xC1, ROBOT_TO_ENGINE, confidence="E")
class PotentialCliff(NamedTuple):
    """Cliff suspected while stop-on-cliff is off."""


@message(0xC3, ROBOT_TO_ENGINE, confidence="E")
class RobotPoked(NamedTuple):
    """Robot was nudged."""


@message(0xC7, ROBOT_TO_ENGINE, confidence="H")
class IMURawDataChunk(NamedTuple):
    """Raw IMU sample."""

    g: Annotated[tuple[int, ...], Array("h", 3), About("gyro x,y,z raw")]
    a: Annotated[tuple[int, ...], Array("h", 3), About("accelerometer x,y,z raw")]
    order: Annotated[U8, About("0 first, 1 middle, 2 last")]
    timestamp: Annotated[U8, About("low byte of ms", unit="ms")]


@message(0xD4, ROBOT_TO_ENGINE, confidence="E")
class RobotStopped(NamedTuple):
    """Robot stopped itself (cliff)."""

    reason: U8


@message(0xDB, ROBOT_TO_ENGINE, confidence="E", pycozmo="ButtonPressed")
class BackpackButton(NamedTuple):
    """Backpack button."""

    pressed: Bool


@message(0xDC, ROBOT_TO_ENGINE, confidence="E")
class IMUTemperature(NamedTuple):
    """Temperature of the IMU."""

    temperature_deg_c: Annotated[F32, About(unit="degC")]


@message(0xDD, ROBOT_TO_ENGINE, confidence="E")
class FallingStarted(NamedTuple):
    """A fall is detected."""

    timestamp: Annotated[U32, About(unit="ms")]


@message(0xDE, ROBOT_TO_ENGINE, confidence="E")
class FallingStopped(NamedTuple):
    """The fall has ended."""

    timestamp: Annotated[U32, About(unit="ms")]
    duration_ms: Annotated[U32, About(unit="ms")]
    impact_intensity: F32


@message(0x0B, ENGINE_TO_ROBOT, confidence="H", pycozmo="SetHeadLight")
class SetHeadlight(NamedTuple):
    """IR head light on/off."""

    enable: Bool


@message(0x4C, ENGINE_TO_ROBOT, confidence="H", pycozmo="EnableCamera")
class ImageRequest(NamedTuple):
    """Camera streaming control."""

    send_mode: Annotated[U8, ImageSendMode] = 1
    resolution: Annotated[I8, ImageResolution, About("always QVGA")] = 4


@message(0x57, ENGINE_TO_ROBOT, confidence="H")
class SetCameraParams(NamedTuple):
    """Set gain and exposure, or ask for the defaults."""

    gain: Annotated[F32, About("0.1..4.0 (robot maximum 3.984)")] = 2.0
    exposure_ms: Annotated[U16, About("1..66", unit="ms")] = 16
    request_default_params: Annotated[Bool, About("1: ignore the rest and answer with 0xC8")] = (
        False
    )


@message(0x5A, ENGINE_TO_ROBOT, confidence="E")
class CameraFOVInfo(NamedTuple):
    """Unsupported by Cozmo firmware (logs a warning) [F]."""

    horizontal_fov: Annotated[F32, About(unit="rad")]
    vertical_fov: Annotated[F32, About(unit="rad")]


@message(0x66, ENGINE_TO_ROBOT, confidence="H")
class EnableColorImages(NamedTuple):
    """Colour (half width) or gray images."""

    enable: Bool = False


@message(0xC8, ROBOT_TO_ENGINE, confidence="H")
class DefaultCameraParams(NamedTuple):
    """Camera limits; answer to 0x57 with requestDefaultParams."""

    max_gain: Annotated[F32, About("3.984 seen")]
    gain: Annotated[F32, About("2.0 seen")]
    min_exposure_ms: Annotated[U16, About("0 seen", unit="ms")]
    max_exposure_ms: Annotated[U16, About("67 seen", unit="ms")]
    gamma_curve: Annotated[bytes, Octets(17), About("sensor gamma points")]


@message(0xF2, ROBOT_TO_ENGINE, confidence="H", reliable=False)
class ImageChunk(NamedTuple):
    """Piece of a camera frame, see 03-camera.md."""

    frame_time_stamp: Annotated[U32, About("0 except in the last chunk", unit="ms")]
    image_id: U32
    chunk_debug: Annotated[I32, About("0")]
    image_encoding: Annotated[U8, ImageEncoding, About("8")]
    resolution: Annotated[I8, ImageResolution, About("4")]
    image_chunk_count: Annotated[U8, About("0 except in the last chunk")]
    chunk_id: U8
    status: Annotated[I16, About("2 seen")]
    data: Annotated[bytes, VarOctets("H"), About("<= 1200 bytes")]


@message(0xF4, ROBOT_TO_ENGINE, confidence="H", reliable=False)
class ImageImuData(NamedTuple):
    """Gyro sample belonging to a camera frame."""

    image_id: U32
    rate_x: Annotated[F32, About(unit="rad/s")]
    rate_y: Annotated[F32, About(unit="rad/s")]
    rate_z: Annotated[F32, About(unit="rad/s")]
    line2_number: Annotated[U8, About("image line/2 at sampling time")]
