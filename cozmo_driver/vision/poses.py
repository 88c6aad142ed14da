"""From the corners of a flat marker in a picture to its two possible poses (spec 15 §3)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from .camera import Camera

Floats = npt.NDArray[np.float64]

_ROUNDS, _DAMPING = 8, 1e-3
_CLOSE = 1e-4
"""m and rad; a step so small is the last one."""
_AMBIGUOUS = 2.5
"""The better of two solutions is sure if its error is less than the other's by this factor."""


@dataclass(frozen=True, slots=True)
class MarkerPose:
    """A marker in the camera's optical frame."""

    matrix: Floats
    """4x4; the marker's frame has x to its right, z up, and y into it (spec 15 §3.1)."""
    error: float
    """Root mean square distance between its corners and the measured ones, pixels."""

    @property
    def distance(self) -> float:
        """From the camera, m."""
        return float(np.linalg.norm(self.matrix[:3, 3]))


def marker_poses(
    corners: npt.ArrayLike, size: tuple[float, float], camera: Camera
) -> list[MarkerPose]:
    """Return both poses that corners allow, the one that fits better first; one if they agree.

    ``corners``: (4, 2) pixels, from the marker's upper left clockwise; ``size``: width and height
    in m. Empty where there is no solution in front of the camera.
    """
    pixels = np.asarray(corners, np.float64).reshape(4, 2)
    half_width, half_height = size[0] / 2, size[1] / 2
    plane = np.array(
        [
            [-half_width, half_height, 0.0],
            [half_width, half_height, 0.0],
            [half_width, -half_height, 0.0],
            [-half_width, -half_height, 0.0],
        ]
    )
    directions = camera.directions(pixels)
    found: list[MarkerPose] = []
    for start in _starts(plane, directions):
        pose, error = _refined(plane, directions, start)
        if np.isfinite(pose).all() and pose[2, 3] > 0.0:
            found.append(MarkerPose(_of_marker(pose), error * camera.fx))
    found.sort(key=lambda pose: pose.error)
    if len(found) == 2 and np.allclose(found[0].matrix, found[1].matrix, atol=1e-3):
        found.pop()
    return found


def upright(poses: list[MarkerPose], up: npt.ArrayLike) -> MarkerPose:
    """Return the pose to believe in, where markers are on boxes that stand flat.

    ``up`` is the ground's upward direction in the optical frame. Seen nearly squarely, both poses
    fit; then the one whose axes are nearer to upright counts.
    """
    best = poses[0]
    if len(poses) < 2 or poses[1].error > _AMBIGUOUS * best.error + 0.05:
        return best
    direction = np.asarray(up, np.float64)
    return max(poses, key=lambda pose: float(np.abs(direction @ pose.matrix[:3, :3]).max()))


def _starts(plane: Floats, directions: Floats) -> list[Floats]:
    """Return both poses, 3x4, near those of a plane's corners seen in some directions.

    The homography gives one; the other has what is nearer and what is farther exchanged. OpenCV's
    own IPPE fails for squares that are seen exactly squarely.
    """
    homography = cv2.getPerspectiveTransform(
        plane[:, :2].astype(np.float32), directions.astype(np.float32)
    )
    if not np.isfinite(homography).all():
        return []
    lengths = np.linalg.norm(homography[:, :2], axis=0)
    if lengths.min() < 1e-9:
        return []
    homography *= math.copysign(1.0 / math.sqrt(lengths[0] * lengths[1]), homography[2, 2])
    place = homography[:, 2:]
    # The nearest rotation.
    first, second = homography[:, 0], homography[:, 1]
    u, _, v = np.linalg.svd(np.column_stack((first, second, np.cross(first, second))))
    axes = u @ v
    sight = place[:, 0] / np.linalg.norm(place)
    across = axes[:, :2] - 2.0 * np.outer(sight, sight @ axes[:, :2])
    other = np.column_stack((across, np.cross(across[:, 0], across[:, 1])))
    return [np.hstack((axes, place)), np.hstack((other, place))]


def _refined(plane: Floats, directions: Floats, start: Floats) -> tuple[Floats, float]:
    """Return the pose, 3x4, that fits best, and its error in directions; Gauss-Newton, damped.

    OpenCV's ``solvePnPRefineLM`` takes ten times as long.
    """
    axes, place = start[:, :3], start[:, 3].copy()
    jacobian = np.zeros((8, 6))
    for _ in range(_ROUNDS):
        turned = plane @ axes.T
        (tx, ty, tz), (x, y, z) = turned.T, (turned + place).T
        near = 1.0 / z
        across, down = x * near, y * near
        jacobian[:4, 0] = jacobian[4:, 1] = near
        jacobian[:4, 2], jacobian[4:, 2] = -across * near, -down * near
        jacobian[:4, 3], jacobian[4:, 3] = -across * near * ty, -near * tz - down * near * ty
        jacobian[:4, 4], jacobian[4:, 4] = near * tz + across * near * tx, down * near * tx
        jacobian[:4, 5], jacobian[4:, 5] = -near * ty, near * tx
        errors = np.concatenate((directions[:, 0] - across, directions[:, 1] - down))
        normal = jacobian.T @ jacobian
        normal[np.diag_indices(6)] *= 1.0 + _DAMPING
        try:
            step = np.linalg.solve(normal, jacobian.T @ errors)
        except np.linalg.LinAlgError:
            break
        place = place + step[:3]
        axes = cv2.Rodrigues(step[3:])[0] @ axes
        if np.abs(step).max() < _CLOSE:
            break
    seen = plane @ axes.T + place
    off = seen[:, :2] / seen[:, 2:] - directions
    return np.column_stack((axes, place)), float(np.sqrt((off**2).sum(axis=1).mean()))


def _of_marker(pose: Floats) -> Floats:
    """Return a 4x4 pose of a marker's frame from that of its plane: x right, y up, z out of it."""
    made = np.eye(4)
    made[:3, :3] = np.column_stack((pose[:, 0], -pose[:, 2], pose[:, 1]))
    made[:3, 3] = pose[:, 3]
    return made
