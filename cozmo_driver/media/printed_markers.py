"""Our own markers: what the light cubes and the charger of the emulator carry (spec 15 §2.1, 19).

Each has the form of a real one, a dark ring with round corners on white, around a pattern of our
own: dark cells of a field of 4 x 4, grown together. Any two differ in 6 cells or more, however they
are turned, and so does each from itself turned. They are told apart by the codes that the real ones
have.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFilter

CUBE_MARKER_SIZE = 0.025
"""Outer edge of a cube's ring, m."""
CHARGER_MARKER_SIZE = (0.0251, 0.0186)
"""Width and height of the outer edge of the charger's ring, m (spec 15 §4)."""
RING = 0.095
"""Thickness of a cube's ring, in sides of it."""
CHARGER_RING = 0.0011 / CHARGER_MARKER_SIZE[0]
"""Thickness of the charger's ring, in widths of it."""
SIDES = ("back", "bottom", "front", "left", "right", "top")
"""Of a cube, in the order of their codes."""
SIDE_AXES = {
    "front": ((-1.0, 0.0, 0.0), (0.0, 0.0, 1.0)),
    "left": ((0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "back": ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0)),
    "right": ((0.0, -1.0, 0.0), (0.0, 0.0, 1.0)),
    "top": ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0)),
    "bottom": ((0.0, 0.0, -1.0), (-1.0, 0.0, 0.0)),
}
"""Which way each side of a cube or box faces, and which way is up on it (spec 15 §3.1)."""
CHARGER_CODE = 2

CORNER = 0.15
"""Reach of the ring's round corners, in sides of it."""
FIELD = (0.24, 0.76)
"""Where the pattern is, in sides of the ring."""
CHARGER_BOXES = (
    (0.20, 0.28, 0.74, 0.72, True),
    (0.72, 0.40, 0.80, 0.60, True),
    (0.26, 0.37, 0.44, 0.63, False),
    (0.50, 0.37, 0.68, 0.63, False),
)
"""Two light cells in a dark frame, as of a battery, the left one with a pole: left, top, right and
bottom in widths and heights of the ring, and whether it is dark. Later ones lie on earlier ones."""

_FIRST_CODE = 4
_CELLS = 4
_PATTERNS = (
    (0xCF74, 0xE8D1, 0xA32E, 0x7FB0, 0xF23D, 0x8AAB),
    (0x898C, 0x17F5, 0xDF83, 0x03B2, 0x6A60, 0xF1B6),
    (0xC6C9, 0x846C, 0xBAE5, 0x22CF, 0xE87E, 0x5BEC),
)
"""Of cubes 1 to 3 and their ``SIDES``: a bit for each dark cell, row by row, the first the highest.
"""
_FINE = 16
"""Pixels of a cell, and for each pixel of the result, while a marker is drawn."""
_GROWTH = 0.3
"""How far cells grow together and how round they become, in cells."""

_LINEAR = Image.Resampling.BILINEAR

CUBE_CODES = range(_FIRST_CODE, _FIRST_CODE + len(_PATTERNS) * len(SIDES))

Gray = npt.NDArray[np.uint8]


def code_of(cube: int, side: str) -> int:
    """Return the code of a side of cube 1, 2 or 3. Raises ``ValueError`` for others."""
    if not 1 <= cube <= len(_PATTERNS):
        raise ValueError(f"there is no cube {cube}: they are 1 to {len(_PATTERNS)}")
    if side not in SIDES:
        raise ValueError(f"a cube has no side {side!r}: they are {', '.join(SIDES)}")
    return _FIRST_CODE + len(SIDES) * (cube - 1) + SIDES.index(side)


def cube_and_side(code: int) -> tuple[int, str]:
    """Return the cube and the side that carry a code. Raises ``ValueError`` for other codes."""
    if code not in CUBE_CODES:
        raise ValueError(f"no side of a cube has the code {code}")
    cube, side = divmod(code - _FIRST_CODE, len(SIDES))
    return cube + 1, SIDES[side]


def cells_of(code: int) -> list[list[int]]:
    """Return the rows of a cube's pattern, 1 for each dark cell. Raises ``ValueError``."""
    cube, side = cube_and_side(code)
    return _cells(_PATTERNS[cube - 1][SIDES.index(side)])


def _cells(bits: int) -> list[list[int]]:
    return [
        [bits >> 15 - _CELLS * row - column & 1 for column in range(_CELLS)]
        for row in range(_CELLS)
    ]


@lru_cache(maxsize=64)
def draw_marker(code: int, width: int) -> Gray:
    """Return a marker, 0 where it is dark and 255 where it is white, with smooth edges; read only.

    It is ``width`` pixels wide and ends at the outer edge of its ring; outside of the round
    corners it is white. A cube's is square, the charger's flatter (``CHARGER_MARKER_SIZE``).
    Raises ``ValueError`` for codes that have no marker.
    """
    if code == CHARGER_CODE:
        wide, high = CHARGER_MARKER_SIZE
        marker = _charger_marker(width, round(width * high / wide))
    else:
        cube, side = cube_and_side(code)
        marker = _cube_marker(_PATTERNS[cube - 1][SIDES.index(side)], width)
    marker.flags.writeable = False
    return marker


def _cube_marker(bits: int, width: int) -> Gray:
    fine = _scale_of(width)
    picture = _ring(width * fine, width * fine, RING * width * fine)
    low, high = (round(edge * width * fine) for edge in FIELD)
    picture.paste(_pattern(bits).resize((high - low, high - low), _LINEAR), (low, low))
    return np.array(picture.reduce(fine))


def _charger_marker(width: int, height: int) -> Gray:
    fine = _scale_of(width)
    size = width * fine
    picture = _ring(size, height * fine, CHARGER_RING * size)
    draw = ImageDraw.Draw(picture)
    for left, top, right, bottom, is_dark in CHARGER_BOXES:
        corners = (left * size, top * height * fine)
        end = (right * size - 1, bottom * height * fine - 1)
        draw.rectangle((*corners, *end), fill=0 if is_dark else 255)
    return np.array(picture.reduce(fine))


def _scale_of(width: int) -> int:
    """Return how many times finer than its result a marker is drawn."""
    return max(1, min(_FINE, 2048 // width))


def _ring(width: int, height: int, line: float) -> Image.Image:
    picture = Image.new("L", (width, height), 255)
    draw = ImageDraw.Draw(picture)
    outer, inner = CORNER * min(width, height), max(CORNER * min(width, height) - line, 0.0)
    draw.rounded_rectangle((0, 0, width - 1, height - 1), outer, fill=0)
    inside = (line, line, width - 1 - line, height - 1 - line)
    draw.rounded_rectangle(inside, inner, fill=255)
    return picture


@lru_cache(maxsize=32)
def _pattern(bits: int) -> Image.Image:
    cells = _cells(bits)
    dark = np.pad(np.kron(np.array(cells, np.uint8), np.ones((_FINE, _FINE), np.uint8)), _FINE)
    soft = Image.fromarray(255 - 255 * dark).filter(ImageFilter.GaussianBlur(_GROWTH * _FINE))
    edge = soft.point([0 if tone < 128 else 255 for tone in range(256)])
    return edge.crop((_FINE, _FINE, (_CELLS + 1) * _FINE, (_CELLS + 1) * _FINE))
