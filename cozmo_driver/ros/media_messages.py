"""Images and sound."""

from __future__ import annotations

import math
from array import array

import numpy as np
from builtin_interfaces.msg import Time
from numpy.typing import NDArray
from sensor_msgs.msg import CameraInfo, CompressedImage
from sensor_msgs.msg import Image as ImageMessage

from cozmo_interfaces.msg import Audio

from ..media import DISPLAY_HEIGHT, DISPLAY_WIDTH, PAIRS, Gray, Samples, check_rate
from ..robot import CameraCalibration, Image
from .camera_calibration import check_size
from .geometry import header

_COEFFICIENTS = {"plumb_bob": 5, "rational_polynomial": 8, "equidistant": 4}
"""Distortion models of the ROS camera tools and the numbers each has."""
_CHANNELS = {"mono8": 1, "rgb8": 3, "bgr8": 3}


def compressed_message(image: Image, stamp: Time, frame: str) -> CompressedImage:
    """Return the robot's own JPEG, not encoded again; the format is image_transport's."""
    encoding, inside = ("rgb8", "bgr8") if image.is_color else ("mono8", "mono8")
    return CompressedImage(
        header=header(stamp, frame),
        format=f"{encoding}; jpeg compressed {inside}",
        data=array("B", image.jpeg),
    )


def image_message(pixels: NDArray[np.uint8], stamp: Time, frame: str) -> ImageMessage:
    """Return a picture of shape (height, width) as mono8 or (height, width, 3) as rgb8."""
    height, width = pixels.shape[:2]
    channels = 1 if pixels.ndim == 2 else pixels.shape[2]
    return ImageMessage(
        header=header(stamp, frame),
        height=height,
        width=width,
        encoding="mono8" if channels == 1 else "rgb8",
        is_bigendian=0,
        step=width * channels,
        data=array("B", pixels.tobytes()),
    )


def camera_info(calibration: CameraCalibration) -> CameraInfo:
    """Return the robot's own calibration, for gray pictures."""
    fx, fy, cx, cy = calibration.fx, calibration.fy, calibration.cx, calibration.cy
    return CameraInfo(
        width=calibration.width,
        height=calibration.height,
        distortion_model="plumb_bob",
        d=list(calibration.distortion),
        k=[fx, 0.0, cx, 0.0, fy, cy, 0.0, 0.0, 1.0],
        r=[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        p=[fx, 0.0, cx, 0.0, 0.0, fy, cy, 0.0, 0.0, 0.0, 1.0, 0.0],
        binning_x=1,
        binning_y=1,
    )


def checked_camera_info(info: CameraInfo) -> CameraInfo:
    """Return the calibration in a message and nothing else of it. Raises ``ValueError``."""
    check_size(info.width, info.height)
    needed = _COEFFICIENTS.get(info.distortion_model)
    if needed is None:
        known = ", ".join(_COEFFICIENTS)
        raise ValueError(f"the distortion model '{info.distortion_model}' is none of {known}")
    if len(info.d) != needed:
        raise ValueError(f"{info.distortion_model} has {needed} coefficients, not {len(info.d)}")
    if not all(map(math.isfinite, (*info.k, *info.r, *info.p, *info.d))):
        raise ValueError("it holds what is not a number")
    for name, matrix, columns in (("k", info.k, 3), ("p", info.p, 4)):
        if matrix[0] <= 0.0 or matrix[columns + 1] <= 0.0:
            raise ValueError(f"the focal lengths in {name} must be positive: calibrate first")
    kept = ("width", "height", "distortion_model", "d", "k", "r", "p")
    return CameraInfo(**{name: getattr(info, name) for name in kept}, binning_x=1, binning_y=1)


def pixels_of(message: ImageMessage) -> NDArray[np.uint8]:
    """Return the pixels of an image of one byte per channel, which share its memory.

    Of shape (height, width) for mono8, (height, width, 3) for rgb8 and bgr8. Raises ``ValueError``
    for another encoding, and for data that does not fit the size.
    """
    channels = _CHANNELS.get(message.encoding)
    if channels is None:
        raise ValueError(f"its encoding is '{message.encoding}'; it must be mono8, rgb8 or bgr8")
    height, step, row = int(message.height), int(message.step), int(message.width) * channels
    if step < row:
        raise ValueError(f"its step is {step}; a row of {message.width} pixels needs {row}")
    if len(message.data) != step * height:
        raise ValueError(
            f"it has {len(message.data)} bytes of data; "
            f"{height} rows with a step of {step} are {step * height}"
        )
    rows = np.frombuffer(message.data, np.uint8).reshape(height, step)[:, :row]
    return rows if channels == 1 else rows.reshape(height, -1, channels)


def picture_of(message: ImageMessage) -> Gray:
    """Return the 64 or 32 rows of 128 pixels of a mono8 image for the face; they share its memory.

    Raises ``ValueError`` for another encoding or size, and for data that does not fit them.
    """
    if message.encoding != "mono8":
        raise ValueError(f"its encoding is '{message.encoding}'; it must be mono8")
    if message.width != DISPLAY_WIDTH or message.height not in (DISPLAY_HEIGHT, PAIRS):
        raise ValueError(
            f"it has {message.width}x{message.height} pixels; "
            f"it must have {DISPLAY_WIDTH}x{DISPLAY_HEIGHT} or {DISPLAY_WIDTH}x{PAIRS}"
        )
    return pixels_of(message)


def samples_of(message: Audio, longest: float) -> Samples:
    """Return the samples of a piece, which share its memory.

    Raises ``ValueError`` for a rate that is not accepted, for a piece longer than ``longest`` s and
    for an empty one, unless it ends the stream.
    """
    samples: Samples = np.frombuffer(message.samples, dtype=np.int16)
    rate = int(message.sample_rate)
    if not len(samples):
        if message.is_last:
            return samples
        raise ValueError("the piece holds no samples")
    check_rate(rate)
    length = len(samples) / rate
    if length > longest:
        raise ValueError(
            f"a piece of {length:.1f} s is longer than audio_capacity, {longest:g} s: "
            "publish shorter pieces, or play a file with play_audio"
        )
    return samples
