"""Where the floor ahead ends: the first edge from below in each column (spec 15 §7).

The ground's frame is ``base_footprint``: z = 0 is the floor and x looks ahead; m.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from .camera import Camera
from .floor_edges import MARGIN, STRIP, Strips, strip_edges
from .footprints import feet

Gray = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]

NEAREST, FARTHEST = 0.06, 0.40
"""m ahead between which edges are looked for; farther a row of pixels is more than 10 mm of
floor."""
_BLIND = 0.13
"""m ahead at which the floor in sight must have begun: what stands nearer would not be seen."""

_RIM = 9
"""Rows at the picture's lower edge that are not looked at: colour pictures may have a dark rim."""
_LEAST_ROWS = 10
_KERNEL = np.ones((7, 9), np.uint8)
"""Pixels around what hides the floor in which the edge filter would still see it."""


@dataclass(frozen=True, slots=True, eq=False)
class GroundEdges:
    """For each column of a picture, from left to right."""

    rows: Floats
    """Of the edge, pixels; NaN where there is none."""
    points: Floats
    """(n, 2) of the edge; NaN where there is none."""
    starts: Floats
    """(n, 2) from where on the floor is seen; NaN where it is not, or only far ahead."""
    clear: Floats
    """(n, 2) up to where the floor was seen to be clear; NaN as ``starts`` and where not sure."""
    reach: float
    """m ahead up to which was looked."""


