"""Poses as 4x4 matrices, and where camera and lift are on the robot (spec 13)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...media import SIDE_AXES
from ...robot import DRIVE_CENTER, LIFT_ARM_LENGTH, lift_height
from ...robot import camera_pose as as_drawn

Matrix = npt.NDArray[np.float64]

ORIGIN_X = -DRIVE_CENTER.x
"""m; the robot's own origin, ahead of ``base_footprint``."""
_FRONT = np.array([ORIGIN_X, 0.0, 0.0])
# Camera axes (right, down, ahead) in the head's frame (ahead, left, up).
_OPTICAL = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
CHARGER_TILT = -0.084
"""Of a robot on the charger's contacts against the floor, nose up, rad (spec 18)."""
_LIFT_PIVOT_X = ORIGIN_X - 0.041
"""m; ahead of ``base_footprint``."""
_CARRIED_CUBE = np.array([0.026, 0.0, -0.0125])
"""Middle of a carried cube, from the lift's wrist."""


@dataclass(frozen=True, slots=True)
class Mount:
    """How a camera is turned against where the drawings have it, zero of the head included; rad."""

    pitch: float = 0.0
    """It looks higher."""
    roll: float = 0.0
    """Its right side is lower."""
    yaw: float = 0.0
    """It looks farther to the left."""


AS_DRAWN = Mount()


def pose(x: float, y: float, z: float = 0.0, yaw: float = 0.0) -> Matrix:
    c, s = math.cos(yaw), math.sin(yaw)
    return np.array([[c, -s, 0.0, x], [s, c, 0.0, y], [0.0, 0.0, 1.0, z], [0.0, 0.0, 0.0, 1.0]])


def rotation(vector: npt.ArrayLike) -> Matrix:
    """Return the rotation about a vector by its length in rad."""
    x, y, z = map(float, np.asarray(vector, np.float64))
    angle = math.sqrt(x * x + y * y + z * z)
    if angle < 1e-12:
        return np.eye(3)
    x, y, z = x / angle, y / angle, z / angle
    c, s = math.cos(angle), math.sin(angle)
    n = 1.0 - c
    # Rodrigues' formula, written out: this is called most of all.
    return np.array(
        [
            [c + n * x * x, n * x * y - s * z, n * x * z + s * y],
            [n * x * y + s * z, c + n * y * y, n * y * z - s * x],
            [n * x * z - s * y, n * y * z + s * x, c + n * z * z],
        ]
    )


def inverse(matrix: Matrix) -> Matrix:
    result = np.eye(4)
    result[:3, :3] = matrix[:3, :3].T
    result[:3, 3] = -matrix[:3, :3].T @ matrix[:3, 3]
    return result


def moved(pose: Matrix, points: Matrix) -> Matrix:
    """Return points of a pose's frame, (n, 2) or (n, 3), in the frame that the pose is in."""
    size = points.shape[1]
    placed: Matrix = points @ pose[:size, :size].T + pose[:size, 3]
    return placed


def yaw_of(matrix: Matrix) -> float:
    """Return the heading of the matrix's x axis, or of its y axis less 90° where x is upright."""
    if abs(matrix[2, 0]) < 0.7:
        return math.atan2(matrix[1, 0], matrix[0, 0])
    return math.atan2(-matrix[0, 1], matrix[1, 1])


def quaternion_of(matrix: Matrix) -> tuple[float, float, float, float]:
    """Return x, y, z, w of a pose's rotation, w not negative."""
    m = matrix[:3, :3]
    # Four times the products of x, y, z, w: the row of the largest is exact.
    squares = 1.0 + np.array([[1, -1, -1], [-1, 1, -1], [-1, -1, 1], [1, 1, 1]]) @ np.diag(m)
    products = np.array(
        [
            [squares[0], m[0, 1] + m[1, 0], m[0, 2] + m[2, 0], m[2, 1] - m[1, 2]],
            [m[0, 1] + m[1, 0], squares[1], m[1, 2] + m[2, 1], m[0, 2] - m[2, 0]],
            [m[0, 2] + m[2, 0], m[1, 2] + m[2, 1], squares[2], m[1, 0] - m[0, 1]],
            [m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], squares[3]],
        ]
    )
    row = products[int(squares.argmax())]
    unit = row / np.linalg.norm(row)
    x, y, z, w = (float(value) for value in (-unit if unit[3] < 0.0 else unit))
    return x, y, z, w


