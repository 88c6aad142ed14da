"""What stands in a world besides walls: cubes in any attitude, prints, moving things; mm, rad."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from ...protocol import UpAxis
from ..body import Pose2D
from .optics import Floats, Gray, rotated
from .polygons import Polygon, rectangle

CUBE_EDGE = 44.0
ATTITUDES = {
    UpAxis.X_NEGATIVE: (0.0, math.pi / 2),
    UpAxis.X_POSITIVE: (0.0, -math.pi / 2),
    UpAxis.Y_NEGATIVE: (-math.pi / 2, 0.0),
    UpAxis.Y_POSITIVE: (math.pi / 2, 0.0),
    UpAxis.Z_NEGATIVE: (math.pi, 0.0),
    UpAxis.Z_POSITIVE: (0.0, 0.0),
}
"""Roll and pitch of a cube that rests with an axis up."""


@dataclass(frozen=True, slots=True)
class Print:
    """A picture on a side of a box or cube: a tag, a photograph."""

    side: str
    width: float
    height: float
    right: float
    """Of the side's middle, as seen from outside."""
    up: float
    pictures: tuple[Gray, ...] = field(compare=False)
    """In its own size, half of it, and so on."""
    lift: float = 0.2
    """mm above the side."""


@dataclass(frozen=True, slots=True)
class CubePlace:
    """Where a cube is and how it lies; upright unless ``roll`` and ``pitch`` say otherwise."""

    pose: Pose2D
    """Of its middle, with its yaw."""
    roll: float = 0.0
    pitch: float = 0.0
    bottom: float = 0.0
    """Its lowest point above the floor."""
    on: int | None = None
    """Number of the cube that it stands on."""
    prints: tuple[Print, ...] = ()

    @property
    def rotation(self) -> Floats:
        return rotated(self.roll, self.pitch, self.pose.angle)

    @property
    def extents(self) -> tuple[float, float, float]:
        """Return half of what the cube takes along its pose's axes and upwards."""
        x, y, z = np.abs(rotated(self.roll, self.pitch, 0.0)).sum(axis=1) * (CUBE_EDGE / 2)
        return float(x), float(y), float(z)

    @property
    def top(self) -> float:
        return self.bottom + 2.0 * self.extents[2]

    @property
    def center(self) -> Floats:
        return np.array([self.pose.x, self.pose.y, self.bottom + self.extents[2]])

    @property
    def up_axis(self) -> UpAxis:
        """Return the axis of the cube that points up most."""
        up = self.rotation[2]
        axis = int(np.abs(up).argmax())
        return UpAxis(2 * axis + int(up[axis] > 0.0))

    def shape(self) -> Polygon:
        x, y, _ = self.extents
        return rectangle(self.pose, x, x, y)


class Form(Enum):
    """What a moving thing looks like."""

    BALL = "ball"
    HAND = "hand"


@dataclass(frozen=True, slots=True)
class Moving:
    """Something that moves to and fro along a path for ever, touching nothing."""

    form: Form
    size: float
    path: tuple[tuple[float, float, float], ...]
    """Points of its middle."""
    speed: float
    gray: int = 190

    def place(self, time: float) -> Floats:
        """Return where it is after a time in s."""
        points = np.array(self.path)
        lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
        total = float(lengths.sum())
        distance = self.speed * time % (2.0 * total)
        reached = np.concatenate(([0.0], np.cumsum(lengths)))
        at = min(distance, 2.0 * total - distance)
        return np.array([np.interp(at, reached, points[:, axis]) for axis in range(3)])


def sizes(picture: Gray) -> tuple[Gray, ...]:
    """Return a picture in its own size, half of it, and so on, down to 8 pixels."""
    levels = [picture]
    while min(levels[-1].shape) >= 16:
        rows, columns = (side // 2 * 2 for side in levels[-1].shape)
        quarter = levels[-1][:rows, :columns].astype(np.uint16).reshape(rows // 2, 2, -1, 2)
        levels.append(((quarter.sum(axis=(1, 3)) + 2) // 4).astype(np.uint8))
    return tuple(levels)