def ground_edges(
    gray: Gray,
    camera: Camera,
    pose: Floats,
    hidden: Sequence[Floats] = (),
    markers: Sequence[npt.ArrayLike] = (),
    nearest: float = NEAREST,
    farthest: float = FARTHEST,
) -> GroundEdges:
    """Return where the floor ends.

    ``pose``: of the optical frame; ``hidden``: outlines, (n, 2) pixels, of what of the robot
    itself is in the picture; ``markers``: corners of those of cubes, (4, 2) pixels from the upper
    left as seen, clockwise.
    """
    height, width = gray.shape
    ahead, top, bottom = _rows_between(camera, pose, height, nearest, farthest)
    if bottom - top < _LEAST_ROWS:
        nothing = np.full((width, 2), np.nan)
        return GroundEdges(nothing[:, 0], nothing, nothing, nothing, 0.0)
    # From here on rows count upwards from the bottom.
    begins = ahead[top : bottom + 1][::-1]
    start, end = np.zeros(width, np.intp), np.full(width, len(begins) - 1)
    if hidden:
        start, end = _open_rows(_mask(hidden, gray.shape)[top : bottom + 1][::-1])
    is_known = (start <= end) & (begins[np.minimum(start, len(begins) - 1)] <= _BLIND)
    # Column 0 is noisy.
    is_known[[0, -1]] = False
    of = np.minimum(np.arange(width) // STRIP, width // STRIP - 1)
    horizon = bottom - (camera.cy - camera.fy * pose[2, 2] / pose[2, 1])
    found = strip_edges(
        _strips(gray, top, bottom, begins, start, end, is_known, camera.fy, horizon)
    )
    rows = np.where(is_known, found.rows[of], np.nan)
    is_unclear = found.is_unclear[of]
    if markers:
        of_cubes = bottom - feet(markers, camera, pose, width)
        is_foot = is_known & (of_cubes >= start) & (of_cubes <= end) & ~(rows <= of_cubes)
        rows[is_foot] = of_cubes[is_foot]
        is_unclear[is_foot] = False
    is_edge = np.isfinite(rows)
    pixels = np.concatenate((np.where(is_edge, rows, np.minimum(end, found.ends[of])), start))
    columns = np.tile(np.arange(width), 2)
    places = camera.on_ground(np.column_stack((columns, bottom - pixels)), pose)
    places[~np.tile(is_known, 2)] = np.nan
    clear, starts = places[:width], places[width:]
    # There may be something: the floor is not known to be clear.
    clear[is_unclear] = np.nan
    points = np.where(is_edge[:, None], clear, np.nan)
    return GroundEdges(bottom - rows, points, starts, clear, float(ahead[top]))


def _strips(
    gray: Gray,
    top: int,
    bottom: int,
    ahead: Floats,
    start: npt.NDArray[np.intp],
    end: npt.NDArray[np.intp],
    is_known: npt.NDArray[np.bool_],
    focal_length: float,
    horizon: float,
) -> Strips:
    """Return the strips of a picture's rows from ``bottom`` up to ``top``."""
    count = gray.shape[1] // STRIP
    width = count * STRIP
    part = gray[max(top - MARGIN, 0) : bottom + MARGIN + 1, :width]
    part = cv2.resize(part, (count, len(part)), interpolation=cv2.INTER_AREA)[::-1]
    missing = max(MARGIN - top, 0)
    part = cv2.copyMakeBorder(part, 0, missing, 0, 0, cv2.BORDER_REPLICATE)
    low, high, known = (one[:width].reshape(count, STRIP) for one in (start, end, is_known))
    at = np.arange(len(ahead))[:, None]
    is_open = (at >= low.max(axis=1)) & (at <= high.min(axis=1)) & (known.sum(axis=1) >= STRIP - 1)
    return Strips(part.astype(np.uint8), ahead, is_open, focal_length, horizon)


@dataclass(frozen=True, slots=True, eq=False)
class GroundScan:
    """Ranges over bearings from the right to the left, as of a laser (REP 117)."""

    ranges: npt.NDArray[np.float32]
    """m; inf where the floor is clear to ``range_max``, NaN where it is not seen."""
    range_min: float
    """m; what is nearer is not seen."""
    range_max: float


SCAN_ANGLE, SCAN_STEP = 0.5, 0.02
"""rad to either side, and between two rays."""
_SHORT = 0.02
"""m by which a column that was seen as far as others may end nearer."""


def ground_scan(edges: GroundEdges) -> GroundScan | None:
    """Return the edges as a scan from the frame's origin; None where no floor is in sight."""
    known = np.isfinite(edges.clear).all(axis=1)
    if not known.any():
        return None
    is_edge, ends = np.isfinite(edges.rows[known]), edges.clear[known]
    distances = np.where(is_edge, np.hypot(*ends.T), np.inf)
    is_cut_short = ~is_edge & (ends[:, 0] < edges.reach - _SHORT)
    count = round(2 * SCAN_ANGLE / SCAN_STEP) + 1
    ray = np.rint((np.arctan2(ends[:, 1], ends[:, 0]) + SCAN_ANGLE) / SCAN_STEP).astype(int)
    ray = np.where((ray >= 0) & (ray < count), ray, count)
    ranges = np.full(count + 1, np.inf)
    np.minimum.at(ranges, ray, distances)
    is_seen = np.isin(np.arange(count + 1), ray)
    is_seen &= np.isfinite(ranges) | ~np.isin(np.arange(count + 1), ray[is_cut_short])
    ranges[ranges > edges.reach] = np.inf
    ranges[~is_seen] = np.nan
    nearest = float(np.hypot(*edges.starts[known].T).min())
    return GroundScan(ranges[:count].astype(np.float32), nearest, edges.reach)


def _rows_between(
    camera: Camera, pose: Floats, height: int, nearest: float, farthest: float
) -> tuple[Floats, int, int]:
    """Return how far ahead each row sees the floor, and the first and last row to look at."""
    middle = np.full(height, camera.cx)
    ahead = camera.on_ground(np.column_stack((middle, np.arange(height))), pose)[:, 0]
    within = np.flatnonzero((ahead >= nearest) & (ahead <= farthest))
    if not len(within):
        return ahead, 0, 0
    return ahead, int(within[0]), min(int(within[-1]), height - _RIM)


def _mask(outlines: Sequence[Floats], shape: tuple[int, int]) -> Gray:
    """Return 1 for pixels in or near convex outlines."""
    mask = np.zeros(shape, np.uint8)
    for points in outlines:
        hull = cv2.convexHull(np.clip(points, -1e4, 1e4).astype(np.float32))
        cv2.fillConvexPoly(mask, np.rint(hull).astype(np.int32), 1)
    return cv2.dilate(mask, _KERNEL).astype(np.uint8)


def _open_rows(hidden: Gray) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the first and the last row of each column's lowest stretch in sight."""
    # Along rows the first one is found much faster.
    is_hidden = np.ascontiguousarray(hidden.T) > 0
    columns, count = np.arange(len(is_hidden)), is_hidden.shape[1]
    start = is_hidden.argmin(axis=1)
    start = np.where(is_hidden[columns, start], count, start)
    beyond = is_hidden & (np.arange(count) > start[:, None])
    end = beyond.argmax(axis=1)
    return start, np.where(beyond[columns, end], end, count) - 1
