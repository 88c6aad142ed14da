"""Where a robot's camera is and where it looks; mm and rad (spec 13 §3, §5)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..body import Pose2D
from ..variation import Lens as Lens
from ..variation import Optics

Gray = npt.NDArray[np.uint8]
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
class View:
    """A camera in the world: its place, its axes right, down, ahead as columns, and its lens."""

    place: Floats
    axes: Floats
    lens: Lens = Lens()


@dataclass(frozen=True, slots=True)
class Stance:
    """How a robot stands on the floor and really holds its head and lift; angles in rad."""

    pose: Pose2D
    head: float = 0.0
    lift: float = 0.0
    """Angle of the lift's arm."""
    pitch: float = 0.0
    """Nose up."""
    roll: float = 0.0
    """Right side down."""
    is_held: bool = False
    optics: Optics = Optics()

    def body(self) -> tuple[Floats, Floats]:
        """Return place and axes of the body in the world."""
        rotation = rotated(self.roll, -self.pitch, self.pose.angle)
        height = _IN_HAND if self.is_held else 0.0
        return np.array([self.pose.x, self.pose.y, height]), rotation

    def view(self) -> View:
        place, rotation = self.body()
        eye = place + rotation @ (_NECK + _nose_up(self.head) @ _CAMERA)
        optics = self.optics
        mount = rotated(optics.roll, optics.down, optics.left)
        axes = rotation @ _nose_up(self.head - _TILT) @ mount @ _OPTICAL
        return View(eye, axes, optics.lens)


def rotated(roll: float, pitch: float, yaw: float) -> Floats:
    """Return the rotation by roll, pitch and yaw about the fixed axes x, y and z, in this order."""
    (sr, cr), (sp, cp), (sy, cy) = ((math.sin(a), math.cos(a)) for a in (roll, pitch, yaw))
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def _nose_up(angle: float) -> Floats:
    return rotated(0.0, -angle, 0.0)
