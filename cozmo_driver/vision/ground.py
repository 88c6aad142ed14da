"""Where the floor ahead ends: the first edge from below in each column (spec 15 §7)."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from .camera import Camera

Gray = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]

NEAREST, FARTHEST = 0.06, 0.40
"""m ahead of the ground frame's origin between which edges are looked for: nearer the robot's own
lift is in sight, farther a row of pixels is more than 10 mm of floor."""

_SMOOTHING = np.array([0.0545, 0.2442, 0.4026, 0.2442, 0.0545], np.float32)
_DIFFERENCE = np.array([0.3086, 0.6914, 0.0, 0.0, 0.0, -0.6914, -0.3086], np.float32)
_LEAST_RESPONSE = 35.0
"""Gray levels between the floor and what ends it; the engine's 50 misses walls as light as it."""
_RIM = 9
"""Rows that are not looked at, with the kernel's three."""
_REACH = 4
"""Rows above the first strong one within which the strongest one is the edge."""
_CHAIN, _STEP = 3, 3.0
"""Least columns side by side that an edge has, and rows between two of them."""


@dataclass(frozen=True, slots=True, eq=False)
class GroundEdges:
    """For each column of a picture, from left to right."""

    rows: Floats
    """Of the edge, pixels; NaN where there is none."""
    points: Floats
    """(n, 2) of the edge in the ground's frame, m; NaN where there is none."""
    clear: Floats
    """(n, 2) up to where the floor was seen to be clear; NaN where no floor is in sight."""


def ground_edges(
    gray: Gray,
    camera: Camera,
    pose: Floats,
    nearest: float = NEAREST,
    farthest: float = FARTHEST,
    least_response: float = _LEAST_RESPONSE,
) -> GroundEdges:
    """Return where the floor ends.

    ``pose``: of the optical frame in a frame whose z = 0 is the floor and whose x looks ahead;
    ``least_response``: gray levels between the floor and what ends it.
    """
    height, width = gray.shape
    middle = np.full(height, camera.cx)
    ahead = camera.on_ground(np.column_stack((middle, np.arange(height))), pose)[:, 0]
    within = np.flatnonzero((ahead >= nearest) & (ahead <= farthest))
    nothing = np.full((width, 2), np.nan)
    if len(within) == 0:
        return GroundEdges(nothing[:, 0], nothing, nothing)
    top, bottom = int(within[0]), int(within[-1])
    response = np.abs(cv2.sepFilter2D(gray, cv2.CV_32F, _SMOOTHING, _DIFFERENCE))
    # Colour pictures may have a dark rim below.
    bottom = min(bottom, height - _RIM)
    if bottom - top < _REACH:
        return GroundEdges(nothing[:, 0], nothing, nothing)
    part = response[top : bottom + 1][::-1]
    rows = bottom - _first_edges(part, least_response)
    rows[[0, -1]] = np.nan
    rows[~_is_in_chain(rows)] = np.nan
    columns = np.arange(width)
    points = camera.on_ground(np.column_stack((columns, np.nan_to_num(rows, nan=bottom))), pose)
    ends = camera.on_ground(np.column_stack((columns, np.full(width, top))), pose)
    is_edge = np.isfinite(rows)[:, None]
    return GroundEdges(rows, np.where(is_edge, points, np.nan), np.where(is_edge, points, ends))


def _first_edges(response: npt.NDArray[np.float32], least: float) -> Floats:
    """Return for each column how many rows from the first one its first edge is; NaN for none."""
    height, width = response.shape
    strong = response > least
    first = strong.argmax(axis=0)
    columns = np.arange(width)
    reach = np.minimum(first[None, :] + np.arange(_REACH + 1)[:, None], height - 1)
    best = reach[response[reach, columns].argmax(axis=0), columns]
    inner = np.clip(best, 1, height - 2)
    before, at, after = (response[inner + step, columns] for step in (-1, 0, 1))
    bend = before - 2.0 * at + after
    shift = np.where(bend < 0.0, 0.5 * (before - after) / np.where(bend < 0.0, bend, 1.0), 0.0)
    found = np.where(best == inner, best + np.clip(shift, -0.5, 0.5), best)
    return np.where(strong.any(axis=0), found, np.nan)


def _is_in_chain(rows: Floats) -> npt.NDArray[np.bool_]:
    """Return which columns have neighbours whose edges continue theirs."""
    with np.errstate(invalid="ignore"):
        breaks = ~(np.abs(np.diff(rows)) <= _STEP)
    chain = np.concatenate(([0], np.cumsum(breaks)))
    return np.isfinite(rows) & (np.bincount(chain)[chain] >= _CHAIN)
