"""Where the floor ahead ends: the first edge from below in each column (spec 15 §7).

The ground's frame is ``base_footprint``: z = 0 is the floor and x looks ahead; m.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from .camera import Camera, Floats
from .floor_edges import STRIP, Strips, strip_edges
from .quads import Gray

NEAREST, FARTHEST = 0.06, 0.40
"""m ahead between which edges are looked for; farther a row of pixels is more than 10 mm of
floor."""
_BLIND = 0.13
"""m ahead at which the floor in sight must have begun: what stands nearer would not be seen."""

_RIM = 16
"""Rows at the image's lower edge that are not looked at: the lift shades 12 of real images, and
the filters reach 4."""
_LEAST_ROWS = 24
_AROUND = np.ones((25, 13), np.uint8)
"""Pixels around what hides the floor that may be hidden, too: 12 rows and 6 columns are a camera
that is 2 degrees off."""
_ABOVE = 12
"""Rows above the horizon within which the floor must have ended."""


@dataclass(frozen=True, slots=True, eq=False)
class GroundEdges:
    """For each column of an image, from left to right."""

    rows: Floats
    """Of the edge, pixels; NaN where there is none."""
    points: Floats
    """(n, 2) of the edge; NaN where there is none."""
    starts: Floats
    """(n, 2) from where on the floor is seen; NaN where it is not, or only far ahead."""
    clear: Floats
    """(n, 2) up to where the floor is clear even if the camera looks lower than believed: before
    an edge, or ``reach``; NaN where that is not known."""
    reach: float
    """m ahead up to which was looked, if it does."""


def ground_edges(
    gray: Gray,
    camera: Camera,
    pose: Floats,
    hidden: Sequence[Floats] = (),
    doubt: float = 0.0,
) -> GroundEdges:
    """Return where the floor ends.

    ``pose``: of the optical frame; ``hidden``: outlines, (n, 2) pixels, of what of the robot
    itself is in the image; ``doubt``: rad by which the camera may look lower.
    """
    height, width = gray.shape
    ahead, top, bottom = _rows_between(camera, pose, height)
    if bottom - top < _LEAST_ROWS:
        nothing = np.full((width, 2), np.nan)
        return GroundEdges(nothing[:, 0], nothing, nothing, nothing, 0.0)
    strips = _strips(gray, camera, pose, hidden, ahead, top, bottom)
    found = strip_edges(strips)
    limit = len(strips.ahead)
    last = np.where(found.is_clear, limit - 1.0, found.rows)
    first = np.where(strips.is_known, strips.start, np.nan)
    of = np.minimum(np.arange(width) // STRIP, len(last) - 1)
    rows = bottom - np.concatenate((last[of], first[of]))
    pixels = np.column_stack((np.tile(np.arange(width), 2), np.nan_to_num(rows)))
    places, lowered = camera.project_to_ground(pixels, pose), _lowered(pose, doubt)
    places[np.isnan(rows)] = np.nan
    clear = camera.project_to_ground(pixels[:width], lowered)
    clear[np.isnan(rows[:width])] = np.nan
    is_edge = np.isfinite(found.rows)[of]
    points = np.where(is_edge[:, None], places[:width], np.nan)
    ((reach, _),) = camera.project_to_ground([[camera.cx, top]], lowered)
    return GroundEdges(
        np.where(is_edge, rows[:width], np.nan), points, places[width:], clear, float(reach)
    )


def _lowered(pose: Floats, angle: float) -> Floats:
    """Return the pose of a camera that looks lower."""
    down, ahead = pose[:3, 1], pose[:3, 2]
    lowered = pose.copy()
    lowered[:3, 1] = math.cos(angle) * down - math.sin(angle) * ahead
    lowered[:3, 2] = math.cos(angle) * ahead + math.sin(angle) * down
    return lowered


def _strips(
    gray: Gray,
    camera: Camera,
    pose: Floats,
    hidden: Sequence[Floats],
    ahead: Floats,
    top: int,
    bottom: int,
) -> Strips:
    """Return the strips of an image from ``bottom`` up to the horizon or at least to ``top``."""
    horizon = camera.cy - camera.fy * pose[2, 2] / pose[2, 1]
    highest = min(max(round(horizon) - _ABOVE, 0), max(top - _ABOVE, 0))
    rows, count = slice(highest, bottom + 1), gray.shape[1] // STRIP
    width, height = count * STRIP, bottom + 1 - highest
    part = cv2.resize(gray[rows, :width], (count, height), interpolation=cv2.INTER_AREA)
    # Column 0 is noisy.
    part[:, :1] = cv2.resize(gray[rows, 1:STRIP], (1, height), interpolation=cv2.INTER_AREA)
    start, end = np.zeros(count, np.intp), np.full(count, height - 1)
    if hidden:
        mask = _mask(hidden, gray.shape)[rows, :width]
        is_hidden = cv2.resize(mask, (count, height), interpolation=cv2.INTER_AREA)[::-1] > 0
        start, end = _open_rows(is_hidden)
    near = ahead[top : bottom + 1][::-1]
    is_known = near[np.minimum(start, len(near) - 1)] <= _BLIND
    start = np.where(is_known, start, 0)
    sees_horizon = highest <= horizon - _ABOVE / 2
    return Strips(
        part[::-1].astype(np.float32), near, start, end, is_known, sees_horizon, camera.fx / STRIP
    )


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
    distances = np.where(is_edge, np.hypot(*edges.points[known].T), np.inf)
    distances[distances > edges.reach] = np.inf
    is_cut_short = np.isinf(distances) & (ends[:, 0] < edges.reach - _SHORT)
    count = round(2 * SCAN_ANGLE / SCAN_STEP) + 1
    ray = np.rint((np.arctan2(ends[:, 1], ends[:, 0]) + SCAN_ANGLE) / SCAN_STEP).astype(int)
    ray = np.where((ray >= 0) & (ray < count), ray, count)
    ranges = np.full(count + 1, np.inf)
    np.minimum.at(ranges, ray, distances)
    is_seen = np.isin(np.arange(count + 1), ray)
    is_seen &= np.isfinite(ranges) | ~np.isin(np.arange(count + 1), ray[is_cut_short])
    ranges[~is_seen] = np.nan
    nearest = float(np.hypot(*edges.starts[known].T).min())
    return GroundScan(ranges[:count].astype(np.float32), nearest, edges.reach)


def _rows_between(camera: Camera, pose: Floats, height: int) -> tuple[Floats, int, int]:
    """Return how far ahead each row sees the floor, and the first and last row to look at."""
    middle = np.full(height, camera.cx)
    ahead = camera.project_to_ground(np.column_stack((middle, np.arange(height))), pose)[:, 0]
    within = np.flatnonzero((ahead >= NEAREST) & (ahead <= FARTHEST))
    if not len(within):
        return ahead, 0, 0
    return ahead, int(within[0]), min(int(within[-1]), height - _RIM)


def _mask(outlines: Sequence[Floats], shape: tuple[int, int]) -> Gray:
    """Return 255 for pixels in or near convex outlines."""
    mask = np.zeros(shape, np.uint8)
    for points in outlines:
        hull = cv2.convexHull(np.clip(points, -1e4, 1e4).astype(np.float32))
        cv2.fillConvexPoly(mask, np.rint(hull).astype(np.int32), 255)
    return cv2.dilate(mask, _AROUND).astype(np.uint8)


def _open_rows(
    is_hidden: npt.NDArray[np.bool_],
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the first and the last row of each strip's lowest stretch in sight."""
    count = len(is_hidden)
    start = np.where(is_hidden.all(axis=0), count, is_hidden.argmin(axis=0))
    beyond = is_hidden & (np.arange(count)[:, None] > start)
    return start, np.where(beyond.any(axis=0), beyond.argmax(axis=0), count) - 1
