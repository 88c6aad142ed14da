"""How floors, walls, cubes and the charger are painted: gray pictures, row 0 at the top."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from .layout import Floor, Pattern

Gray = npt.NDArray[np.uint8]
_CHECK = 50.0
"""mm, side of a square of a chequered floor."""
_PLANK = (70.0, 400.0)
"""mm, width and length of a plank."""
_CUBE_BODY, _CUBE_FIELD, _WHITE, _DARK = 70, 30, 245, 20
_WALL_PIXELS = (64, 256)
# Which face of cube 1 carries which code (spec 13 §2); each further cube has 6 more.
FACE_CODES = {"front": 6, "left": 7, "back": 4, "right": 8, "top": 9, "bottom": 5}
_CODES_PER_CUBE = 6
CHARGER_CODE = 2
_CELLS = 3


def floor_tones(floor: Floor, x: npt.NDArray[Any], y: npt.NDArray[Any], seed: int) -> Gray:
    """Return the gray of points of a floor, mm in the world."""
    tone = np.full(x.shape, float(floor.gray))
    if floor.pattern is Pattern.CHECKER:
        column, row = np.floor(x / _CHECK), np.floor(y / _CHECK)
        tone += np.where((column + row) % 2 == 0, 22.0, -22.0)
        tone += 14.0 * (_scatter(column, row, seed) - 0.5)
    elif floor.pattern is Pattern.WOOD:
        row = np.floor(y / _PLANK[0])
        along = x + 137.0 * (row % 3)
        column = np.floor(along / _PLANK[1])
        tone += 34.0 * (_scatter(column, row, seed) - 0.5)
        tone += 9.0 * np.sin(y * 0.9 + 3.0 * np.sin(along * 0.011 + row))
        is_joint = (y / _PLANK[0] - row < 0.03) | (along / _PLANK[1] - column < 0.006)
        tone -= np.where(is_joint, 45.0, 0.0)
    else:
        tone += 6.0 * (_scatter(np.floor(x / 4), np.floor(y / 4), seed) - 0.5)
    return np.clip(tone, 0, 255).astype(np.uint8)


@lru_cache(maxsize=256)
def wall(gray: int, number: int) -> Gray:
    """Return a wall's side: stripes and spots that tell one place from another."""
    rows, columns = _WALL_PIXELS
    random = np.random.default_rng(number)
    stripes = np.repeat(random.uniform(-28, 28, columns // 8), 8)
    picture = gray + stripes[None, :] + random.normal(0.0, 3.0, (rows, columns))
    picture[-5:] -= 30.0
    for _ in range(6):
        row, column = random.integers(6, rows - 12), random.integers(0, columns - 12)
        picture[row : row + 6, column : column + 10] += random.choice((-45.0, 45.0))
    return np.clip(picture, 0, 255).astype(np.uint8)


@lru_cache(maxsize=64)
def plain(gray: int) -> Gray:
    """Return one tone."""
    return np.full((1, 1), gray, np.uint8)


@lru_cache(maxsize=32)
def cube_face(number: int, face: str) -> Gray:
    """Return a side of a light cube, 44 mm: our own sign for the face's code, 25 mm wide."""
    code = FACE_CODES[face] + _CODES_PER_CUBE * (number - 1)
    picture = np.full((88, 88), _CUBE_BODY, np.uint8)
    picture[8:-8, 8:-8] = _CUBE_FIELD
    picture[19:69, 19:69] = _sign(code, 50, 50)
    return picture


@lru_cache(maxsize=1)
def charger_wall() -> Gray:
    """Return the charger's wall, 80 x 31 mm: its sign, 27 x 20 mm, with its middle 22 mm up."""
    picture = np.full((62, 160), 215, np.uint8)
    picture[2:44, 40:120] = 35
    picture[3:43, 53:107] = _sign(CHARGER_CODE, 40, 54)
    return picture


def _sign(code: int, rows: int, columns: int) -> Gray:
    """Return a white frame around 3 x 3 cells, none like another one that is turned.

    Of the corners only the upper left one is white; the five other cells are the code's bits.
    """
    cells_of = {(row, column): 0 for row in range(_CELLS) for column in range(_CELLS)}
    cells_of[0, 0] = 1
    for bit, cell in enumerate(((0, 1), (1, 0), (1, 1), (1, 2), (2, 1))):
        cells_of[cell] = code >> bit & 1
    frame = 5
    inside = np.array(list(cells_of.values()), np.uint8).reshape(_CELLS, _CELLS)
    height, width = rows - 4 * frame, columns - 4 * frame
    row, column = np.arange(height) * _CELLS // height, np.arange(width) * _CELLS // width
    picture = np.full((rows, columns), _WHITE, np.uint8)
    picture[frame:-frame, frame:-frame] = _DARK
    cells = np.where(inside[row[:, None], column[None, :]] == 1, _WHITE, _DARK)
    picture[2 * frame : -2 * frame, 2 * frame : -2 * frame] = cells
    return picture


def _scatter(a: npt.NDArray[Any], b: npt.NDArray[Any], seed: int) -> npt.NDArray[Any]:
    """Return numbers from 0 to 1 that look random and are the same for the same place."""
    mixed = np.sin(a * 12.9898 + b * 78.233 + seed * 0.618) * 43758.5453
    fraction: npt.NDArray[Any] = mixed - np.floor(mixed)
    return fraction
