"""Where cubes meet the floor, by their markers in the same picture."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from ..media.signs import CUBE_SIGN_SIZE
from .camera import Camera
from .objects import CUBE_SIZE

Floats = npt.NDArray[np.float64]

_EDGE = CUBE_SIZE[0]
_MARKER = np.float32(CUBE_SIGN_SIZE / 2) * np.array(
    [[-1, 1], [1, 1], [1, -1], [-1, -1]], np.float32
)
_LOWER_EDGE = _EDGE / 2 * np.array([[[-1.0, -1.0], [1.0, -1.0]]])
_OFF = 0.15
"""Share by which the lower edge of a side may seem longer or shorter on the floor: that of a cube
on another is farther off."""


def feet(markers: Sequence[npt.ArrayLike], camera: Camera, pose: Floats, width: int) -> Floats:
    """Return for each column of a picture the row in which a cube meets the floor; NaN for none.

    ``markers``: corners of those of cubes, (4, 2) pixels from the upper left as seen, clockwise;
    ``pose``: of the optical frame over the ground.
    """
    rows, columns = np.full(width, np.nan), np.arange(width)
    for corners in markers:
        outline = _footprint(corners, camera, pose)
        if outline is None:
            continue
        for edge in zip(outline, np.roll(outline, 1, axis=0), strict=True):
            (left, low), (right, high) = sorted(map(tuple, edge))
            seen = np.interp(columns, (left, right), (low, high), np.nan, np.nan)
            rows = np.fmax(rows, seen)
    return rows


def _footprint(corners: npt.ArrayLike, camera: Camera, pose: Floats) -> Floats | None:
    """Return the corners, pixels, of where a cube stands; None if that is not on the floor."""
    directions = camera.directions(corners).astype(np.float32)
    from_side = cv2.getPerspectiveTransform(_MARKER, directions)
    lower = cv2.perspectiveTransform(_LOWER_EDGE, from_side)[0]
    front = camera.on_ground(camera.project(np.column_stack((lower, np.ones(2)))), pose)
    across = front[1] - front[0]
    # Nor is NaN near it.
    if not abs(np.hypot(*across) - _EDGE) < _OFF * _EDGE:
        return None
    depth = np.array([-across[1], across[0]])
    if depth @ (front[0] - pose[:2, 3]) < 0.0:
        depth = -depth
    places = np.column_stack((np.concatenate((front, front[::-1] + depth)), np.zeros(4)))
    outline = camera.project((places - pose[:3, 3]) @ pose[:3, :3])
    return outline if np.isfinite(outline).all() else None