def angle_between(a: Matrix, b: Matrix) -> float:
    """Return the angle of the turn from one pose to another."""
    trace = float(np.trace(a[:3, :3].T @ b[:3, :3]))
    return math.acos(min(max((trace - 1.0) / 2.0, -1.0), 1.0))


def tilt(matrix: Matrix) -> float:
    """Return the angle between the vertical and the nearest axis."""
    return math.acos(min(float(np.abs(matrix[2, :3]).max()), 1.0))


def flattened(matrix: Matrix, axis: int | None = None) -> Matrix:
    """Return a pose turned the shortest way until an axis, or the nearest one, is vertical."""
    row = matrix[2, :3]
    index = int(np.abs(row).argmax()) if axis is None else axis
    upwards = matrix[:3, index] * (1.0 if row[index] >= 0.0 else -1.0)
    about = np.cross(upwards, (0.0, 0.0, 1.0))
    sine, cosine = float(np.linalg.norm(about)), float(upwards[2])
    result: Matrix = matrix.copy()
    if sine > 1e-12:
        result[:3, :3] = rotation(about / sine * math.atan2(sine, cosine)) @ matrix[:3, :3]
    return result


def squared(turn: Matrix) -> Matrix:
    """Return a rotation turned the shortest way until its axes are those of the robot."""
    whole = np.eye(4)
    whole[:3, :3] = turn
    flat = flattened(whole)[:3, :3]
    angle = math.atan2(flat[1, 0], flat[0, 0])
    if abs(flat[2, 0]) > 0.5:
        angle = math.atan2(flat[1, 1], flat[0, 1])
    rest = angle - round(angle / (math.pi / 2)) * (math.pi / 2)
    squared: Matrix = pose(0.0, 0.0, 0.0, -rest)[:3, :3] @ flat
    return squared


def camera_pose(base: Matrix, head: float, mount: Mount = AS_DRAWN, tilt: float = 0.0) -> Matrix:
    """Return the pose of the camera's optical frame.

    ``base`` is that of ``base_footprint`` on the floor, ``tilt`` that of the body against the
    floor, nose up, about the front wheels.
    """
    mounted = as_drawn(head)
    mounted[0, 3] += ORIGIN_X
    if mount != AS_DRAWN:
        turned = _nose_up(mount.pitch) @ rotation((0.0, 0.0, mount.yaw))
        turned = turned @ rotation((mount.roll, 0.0, 0.0))
        mounted[:3, :3] = mounted[:3, :3] @ _OPTICAL.T @ turned @ _OPTICAL
    if tilt:
        up = _nose_up(tilt)
        mounted[:3, 3] = _FRONT + up @ (mounted[:3, 3] - _FRONT)
        mounted[:3, :3] = up @ mounted[:3, :3]
    placed: Matrix = base @ mounted
    return placed


def side_pose(
    side: str,
    size: tuple[float, float, float],
    offset: tuple[float, float] = (0.0, 0.0),
    turn: float = 0.0,
) -> Matrix:
    """Return the pose of a marker in the frame of the box that carries it (spec 15 §3.1).

    ``offset`` moves it to its right and up, m; ``turn`` turns it counter-clockwise as it is looked
    at, rad. Raises ``KeyError`` for a side that does not exist.
    """
    normal, up = (np.array(axis, float) for axis in SIDE_AXES[side])
    right = np.cross(up, normal)
    c, s = math.cos(turn), math.sin(turn)
    placed = np.eye(4)
    placed[:3, :3] = np.column_stack((c * right + s * up, -normal, c * up - s * right))
    placed[:3, 3] = normal * np.array(size) / 2 + right * offset[0] + up * offset[1]
    return placed


def wrist(lift: float) -> Matrix:
    """Return where the lift's wrist is in ``base_footprint`` for an angle of its arm: x, y, z."""
    return np.array([_LIFT_PIVOT_X + LIFT_ARM_LENGTH * math.cos(lift), 0.0, lift_height(lift)])


def carried_place(lift: float) -> Matrix:
    """Return where the middle of a carried cube is in ``base_footprint``: x, y, z."""
    place: Matrix = wrist(lift) + _CARRIED_CUBE
    return place


def _nose_up(angle: float) -> Matrix:
    return rotation((0.0, -angle, 0.0))
