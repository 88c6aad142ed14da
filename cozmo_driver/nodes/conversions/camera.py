"""Pictures and the camera's calibration."""

from __future__ import annotations

from array import array

import numpy as np
from builtin_interfaces.msg import Time
from numpy.typing import NDArray
from sensor_msgs.msg import CameraInfo, CompressedImage
from sensor_msgs.msg import Image as ImageMessage

from ...robot import Image
from ..camera_calibration import CameraCalibration
from .headers import header


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
    """Return the calibration of the picture stamped alike."""
    return CameraInfo(
        header=header(stamp, frame),
        width=int(calibration.width),
        height=int(calibration.height),
        distortion_model=calibration.distortion_model,
        d=[float(value) for value in calibration.distortion],
        k=np.array(calibration.camera_matrix, dtype=np.float64),
        r=np.array(calibration.rectification_matrix, dtype=np.float64),
        p=np.array(calibration.projection_matrix, dtype=np.float64),
    )
