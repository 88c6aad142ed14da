"""The camera: from pixels to directions, to poses of squares and to places on the ground.

Poses are 4x4 matrices. The camera's optical frame looks along z, with x to the right and y down;
where the camera is on a robot, and where that is, comes as a matrix from outside.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_FOCAL_LENGTHS = (0.5, 2.0)
"""In widths of the image; anything else is a mistake."""
_LARGEST_COEFFICIENT = 10.0


class CalibrationError(ValueError):
    """A calibration that cannot be used; the text says why."""


@dataclass(frozen=True, slots=True)
class Camera:
    """A pinhole with plumb-bob distortion, for images of ``width`` x ``height``; pixels."""

    fx: float = 292.8
    fy: float = 292.8
    cx: float = 158.7
    cy: float = 113.6
    distortion: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0, 0.0)
    """k1, k2, p1, p2, k3."""
    width: int = 320
    height: int = 240

    def __post_init__(self) -> None:
        """Raise ``CalibrationError`` for what no camera has."""
        numbers = (self.fx, self.fy, self.cx, self.cy, *self.distortion)
        if not all(map(math.isfinite, numbers)):
            raise CalibrationError("a number is not finite")
        if not 0 < self.width <= 1 << 14 or not 0 < self.height <= 1 << 14:
            raise CalibrationError(f"it is for {self.width} x {self.height} pixels")
        low, high = (factor * self.width for factor in _FOCAL_LENGTHS)
        if not (low < self.fx < high and low < self.fy < high):
            raise CalibrationError(
                f"focal lengths of {self.fx:g} and {self.fy:g} pixels are impossible"
            )
        if not (0.0 <= self.cx < self.width and 0.0 <= self.cy < self.height):
            raise CalibrationError(
                f"its centre ({self.cx:g}, {self.cy:g}) lies outside the picture"
            )
        if len(self.distortion) not in (4, 5):
            raise CalibrationError(f"it has {len(self.distortion)} coefficients, not 4 or 5")
        if max(map(abs, self.distortion)) > _LARGEST_COEFFICIENT:
            raise CalibrationError("its distortion is impossible")

    @property
    def matrix(self) -> Floats:
        return np.array([[self.fx, 0.0, self.cx], [0.0, self.fy, self.cy], [0.0, 0.0, 1.0]])

    def scaled_to(self, width: int, height: int) -> Camera:
        """Return the same camera for images of another size."""
        across, down = width / self.width, height / self.height
        return replace(
            self,
            fx=self.fx * across,
            fy=self.fy * down,
            cx=(self.cx + 0.5) * across - 0.5,
            cy=(self.cy + 0.5) * down - 0.5,
            width=width,
            height=height,
        )

    def directions(self, pixels: npt.ArrayLike) -> Floats:
        """Return x/z and y/z of the lines of sight through pixels: (n, 2)."""
        points = np.asarray(pixels, np.float64).reshape(-1, 1, 2)
        if not any(self.distortion):
            return (points[:, 0] - (self.cx, self.cy)) / (self.fx, self.fy)
        found: Floats = cv2.undistortPoints(points, self.matrix, np.array(self.distortion))
        return found[:, 0]

    def project_to_ground(self, pixels: npt.ArrayLike, pose: Floats) -> Floats:
        """Return where lines of sight meet the plane z = 0: (n, 2); NaN above the horizon.

        ``pose`` is that of the optical frame in the frame of the ground.
        """
        across = self.directions(pixels)
        rays = np.column_stack((across, np.ones(len(across)))) @ pose[:3, :3].T
        with np.errstate(divide="ignore", invalid="ignore"):
            reach = np.where(rays[:, 2] < 0.0, -pose[2, 3] / rays[:, 2], np.nan)
        places: Floats = pose[:2, 3] + rays[:, :2] * reach[:, None]
        return places


def camera_of(content: Any) -> Camera:
    """Return the camera of a calibration in the format of the ROS camera tools.

    ``content`` is the mapping in the file. Raises ``CalibrationError``.
    """
    if not isinstance(content, Mapping):
        raise CalibrationError("it holds no keys")
    try:
        matrix = [float(value) for value in content["camera_matrix"]["data"]]
        coefficients = [float(value) for value in content["distortion_coefficients"]["data"]]
        size = int(content["image_width"]), int(content["image_height"])
        model = str(content["distortion_model"])
    except KeyError as error:
        raise CalibrationError(f"{error} is missing") from None
    except (TypeError, ValueError, OverflowError) as error:
        raise CalibrationError(str(error)) from None
    if len(matrix) != 9:
        raise CalibrationError(f"camera_matrix needs 9 numbers, not {len(matrix)}")
    if model != "plumb_bob":
        raise CalibrationError(f"the distortion model {model[:40]!r} is unknown: use plumb_bob")
    fx, _, cx, _, fy, cy, *_ = matrix
    return Camera(fx, fy, cx, cy, tuple(coefficients), *size)
