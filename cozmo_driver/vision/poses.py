"""From the corners of a flat marker in a picture to its two possible poses (spec 15 §3)."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from .camera import Camera

Floats = npt.NDArray[np.float64]

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
    in m. None where there is no solution in front of the camera.
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
    matrix, distortion = camera.matrix, np.array(camera.distortion)
    try:
        count, turns, places, _ = cv2.solvePnPGeneric(
            plane, pixels, matrix, distortion, flags=cv2.SOLVEPNP_IPPE
        )
    except cv2.error:
        return []
    found = []
    for turn, place in zip(turns[:count], places[:count], strict=True):
        turn, place = cv2.solvePnPRefineLM(plane, pixels, matrix, distortion, turn, place)
        if not (np.isfinite(place).all() and place[2, 0] > 0.0):
            continue
        seen, _ = cv2.projectPoints(plane, turn, place, matrix, distortion)
        error = float(np.sqrt(((seen[:, 0] - pixels) ** 2).sum(axis=1).mean()))
        found.append(MarkerPose(_as_pose(turn, place), error))
    found.sort(key=lambda pose: pose.error)
    if len(found) == 2 and np.allclose(found[0].matrix, found[1].matrix, atol=1e-4):
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


def _as_pose(turn: Floats, place: Floats) -> Floats:
    # OpenCV's plane has x right, y up and z out of it.
    axes, _ = cv2.Rodrigues(turn)
    pose = np.eye(4)
    pose[:3, :3] = np.column_stack((axes[:, 0], -axes[:, 2], axes[:, 1]))
    pose[:3, 3] = place[:, 0]
    return pose
