"""Where the camera is and how it projects (spec 13 §2, §5); mm and rad."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...media.mini_jpeg import HEIGHT, WIDTH
from ..body import Pose2D

Floats = npt.NDArray[Any]
_NECK = np.array([-13.0, 0.0, 49.0])
_CAMERA = np.array([17.5, 0.0, -8.0])
_TILT = math.radians(4.0)
"""The camera looks down by this at head angle 0."""
_IN_HAND = 120.0
"""mm above the floor at which a robot is held."""
# Camera axes (right, down, ahead) in the head's frame (ahead, left, up).
_OPTICAL = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])


@dataclass(frozen=True, slots=True)
class Lens:
    """A pinhole; pixels. The defaults are those of the emulated robot's calibration record."""

    fx: float = 294.716
    fy: float = 294.899
    cx: float = 143.163
    cy: float = 117.454

    def across(self) -> Floats:
        """Return x/z of each column of the picture, float32."""
        return ((np.arange(WIDTH) - self.cx) / self.fx).astype(np.float32)

    def down(self) -> Floats:
        """Return y/z of each row of the picture, float32."""
        return ((np.arange(HEIGHT) - self.cy) / self.fy).astype(np.float32)


@dataclass(frozen=True, slots=True)
class View:
    """A camera in the world: its place, and its axes right, down, ahead as columns."""

    place: Floats
    axes: Floats


@dataclass(frozen=True, slots=True)
class Stance:
    """How a robot stands and holds its head and lift; angles in rad."""

    pose: Pose2D
    head: float = 0.0
    lift: float = 0.0
    """Angle of the lift's arm."""
    pitch: float = 0.0
    """Nose up."""
    roll: float = 0.0
    """Right side down."""
    is_held: bool = False

    def body(self) -> tuple[Floats, Floats]:
        """Return place and axes of the body in the world."""
        rotation = _about_z(self.pose.angle) @ _nose_up(self.pitch) @ _about_x(self.roll)
        height = _IN_HAND if self.is_held else 0.0
        return np.array([self.pose.x, self.pose.y, height]), rotation

    def view(self) -> View:
        """Return the camera in the world."""
        place, rotation = self.body()
        head = _nose_up(self.head)
        eye = place + rotation @ (_NECK + head @ _CAMERA)
        return View(eye, rotation @ _nose_up(self.head - _TILT) @ _OPTICAL)


def _about_z(angle: float) -> Floats:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _nose_up(angle: float) -> Floats:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]])


def _about_x(angle: float) -> Floats:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
