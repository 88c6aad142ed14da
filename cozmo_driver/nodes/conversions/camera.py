"""Pictures and the camera's calibration."""

from __future__ import annotations

import math
from array import array

import numpy as np
from builtin_interfaces.msg import Time
from numpy.typing import NDArray
from sensor_msgs.msg import CameraInfo, CompressedImage
from sensor_msgs.msg import Image as ImageMessage

from ...robot import CameraCalibration as RobotCalibration
from ...robot import Image
from ..camera_calibration import CameraCalibration, check_size
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


def camera_info_message(calibration: CameraCalibration, stamp: Time, frame: str) -> CameraInfo:
    """Return the calibration of the gray picture stamped alike."""
    return CameraInfo(
        header=header(stamp, frame),
        width=int(calibration.width),
        height=int(calibration.height),
        distortion_model=calibration.distortion_model,
        d=[float(value) for value in calibration.distortion],
        k=np.array(calibration.camera_matrix, dtype=np.float64),
        r=np.array(calibration.rectification_matrix, dtype=np.float64),
        p=np.array(calibration.projection_matrix, dtype=np.float64),
        binning_x=1,
        binning_y=1,
    )


def calibration_of_robot(calibration: RobotCalibration) -> CameraCalibration:
    """Return the robot's own calibration as the ROS camera tools have it."""
    fx, fy, cx, cy = calibration.fx, calibration.fy, calibration.cx, calibration.cy
    return CameraCalibration(
        width=calibration.width,
        height=calibration.height,
        distortion_model="plumb_bob",
        distortion=calibration.distortion,
        camera_matrix=(fx, 0.0, cx, 0.0, fy, cy, 0.0, 0.0, 1.0),
        rectification_matrix=(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
        projection_matrix=(fx, 0.0, cx, 0.0, 0.0, fy, cy, 0.0, 0.0, 0.0, 1.0, 0.0),
    )


def calibration_of_message(info: CameraInfo) -> CameraCalibration:
    """Return the calibration in a message. Raises ``ValueError`` for one of no use."""
    check_size(info.width, info.height)
    needed = _COEFFICIENTS.get(info.distortion_model)
    if needed is None:
        known = ", ".join(_COEFFICIENTS)
        raise ValueError(f"the distortion model '{info.distortion_model}' is none of {known}")
    if len(info.d) != needed:
        raise ValueError(f"{info.distortion_model} has {needed} coefficients, not {len(info.d)}")
    calibration = CameraCalibration(
        width=info.width,
        height=info.height,
        distortion_model=info.distortion_model,
        distortion=tuple(float(value) for value in info.d),
        camera_matrix=tuple(float(value) for value in info.k),
        rectification_matrix=tuple(float(value) for value in info.r),
        projection_matrix=tuple(float(value) for value in info.p),
    )
    matrices = (
        *calibration.camera_matrix,
        *calibration.rectification_matrix,
        *calibration.projection_matrix,
    )
    if not all(math.isfinite(value) for value in (*matrices, *calibration.distortion)):
        raise ValueError("it holds what is not a number")
    for name, matrix, columns in (
        ("k", calibration.camera_matrix, 3),
        ("p", calibration.projection_matrix, 4),
    ):
        if matrix[0] <= 0.0 or matrix[columns + 1] <= 0.0:
            raise ValueError(f"the focal lengths in {name} must be positive: calibrate first")
    return calibration
