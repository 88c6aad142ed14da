"""``cozmo.util``: angles, lengths, speeds, vectors, boxes of images (spec 21 §7)."""

from __future__ import annotations

# Programs reach these through this module.
import math
import time
from typing import Any

from .pose import (
    Matrix44,
    Pose,
    Position,
    Quaternion,
    Rotation,
    Vector2,
    Vector3,
    angle_z_to_quaternion,
    pose_quaternion,
    pose_z_angle,
    rotation_quaternion,
    rotation_z_angle,
)
from .units import (
    Angle,
    Distance,
    Speed,
    degrees,
    distance_inches,
    distance_mm,
    radians,
    speed_mmps,
)

__all__ = [
    "Angle",
    "Distance",
    "ImageBox",
    "Matrix44",
    "Pose",
    "Position",
    "Quaternion",
    "Rotation",
    "Speed",
    "Timeout",
    "Vector2",
    "Vector3",
    "angle_z_to_quaternion",
    "degrees",
    "distance_inches",
    "distance_mm",
    "math",
    "pose_quaternion",
    "pose_z_angle",
    "radians",
    "rotation_quaternion",
    "rotation_z_angle",
    "speed_mmps",
    "time",
]


class ImageBox:
    """A rectangle of an image, in pixels."""

    __slots__ = ("height", "top_left_x", "top_left_y", "width")

    def __init__(
        self, top_left_x: float = 0, top_left_y: float = 0, width: float = 0, height: float = 0
    ) -> None:
        self.top_left_x, self.top_left_y = top_left_x, top_left_y
        self.width, self.height = width, height

    @property
    def left_x(self) -> float:
        return self.top_left_x

    @property
    def right_x(self) -> float:
        return self.top_left_x + self.width

    @property
    def top_y(self) -> float:
        return self.top_left_y

    @property
    def bottom_y(self) -> float:
        return self.top_left_y + self.height

    @property
    def center(self) -> tuple[float, float]:
        return self.top_left_x + self.width / 2, self.top_left_y + self.height / 2

    def __mul__(self, scale: float) -> ImageBox:
        return ImageBox(
            self.top_left_x * scale,
            self.top_left_y * scale,
            self.width * scale,
            self.height * scale,
        )

    def __repr__(self) -> str:
        return (
            f"<ImageBox x={self.top_left_x:.1f} y={self.top_left_y:.1f} "
            f"w={self.width:.1f} h={self.height:.1f}>"
        )


class Timeout:
    """Whether a time in s has passed since this was made; None for never."""

    def __init__(self, timeout: float | None = None, loop: Any = None) -> None:
        self._end = None if timeout is None else time.monotonic() + timeout

    @property
    def is_timed_out(self) -> bool:
        return self._end is not None and time.monotonic() >= self._end

    @property
    def remaining(self) -> float | None:
        """S left; None where there is no limit."""
        return None if self._end is None else max(0.0, self._end - time.monotonic())
