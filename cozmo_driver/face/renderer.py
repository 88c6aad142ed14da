"""Pictures of faces: eyes, lids, the turn of the whole face, rows that stay dark (spec 04 §5).

The numbers are those of the app's engine: single precision, each point rounded half to even.
Outline and lids of an eye are points about its middle, x towards the nose, y down; the eye is 30 px
wide and 40 px high, and a corner with a radius below 1 px is sharp.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from operator import mul
from typing import Any

import numpy as np
import numpy.typing as npt

from ..media import DISPLAY_HEIGHT, DISPLAY_WIDTH
from .parameters import Eye, Face, clip
from .polygon import STRIDE, fill

HALF_WIDTH, HALF_HEIGHT = 15, 20
EYE_HEIGHT = 2 * HALF_HEIGHT
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
    # Whole degrees where they were meant: they are cut off, not rounded.
    degrees = math.trunc(round(math.degrees(angle), 3))
    rise, half_length = HALF_WIDTH * math.tan(angle), HALF_WIDTH / math.cos(angle)
    return (
        nearest(y * EYE_HEIGHT),
        nearest(rise),
        nearest(half_length),
        degrees,
        nearest(bend * EYE_HEIGHT),
    )


def nearest(length: float) -> int:
    """Round as in single precision: 0.9 of 15 is 13.5, however 0.9 was written."""
    return round(round(length, 5))


UPPER, LOWER = -1, 1


def lid_area(which: int, y: int, rise: int, half_length: int, degrees: int, bend: int) -> Points:
    """Return the area that the ``UPPER`` or ``LOWER`` lid hides; it bulges into the eye."""
    edge, end = which * (HALF_HEIGHT - y), which * _LID_HALF_WIDTH
    points = [
        (end, edge + which * rise),
        (end, which * _LID_EDGE),
        (-end, which * _LID_EDGE),
        (-end, edge - which * rise),
    ]
    if bend:
        start = 180 if which is LOWER else 0
        points += arc((0, edge), (half_length, bend), degrees, start, start + 180)
    return _points(points)


def _points(points: list[tuple[int, int]]) -> Points:
    made = np.array(points, np.float32)
    made.flags.writeable = False
    return made


FacePicture = npt.NDArray[np.bool_]
"""64 rows of 128 pixels, row 0 at the top; a lit pixel is True. It cannot be written to."""

_EYES_X, _EYES_Y = (32.0, 96.0), 32.0
_HALF_SIZES = (HALF_WIDTH, HALF_HEIGHT) * 4
_MIDDLE_X, _MIDDLE_Y = DISPLAY_WIDTH / 2, DISPLAY_HEIGHT / 2
_FAR = 16383.0
"""Corners are kept within so many px: what is farther away is not seen."""
_KEPT = 512
_CANVAS = (1 << STRIDE * DISPLAY_HEIGHT) - 1
_ROW_BYTES = STRIDE // 8
_WARP_BITS = 10
"""Binary places of the coordinates when the whole face is turned."""
_WARP_ONE, _WARP_HALF, _WARP_MOST = 1 << _WARP_BITS, 1 << _WARP_BITS - 1, 2.0**30

_LEAST = 1e-12
"""Of the area of a pixel; a face as small as that is not seen."""

_Row = tuple[float, float, float]
_Whole = npt.NDArray[np.int64]


def render(face: Face, parity: int | None = 0) -> FacePicture:
    """Return the picture of a face; the same again for the same face.

    Parity 0 lights the odd rows; parity 1 the even ones, with the eyes 1 px lower; ``None`` all of
    them. Parameters are clipped and the face is kept on the screen. Raises ``ValueError`` for a
    parameter that is not a finite number.
    """
    if parity not in (0, 1, None):
        raise ValueError(f"the parity is 0, 1 or None, not {parity}")
    return _render(face, parity)


@lru_cache(_KEPT)
def _render(face: Face, parity: int | None) -> FacePicture:
    face = clip(face)
    center_x, center_y = clamped_center(face)
    is_moved_only = (face.angle, face.scale_x, face.scale_y) == (0.0, 1.0, 1.0)
    bitmap = _draw(face, parity or 0)
    if is_moved_only:
        bitmap = _move(bitmap, center_x, center_y)
    data = bitmap.to_bytes(DISPLAY_HEIGHT * _ROW_BYTES, "little")
    rows = np.frombuffer(data, np.uint8).reshape(DISPLAY_HEIGHT, _ROW_BYTES)[
        :, : DISPLAY_WIDTH // 8
    ]
    picture = np.unpackbits(rows, axis=1, bitorder="little").view(np.bool_)
    if not is_moved_only:
        picture = _warp(picture, face, center_x, center_y)
    if parity is not None:
        picture[parity::2] = False
    picture.flags.writeable = False
    return picture


# -- eyes


def _draw(face: Face, shift: int) -> int:
    """Return the bitmap of both eyes ``shift`` px lower; the second one covers the first."""
    left, right = face.left_eye, face.right_eye
    parts = (*_form(0, left.values), *_form(1, right.values))
    placed = place(np.concatenate(parts), left, right, shift)
    bitmap = end = 0
    areas = []
    for part in parts:
        start, end = end, end + len(part)
        areas.append(fill(placed[start:end]))
    for white, upper, lower in (areas[:3], areas[3:]):
        bitmap = (bitmap | white) & ~(upper | lower)
    return bitmap


def _form(side: int, values: tuple[float, ...]) -> tuple[Points, Points, Points]:
    radii = [nearest(radius) for radius in map(mul, values[5:13], _HALF_SIZES)]
    return (
        _part(side, outline, *radii),
        _part(side, lid_area, UPPER, *lid(*values[13:16])),
        _part(side, lid_area, LOWER, *lid(*values[16:19])),
    )


@lru_cache(4096)
def _part(side: int, shape: Callable[..., Points], *numbers: int) -> Points:
    """Return a shape of an eye, its points as ``place`` takes them."""
    area = shape(*numbers)
    points = np.zeros((len(area), 6), np.float32)
    points[:, 3 * side : 3 * side + 2] = area
    points[:, 3 * side + 2] = 1.0
    return points


def place(points: Points, left: Eye, right: Eye, shift: int) -> npt.NDArray[np.int16]:
    """Return where points of the eyes are on the canvas.

    Of a row the first three numbers are x, y and 1 of a point of the left eye, the others of one
    of the right eye; those of the other eye are 0.
    """
    matrix = np.array([*_motion(left, _EYES_X[0], 1.0), *_motion(right, _EYES_X[1], -1.0)])
    placed = np.rint(points @ matrix.astype(np.float32))
    whole = np.clip(placed, -_FAR, _FAR, out=placed).astype(np.int16)
    if shift:
        whole[:, 1] += shift
    return whole


def _motion(eye: Eye, base_x: float, mirror: float) -> tuple[tuple[float, float], ...]:
    """Return where one px along x and y leads to, and where the eye's middle is."""
    cosine, sine = math.cos(eye.angle), math.sin(eye.angle)
    return (
        (mirror * cosine * eye.scale_x, -mirror * sine * eye.scale_x),
        (sine * eye.scale_y, cosine * eye.scale_y),
        (base_x + eye.center_x, _EYES_Y + eye.center_y),
    )


