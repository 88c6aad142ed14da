"""Quadrilaterals in images: (n, 4, 2) corners in pixels, clockwise."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

Gray = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]


def homographies(quads: Floats) -> Floats:
    """Return what maps the unit square to each quadrilateral, (n, 3, 3)."""
    x, y = quads[:, :, 0].astype(np.float64).T, quads[:, :, 1].astype(np.float64).T
    dx1, dx2, sx = x[1] - x[2], x[3] - x[2], x[0] - x[1] + x[2] - x[3]
    dy1, dy2, sy = y[1] - y[2], y[3] - y[2], y[0] - y[1] + y[2] - y[3]
    whole = dx1 * dy2 - dx2 * dy1
    whole = np.where(np.abs(whole) < 1e-6, 1e-6, whole)
    g, h = (sx * dy2 - dx2 * sy) / whole, (dx1 * sy - sx * dy1) / whole
    rows = [x[1] - x[0] + g * x[1], x[3] - x[0] + h * x[3], x[0]]
    rows += [y[1] - y[0] + g * y[1], y[3] - y[0] + h * y[3], y[0]]
    rows += [g, h, np.ones_like(g)]
    return np.stack(rows, axis=-1).reshape(-1, 3, 3).astype(np.float32)


def mapped_points(matrices: Floats, points: Floats) -> Floats:
    """Map points (m, 2), or (n, m, 2) of their own, by each of n matrices: (n, m, 2)."""
    # Not by matmul, whose threads cost more than they save here.
    x, y = points[..., 0], points[..., 1]
    rows = [matrices[:, i, :, None] for i in range(3)]
    across, down, depth = (row[:, 0] * x + row[:, 1] * y + row[:, 2] for row in rows)
    mapped: Floats = np.stack([across / depth, down / depth], axis=-1)
    return mapped


def sampled(gray: Gray, matrices: Floats, points: Floats) -> Floats:
    """Return the levels at points of the unit square, (n, m)."""
    at = mapped_points(matrices, points)
    levels = cv2.remap(
        gray, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return levels.astype(np.float32)


def signed_areas(quads: Floats) -> Floats:
    """Return the areas, positive for corners that go round clockwise in the image."""
    x, y = quads[..., 0], quads[..., 1]
    across, down = x[:, 2:] - x[:, :2], y[:, 2:] - y[:, :2]
    return np.float32(0.5) * (across[:, 0] * down[:, 1] - across[:, 1] * down[:, 0])


def side_lengths(quads: Floats) -> Floats:
    """Return the lengths from each corner to the next one, (n, 4)."""
    across, down = np.moveaxis(quads - quads[:, [1, 2, 3, 0]], -1, 0)
    return np.hypot(across, down).astype(np.float32)


def from_upper_left(quad: Floats) -> Floats:
    """Start with the corner that is the upper left one in the image."""
    return np.roll(quad, -int(quad.sum(axis=1).argmin()), axis=0)
