"""Camera and head light."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from ..enums import ImageEncoding, ImageResolution, ImageSendMode
from ..registry import ENGINE_TO_ROBOT, ROBOT_TO_ENGINE, message
from ..wire import F32, I8, I16, I32, U8, U16, U32, About, Bool, Octets, VarOctets


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
