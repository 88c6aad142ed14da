"""Pictures and the camera's calibration."""

from __future__ import annotations

import math
from array import array

import numpy as np
from builtin_interfaces.msg import Time
from numpy.typing import NDArray
from sensor_msgs.msg import CameraInfo, CompressedImage
from sensor_msgs.msg import Image as ImageMessage

from ...robot import CameraCalibration, Image
from ..camera_calibration import check_size
from .headers import header

_COEFFICIENTS = {"plumb_bob": 5, "rational_polynomial": 8, "equidistant": 4}
"""Distortion models of the ROS camera tools and the numbers each has."""


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
    return CameraInfo(
        width=info.width,
        height=info.height,
        distortion_model=info.distortion_model,
        d=info.d,
        k=info.k,
        r=info.r,
        p=info.p,
        binning_x=1,
        binning_y=1,
    )
