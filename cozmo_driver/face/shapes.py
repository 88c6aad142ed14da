"""Outline and lids of an eye, as points about its middle (spec 04 §5).

x is towards the nose, y down; the eye is 30 px wide and 40 px high. A corner with a radius below
1 px is sharp.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import numpy.typing as npt

HALF_WIDTH, HALF_HEIGHT = 15, 20
HEIGHT = 2 * HALF_HEIGHT
_LID_HALF_WIDTH = HALF_WIDTH + 1
_LID_EDGE = HALF_HEIGHT + 1
_STEP = 10
"""Degrees between two points of an arc."""

Points = npt.NDArray[np.float32]
"""Rows of x and y, whole numbers."""

_SINES = np.round(np.sin(np.radians(np.arange(451))), 7).astype(np.float32).astype(np.float64)
"""By degrees, with OpenCV's seven places in single precision: they decide what is a half."""

# (angle the arc starts at, side along x, side along y), in the order of the outline.
_CORNERS = ((270, 1, -1), (0, 1, 1), (90, -1, 1), (180, -1, -1))


def arc(
    center: tuple[int, int], axes: tuple[int, int], turn: int, start: int, end: int
) -> list[tuple[int, int]]:
    """Return the points of an elliptic arc, one every 10 deg, the last at ``end``.

    Angles are whole degrees within 0 to 360, clockwise on the picture. Points are rounded half to
    even; the same point does not follow itself.
    """
    angles = np.minimum(np.arange(start, end + _STEP, _STEP), end)
    x, y = axes[0] * _SINES[450 - angles], axes[1] * _SINES[angles]
    sine, cosine = _SINES[turn % 360], _SINES[450 - turn % 360]
    rounded = np.rint(
        (center[0] + x * cosine - y * sine, center[1] + x * sine + y * cosine)
    ).astype(int)
    points = list(zip(*rounded.tolist(), strict=True))
    return [
        point for point, before in zip(points, [None, *points], strict=False) if point != before
    ]


@lru_cache(512)
def _corner(which: int, radius_x: int, radius_y: int) -> Points:
    start, side_x, side_y = _CORNERS[which]
    if radius_x < 1 or radius_y < 1:
        return _points([(side_x * HALF_WIDTH, side_y * HALF_HEIGHT)])
    center = side_x * (HALF_WIDTH - radius_x), side_y * (HALF_HEIGHT - radius_y)
    return _points(arc(center, (radius_x, radius_y), 0, start, start + 90))


def outline(*radii: int) -> Points:
    """Return the outline of an eye from its eight radii in px, in the app's order."""
    lower_inner, upper_inner, upper_outer, lower_outer = zip(radii[0::2], radii[1::2], strict=True)
    corners = (upper_inner, lower_inner, lower_outer, upper_outer)
    return np.concatenate([_corner(which, *pair) for which, pair in enumerate(corners)])


Lid = tuple[int, int, int, int, int]
"""How far it is closed and its bulge, px, in the first and the last place; between them its angle:
px by which the inner end is lower than the middle, half of its length in px, whole degrees."""


def lid(y: float, angle: float, bend: float) -> Lid:
    """Return a lid from an eye's parameters."""
    # Whole degrees where they were meant: they are cut off, not rounded.
    degrees = math.trunc(round(math.degrees(angle), 3))
    rise, half_length = HALF_WIDTH * math.tan(angle), HALF_WIDTH / math.cos(angle)
    return nearest(y * HEIGHT), nearest(rise), nearest(half_length), degrees, nearest(bend * HEIGHT)


def nearest(length: float) -> int:
    """Round as in single precision: 0.9 of 15 is 13.5, however 0.9 was written."""
    return round(round(length, 5))


def upper_lid(y: int, rise: int, half_length: int, degrees: int, bend: int) -> Points:
    """Return the area that the upper lid, a ``Lid``, hides; it bulges downwards."""
    edge = y - HALF_HEIGHT
    points = [
        (-_LID_HALF_WIDTH, edge - rise),
        (-_LID_HALF_WIDTH, -_LID_EDGE),
        (_LID_HALF_WIDTH, -_LID_EDGE),
        (_LID_HALF_WIDTH, edge + rise),
    ]
    if bend:
        points += arc((0, edge), (half_length, bend), degrees, 0, 180)
    return _points(points)


def lower_lid(y: int, rise: int, half_length: int, degrees: int, bend: int) -> Points:
    """Return the area that the lower lid, a ``Lid``, hides; it bulges upwards."""
    edge = HALF_HEIGHT - y
    points = [
        (_LID_HALF_WIDTH, edge + rise),
        (_LID_HALF_WIDTH, _LID_EDGE),
        (-_LID_HALF_WIDTH, _LID_EDGE),
        (-_LID_HALF_WIDTH, edge - rise),
    ]
    if bend:
        points += arc((0, edge), (half_length, bend), degrees, 180, 360)
    return _points(points)


def _points(points: list[tuple[int, int]]) -> Points:
    made = np.array(points, np.float32)
    made.flags.writeable = False
    return made