# -- the whole face


def clamped_center(face: Face) -> tuple[float, float]:
    """Return the nearest centre of the face with which both eyes stay on the screen.

    For a face that is larger than the screen that is the middle, or towards it.
    """
    eyes = list(zip(_EYES_X, (face.left_eye, face.right_eye), strict=True))
    lefts, rights, tops, bottoms = [], [], [], []
    for base, eye in eyes:
        half_width, half_height = eye.scale_x * HALF_WIDTH, eye.scale_y * HALF_HEIGHT
        x, y = base + eye.center_x - _MIDDLE_X, _EYES_Y + eye.center_y - _MIDDLE_Y
        lefts.append(_MIDDLE_X + face.scale_x * (x - half_width))
        rights.append(_MIDDLE_X + face.scale_x * (x + half_width))
        tops.append(_MIDDLE_Y + face.scale_y * (y - half_height))
        bottoms.append(_MIDDLE_Y + face.scale_y * (y + half_height))
    return (
        _within(face.center_x, -min(lefts), DISPLAY_WIDTH - max(rights)),
        _within(face.center_y, -min(tops), DISPLAY_HEIGHT - max(bottoms)),
    )


def _within(value: float, low: float, high: float) -> float:
    return min(max(value, min(low, 0.0)), max(high, 0.0))


def _move(bitmap: int, x: float, y: float) -> int:
    """Return what ``_warp`` does to a face of its own size that is upright."""
    columns, rows = (-(round(-shift * _WARP_ONE) + _WARP_HALF >> _WARP_BITS) for shift in (x, y))
    places = STRIDE * rows + columns
    moved = bitmap << places if places >= 0 else bitmap >> -places
    # What leaves a row is beyond the columns that are seen.
    return moved & _CANVAS


def _warp(picture: FacePicture, face: Face, center_x: float, center_y: float) -> FacePicture:
    """Return the picture turned, scaled and moved, each pixel the nearest one of the original.

    The inverse is looked up in fixed-point numbers, as OpenCV's warpAffine does it.
    """
    (a, b, c), (d, e, f) = _inverse(face, center_x, center_y)
    rows, columns = np.arange(DISPLAY_HEIGHT), np.arange(DISPLAY_WIDTH)
    from_x, step_x = _fixed(b * rows + c) + _WARP_HALF, _fixed(a * columns)
    from_y, step_y = _fixed(e * rows + f) + _WARP_HALF, _fixed(d * columns)
    x = np.add.outer(from_x, step_x) >> _WARP_BITS
    y = np.add.outer(from_y, step_y) >> _WARP_BITS
    is_inside = (x >= 0) & (x < DISPLAY_WIDTH) & (y >= 0) & (y < DISPLAY_HEIGHT)
    turned: FacePicture = picture.ravel().take(DISPLAY_WIDTH * y + x, mode="clip") & is_inside
    return turned


def _inverse(face: Face, center_x: float, center_y: float) -> tuple[_Row, _Row]:
    """Return the map from a pixel of the turned picture to the original one, as two rows."""
    cosine, sine = math.cos(face.angle), math.sin(face.angle)
    a, b = cosine * face.scale_x, sine * face.scale_y
    d, e = -sine * face.scale_x, cosine * face.scale_y
    c = _MIDDLE_X - a * _MIDDLE_X - b * _MIDDLE_Y + center_x
    f = _MIDDLE_Y - d * _MIDDLE_X - e * _MIDDLE_Y + center_y
    area = a * e - b * d
    one = 1.0 / area if area > _LEAST else 0.0
    a, b, d, e = e * one, -b * one, -d * one, a * one
    return (a, b, -a * c - b * f), (d, e, -d * c - e * f)


def _fixed(numbers: npt.NDArray[np.floating[Any]]) -> _Whole:
    return np.rint(np.clip(numbers * _WARP_ONE, -_WARP_MOST, _WARP_MOST)).astype(np.int64)
