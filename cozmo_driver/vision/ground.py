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

Gray = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]

NEAREST, FARTHEST = 0.06, 0.40
"""m ahead between which edges are looked for; farther a row of pixels is more than 10 mm of
floor."""
_BLIND = 0.13
"""m ahead at which the floor in sight must have begun: what stands nearer would not be seen."""

_SMOOTHING = cv2.getGaussianKernel(9, 2.0, cv2.CV_32F)
_DIFFERENCE = np.array([0.3086, 0.6914, 0.0, -0.6914, -0.3086], np.float32)
"""So short that the soft shadow before a thing is less of an edge than the thing's foot."""
_LEAST_RESPONSE, _ENOUGH = 6.0, 40.0
"""Gray levels between the floor and what ends it, on a plain one and on a pattern; the engine's 50
misses walls as light as the floor."""
_NEAR_ROWS, _SHARE, _TEXTURE, _GRAIN = 0.6, 0.97, 2.0, 8.0
"""In the lower rows in sight this share of pixels has less than the pattern. By the first factor an
edge must exceed that, but not more than it must exceed the median by the second one: a wall close
by is no pattern."""
_RIM = 9
"""Rows that are not looked at, with the kernel's two."""
_KERNEL = np.ones((7, 9), np.uint8)
"""Pixels around what hides the floor in which the edge filter would still see it."""
_REACH = 10
"""Rows above the first strong one within which the strongest one is the edge."""
_BROAD, _CERTAIN = 10, 1.3
"""Columns of strong pixels that hang together; what is narrower is noise, but for pixels that are
stronger still by this factor."""
_CHAIN, _STEP = 5, 3.0
"""Least columns side by side that an edge has, and rows between two of them."""


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
    nearest: float = NEAREST,
    farthest: float = FARTHEST,
) -> GroundEdges:
    """Return where the floor ends.

    ``pose``: of the optical frame; ``hidden``: outlines, (n, 2) pixels, of what of the robot
    itself is in the picture.
    """
    height, width = gray.shape
    ahead, top, bottom = _rows_between(camera, pose, height, nearest, farthest)
    if bottom - top < _REACH:
        nothing = np.full((width, 2), np.nan)
        return GroundEdges(nothing[:, 0], nothing, nothing, nothing, 0.0)
    # From here on rows count upwards from the bottom.
    response = np.abs(cv2.sepFilter2D(gray, cv2.CV_32F, _SMOOTHING, _DIFFERENCE))
    response = response[top : bottom + 1][::-1]
    begins = ahead[top : bottom + 1][::-1]
    start, end = np.zeros(width, np.intp), np.full(width, len(response) - 1)
    if hidden:
        start, end = _open_rows(_mask(hidden, gray.shape)[top : bottom + 1][::-1])
    is_known = (start <= end) & (begins[np.minimum(start, len(begins) - 1)] <= _BLIND)
    # Column 0 is noisy, and the filter mirrors the picture at its sides.
    is_known[[0, -1]] = False
    at = np.arange(len(response))[:, None]
    is_floor = (at >= start) & (at <= end) & is_known
    least = _least_response(response, is_floor)
    rows = _first_edges(np.where(is_floor, response, 0.0), least)
    is_edge = _is_in_chain(rows)
    # What is too narrow may be noise or a thing: the floor is not known to be clear there.
    is_unclear = ~is_edge & np.isfinite(rows)
    rows[~is_edge] = np.nan

    def places(of: Floats) -> Floats:
        pixels = np.column_stack((np.arange(width), bottom - of))
        return np.where(is_known[:, None], camera.on_ground(pixels, pose), np.nan)

    clear = places(np.where(is_edge, rows, end))
    clear[is_unclear] = np.nan
    return GroundEdges(
        bottom - rows,
        np.where(is_edge[:, None], clear, np.nan),
        places(start.astype(float)),
        clear,
        float(ahead[top]),
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
    # Colour pictures may have a dark rim below.
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
    is_open, count = hidden == 0, len(hidden)
    start = np.where(is_open.any(axis=0), is_open.argmax(axis=0), count)
    beyond = ~is_open & (np.arange(count)[:, None] > start)
    return start, np.where(beyond.any(axis=0), beyond.argmax(axis=0), count) - 1


def _least_response(response: npt.NDArray[np.float32], is_floor: npt.NDArray[np.bool_]) -> float:
    """Return from what on a response is an edge, by a sixth of the lower rows' pixels."""
    rows = slice(0, round(_NEAR_ROWS * len(response)), 2)
    part = response[rows, ::3][is_floor[rows, ::3]]
    if len(part) == 0:
        return _LEAST_RESPONSE
    grain, pattern = np.quantile(part, (0.5, _SHARE)).tolist()
    return min(max(_LEAST_RESPONSE, _TEXTURE * pattern), max(_ENOUGH, _GRAIN * grain))


def _first_edges(response: npt.NDArray[np.float32], least: float) -> Floats:
    """Return for each column how many rows from the first one its first edge is; NaN for none."""
    height, width = response.shape
    _, labels, boxes, _ = cv2.connectedComponentsWithStats((response > least).astype(np.uint8))
    is_thing = boxes[:, cv2.CC_STAT_WIDTH] >= _BROAD
    is_thing[labels[response > _CERTAIN * least]] = True
    is_thing[0] = False
    strong = is_thing[labels]
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
