"""Where a pixel lies on the floor, and how the head looks at a place; m and rad, as in the URDF."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

_NECK_X, _NECK_Z = 0.007, 0.049
"""Of ``head_joint`` in ``base_link``."""
_CAMERA_X, _CAMERA_Z = 0.0175, -0.008
"""Of the camera in ``head_link``."""
_TILT = math.radians(4.0)
"""The camera looks down by this at head angle 0."""
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


def floor_point(lens: Lens, head: float, u: float, v: float) -> tuple[float, float]:
    """Return the place on the floor that a pixel shows, ahead and left of ``base_link``.

    ``head`` is the head's angle; the robot stands on level floor. Raises ``NoFloor``.
    """
    right, down = lens.ray(u, v)
    pitch = head - _TILT
    ahead = math.cos(pitch) + down * math.sin(pitch)
    sinking = down * math.cos(pitch) - math.sin(pitch)
    x, z = _camera(head)
    if sinking <= 0.0:
        raise NoFloor("that is above the horizon: choose a place on the floor")
    reach = z / sinking
    if reach * math.hypot(ahead, right) > _FARTHEST:
        raise NoFloor(f"that is more than {_FARTHEST:g} m away: choose a nearer place")
    return x + reach * ahead, -reach * right


def head_towards(distance: float, height: float = 0.0) -> float:
    """Return the head angle that has a point in the picture's middle row.

    ``distance`` is that from ``base_link``, ``height`` above the floor.
    """
    head = 0.0
    for _ in range(_ROUNDS):
        x, z = _camera(head)
        head = math.atan2(height - z, max(distance - x, 1e-3)) + _TILT
    return head


def _camera(head: float) -> tuple[float, float]:
    """Return where the camera is, ahead of ``base_link`` and above the floor."""
    c, s = math.cos(head), math.sin(head)
    return _NECK_X + c * _CAMERA_X - s * _CAMERA_Z, _NECK_Z + s * _CAMERA_X + c * _CAMERA_Z
