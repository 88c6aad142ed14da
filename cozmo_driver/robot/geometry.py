"""Dimensions and limits of the robot in SI units (spec 07, 13)."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

TRACK_WIDTH = 0.046
"""Distance of the tread centres, m."""
EFFECTIVE_TRACK_WIDTH = 0.069
"""Distance that tread speeds must be computed with, because treads slip in turns, m."""
DRIVE_CENTER_X = -0.020
"""Where the robot spins about, ahead of its origin, m."""
FRONT_WHEEL_RADIUS = 0.0145
REAR_WHEEL_RADIUS = 0.0104

MAX_WHEEL_SPEED = 0.200
"""Of one tread, m/s."""
MAX_YAW_RATE = 5.2
"""rad/s."""
MAX_WHEEL_ACCELERATION = 10.0
"""m/s^2."""

MIN_HEAD_ANGLE = -0.436332
MAX_HEAD_ANGLE = 0.776672
MIN_LIFT_HEIGHT = 0.032
MAX_LIFT_HEIGHT = 0.092
LIFT_PIVOT_HEIGHT = 0.045
LIFT_ARM_LENGTH = 0.066

NECK = (-0.013, 0.0, 0.049)
CAMERA = (0.0175, 0.0, -0.008)
"""From the neck, head level."""
CAMERA_TILT = math.radians(4.0)
"""The camera looks down by this at head angle 0."""


def lift_height(angle: float) -> float:
    """Return the height of the lift's wrist above ground in m for an arm angle in rad."""
    return LIFT_PIVOT_HEIGHT + LIFT_ARM_LENGTH * math.sin(angle)


def lift_angle(height: float) -> float:
    """Return the arm angle in rad for a height in m. Raises ``ValueError`` out of reach."""
    return math.asin((height - LIFT_PIVOT_HEIGHT) / LIFT_ARM_LENGTH)


def wrap_angle(angle: float) -> float:
    """Return the same direction within (-pi, pi]."""
    wrapped = math.remainder(angle, 2 * math.pi)
    return math.pi if wrapped == -math.pi else wrapped


def camera_pose(head_angle: float) -> npt.NDArray[np.float64]:
    """Return the pose of the camera's optical frame in ``origin_link``, 4x4 (spec 13 §3)."""

    def nose_up(angle: float) -> npt.NDArray[np.float64]:
        c, s = math.cos(angle), math.sin(angle)
        return np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]])

    # Optical axes (right, down, ahead) in those of the head (ahead, left, up).
    optical = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
    pose = np.eye(4)
    pose[:3, :3] = nose_up(head_angle - CAMERA_TILT) @ optical
    pose[:3, 3] = np.array(NECK) + nose_up(head_angle) @ np.array(CAMERA)
    return pose
