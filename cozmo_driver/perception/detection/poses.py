"""From the corners of a flat marker in an image to its two possible poses (spec 15 §3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from .camera import Camera, Floats

_ROUNDS = 8
_DAMPED, _NEVER_SINGULAR = 1e-3 * np.eye(6), 1e-12 * np.eye(6)
_CLOSE = 1e-4
"""m and rad; a step so small is the last one."""
_SAME = 1e-3
_CORNERS = np.array([[-1.0, 1.0], [1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]])
_CROSSES = np.array(
    [
        [0.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0],
        [0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    ]
)
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
    return poses_of_markers([corners], [size], camera)[0]


def poses_of_markers(
    corners: Sequence[npt.ArrayLike], sizes: Sequence[tuple[float, float]], camera: Camera
) -> list[list[MarkerPose]]:
    """Return the ``marker_poses`` of several markers, in little more time than those of one."""
    if not corners:
        return []
    pixels = np.asarray(corners, np.float64)
    directions = camera.directions(pixels).reshape(-1, 4, 2)
    planes = _CORNERS * (np.asarray(sizes, np.float64) / 2)[:, None]
    with np.errstate(all="ignore"):
        axes, places = _starts(planes, directions)
        axes, places, errors = _refined(planes.repeat(2, 0), directions.repeat(2, 0), axes, places)
        is_pose = np.isfinite(axes).all(axis=(1, 2)) & np.isfinite(places).all(axis=1)
        is_pose &= places[:, 2] > 0.0
    made = _of_markers(axes, places)
    found: list[list[MarkerPose]] = []
    for two in range(0, len(made), 2):
        kept = [i for i in (two, two + 1) if is_pose[i]]
        kept.sort(key=errors.__getitem__)
        if len(kept) == 2 and np.abs(made[kept[0]] - made[kept[1]]).max() < _SAME:
            kept.pop()
        found.append([MarkerPose(made[i], float(errors[i]) * camera.fx) for i in kept])
    return found


def resolve_ambiguity(poses: list[MarkerPose], up: npt.ArrayLike) -> MarkerPose:
    """Return the pose to believe in, where markers are on boxes that stand flat.

    ``up`` is the ground's upward direction in the optical frame. Seen nearly squarely, both poses
    fit; then the one whose axes are nearer to upright counts.
    """
    best = poses[0]
    if len(poses) < 2 or poses[1].error > _AMBIGUOUS * best.error + 0.05:
        return best
    direction = np.asarray(up, np.float64)
    return max(poses, key=lambda pose: float(np.abs(direction @ pose.matrix[:3, :3]).max()))


def _starts(planes: Floats, directions: Floats) -> tuple[Floats, Floats]:
    """Return axes and places of two poses for each marker, near those that its corners allow.

    The homography gives one; the other has what is nearer and what is farther exchanged. OpenCV's
    own IPPE fails for squares that are seen exactly squarely.
    """
    pairs = zip(planes.astype(np.float32), directions.astype(np.float32), strict=True)
    homography = np.array([cv2.getPerspectiveTransform(*pair) for pair in pairs])
    first, second, place = np.moveaxis(homography, 2, 0)
    scale = np.sqrt(np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1))
    homography *= np.copysign(1.0 / scale, homography[:, 2, 2])[:, None, None]
    is_sane = np.isfinite(homography).all(axis=(1, 2))
    homography[~is_sane] = np.eye(3)
    # The nearest rotation.
    u, _, v = np.linalg.svd(_with_third(first, second))
    axes = u @ v
    places = place.copy()
    places[~is_sane] = np.nan
    sight = place / np.linalg.norm(place, axis=1)[:, None]
    across = axes[:, :, :2] - 2.0 * sight[:, :, None] * (sight[:, None] @ axes[:, :, :2])
    other = _with_third(across[..., 0], across[..., 1])
    return np.stack((axes, other), axis=1).reshape(-1, 3, 3), places.repeat(2, 0)


def _with_third(first: Floats, second: Floats) -> Floats:
    """Return the matrices of two axes and of the one that is square to both, (n, 3, 3)."""
    third = (_crosses(first) @ second[..., None])[..., 0]
    return np.stack((first, second, third), axis=-1)


def _refined(
    planes: Floats, directions: Floats, axes: Floats, places: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return the poses that fit best, and their errors in directions; Gauss-Newton, damped.

    OpenCV's ``solvePnPRefineLM`` takes ten times as long.
    """
    jacobian = np.zeros((len(planes), 8, 6))
    upper, lower = jacobian[:, :4], jacobian[:, 4:]
    for _ in range(_ROUNDS):
        turned = planes @ axes[:, :, :2].transpose(0, 2, 1)
        tx, ty, tz = turned.transpose(2, 0, 1)
        x, y, z = (turned + places[:, None]).transpose(2, 0, 1)
        near = 1.0 / z
        across, down = x * near, y * near
        by_x, by_y = across * near, down * near
        upper[..., 0] = lower[..., 1] = near
        upper[..., 2], lower[..., 2] = -by_x, -by_y
        upper[..., 3], lower[..., 3] = -by_x * ty, -near * tz - by_y * ty
        upper[..., 4], lower[..., 4] = near * tz + by_x * tx, by_y * tx
        upper[..., 5], lower[..., 5] = -near * ty, near * tx
        errors = np.concatenate((directions[..., 0] - across, directions[..., 1] - down), axis=1)
        transposed = jacobian.transpose(0, 2, 1)
        normal = transposed @ jacobian
        normal += normal * _DAMPED + _NEVER_SINGULAR
        step = np.linalg.solve(normal, transposed @ errors[..., None])[..., 0]
        places = places + step[:, :3]
        axes = _turns(step[:, 3:]) @ axes
        if (np.abs(step) < _CLOSE).all():
            break
    seen = planes @ axes[:, :, :2].transpose(0, 2, 1) + places[:, None]
    off = seen[..., :2] / seen[..., 2:] - directions
    return axes, places, np.sqrt((off**2).sum(axis=2).mean(axis=1))


def _turns(vectors: Floats) -> Floats:
    """Return rotations about vectors, by nearly their lengths in rad: (n, 3, 3)."""
    crosses = _crosses(vectors)
    share = 1.0 / (1.0 + (vectors**2).sum(axis=1) / 4.0)
    turns: Floats = np.eye(3) + share[:, None, None] * (crosses + crosses @ crosses / 2.0)
    return turns


def _crosses(vectors: Floats) -> Floats:
    """Return what makes cross products of vectors with others, (n, 3, 3)."""
    return (vectors @ _CROSSES).reshape(-1, 3, 3)


def _of_markers(axes: Floats, places: Floats) -> Floats:
    """Return 4x4 poses of markers' frames from those of their planes: x right, y up, z out."""
    made = np.zeros((len(axes), 4, 4))
    made[:, :3, 0], made[:, :3, 1], made[:, :3, 2] = axes[..., 0], -axes[..., 2], axes[..., 1]
    made[:, :3, 3], made[:, 3, 3] = places, 1.0
    return made
