"""Where a pixel lies on the floor, and how the head looks at a place; m and rad, as in the URDF."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..perception import AS_DRAWN, Mount, camera_pose
from ..robot import CAMERA_TILT

_FARTHEST = 3.0
"""From there on a pixel is more than 0.2 m of floor."""
_ROUNDS = 8


class NoFloor(ValueError):
    """A pixel shows no floor that could be driven to; the text says why."""


@dataclass(frozen=True, slots=True)
class Pose:
    """Of ``base_link`` in the frame of the odometry."""

    x: float
    y: float
    yaw: float

    def place(self, ahead: float, left: float) -> tuple[float, float]:
        """Return a point that the robot sees ahead and left of it, in the frame of the pose."""
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        return self.x + c * ahead - s * left, self.y + s * ahead + c * left


@dataclass(frozen=True, slots=True)
class Lens:
    """The pinhole of ``camera_info``, pixels, with the coefficients of ``plumb_bob``."""

    fx: float
    fy: float
    cx: float
    cy: float
    distortion: Sequence[float] = ()

    def ray(self, u: float, v: float) -> tuple[float, float]:
        """Return the line of sight of a pixel: right and down at a distance of 1."""
        x = x0 = (u - self.cx) / self.fx
        y = y0 = (v - self.cy) / self.fy
        if not any(self.distortion):
            return x, y
        k1, k2, p1, p2, k3 = self.distortion
        for _ in range(_ROUNDS):
            r2 = x * x + y * y
            radial = 1.0 + r2 * (k1 + r2 * (k2 + r2 * k3))
            dx = 2 * p1 * x * y + p2 * (r2 + 2 * x * x)
            dy = p1 * (r2 + 2 * y * y) + 2 * p2 * x * y
            x, y = (x0 - dx) / radial, (y0 - dy) / radial
        return x, y


def floor_point(
    lens: Lens, head: float, u: float, v: float, mount: Mount = AS_DRAWN
) -> tuple[float, float]:
    """Return the place on the floor that a pixel shows, ahead and left of ``base_link``.

    ``head`` is the head's angle. Raises ``NoFloor``.
    """
    camera = camera_pose(np.eye(4), head, mount)
    ahead, left, up = camera[:3, :3] @ (*lens.ray(u, v), 1.0)
    if up >= 0.0:
        raise NoFloor("that is above the horizon: choose a place on the floor")
    reach = -camera[2, 3] / up
    if reach * math.hypot(ahead, left) > _FARTHEST:
        raise NoFloor(f"that is more than {_FARTHEST:g} m away: choose a nearer place")
    return float(camera[0, 3] + reach * ahead), float(reach * left)


def head_towards(distance: float, height: float = 0.0) -> float:
    """Return the head angle that has a point in the picture's middle row.

    ``distance`` is that from ``base_link``, ``height`` above the floor.
    """
    head = 0.0
    for _ in range(_ROUNDS):
        x, _, z = camera_pose(np.eye(4), head)[:3, 3]
        head = math.atan2(height - z, max(distance - x, 1e-3)) + CAMERA_TILT
    return head
