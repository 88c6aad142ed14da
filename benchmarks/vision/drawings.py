"""Sides of light cubes: our own markers, and pen drawings like those on real cubes.

A real cube has one drawing, turned, mirrored or varied from side to side, over a bar that is half
outlined and half filled; top and bottom have none (spec 19). These drawings are random strokes.
"""

from __future__ import annotations

import math
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from cozmo_driver.emulator.world.stickers import EXACT, PrintErrors, coverage
from cozmo_driver.media.printed_markers import CUBE_MARKER_SIZE, SIDES, code_of, draw_marker

Gray = npt.NDArray[np.uint8]

MARKER = 200
"""Pixels of a ring; 8 for each mm."""
SIDE = 352
"""Pixels of a cube's side."""
_EDGE = (SIDE - MARKER) // 2
_STICKER = 12
"""Pixels of white around the ring."""
_CAP = 72


@lru_cache(maxsize=256)
def sign_of(kind: int, cube: int, side: str, print_: int = 0) -> Gray:
    """Return a marker and ``_STICKER`` pixels around it, 0 dark to 255, as it was printed.

    ``kind`` 0 is our own marker, any other number a set of pen drawings. ``print_`` 0 is without
    errors, any other number the seed of those.
    """
    code, errors = code_of(cube, side), EXACT
    if print_:
        errors = PrintErrors.drawn(np.random.default_rng([print_, code]))
    size, pixel = MARKER + 2 * _STICKER, 1000.0 * CUBE_MARKER_SIZE / MARKER
    if kind == 0:
        ink = coverage(code, (size, size), pixel, errors)
        return (255.0 * (1.0 - ink)).astype(np.uint8)
    marker = np.pad(_pen_drawn(kind, cube, side), _STICKER, constant_values=255)
    middle = size / 2 - 0.5
    matrix = cv2.getRotationMatrix2D((middle, middle), -math.degrees(errors.turn), errors.scale)
    matrix[:, 2] += errors.right / pixel, -errors.up / pixel
    return cv2.warpAffine(marker, matrix, (size, size), borderValue=255).astype(np.uint8)


def _pen_drawn(kind: int, cube: int, side: str) -> Gray:
    """Return a marker of pen drawings up to its ring's outer edge."""
    index = SIDES.index(side)
    drawing = _strokes(kind * 10 + cube)
    if index % 2:
        drawing = drawing[:, ::-1]
    drawing = np.rot90(drawing, index // 2 + index % 3)
    marker = draw_marker(code_of(cube, side), MARKER).copy()
    low, high = round(0.12 * MARKER), round(0.88 * MARKER)
    marker[low:high, low:high] = 255
    has_bar = side not in ("top", "bottom")
    top = round((0.20 if has_bar else 0.25) * MARKER)
    left = (MARKER - drawing.shape[1]) // 2
    marker[top : top + drawing.shape[0], left : left + drawing.shape[1]] = drawing
    if has_bar:
        row, half = round(0.74 * MARKER), MARKER // 2
        x0, x1, y1 = round(0.27 * MARKER), round(0.73 * MARKER), round(0.79 * MARKER)
        cv2.rectangle(marker, (x0, row), (x1, y1), 0, 4)
        filled = (x0, half) if index % 2 else (half, x1)
        cv2.rectangle(marker, (filled[0], row), (filled[1], y1), 0, -1)
    return marker


@lru_cache(maxsize=64)
def _strokes(seed: int) -> Gray:
    """Return a drawing of a few thick strokes, half a ring wide."""
    random = np.random.default_rng(seed)
    size = MARKER // 2
    picture = np.full((size, size), 255, np.uint8)
    width = round(0.075 * MARKER)
    low, high = width // 2 + 1, size - width // 2 - 2
    for _ in range(2):
        points = random.integers(low, high, (4, 2)).astype(np.int32)
        cv2.polylines(picture, [points], bool(random.integers(2)), 0, width, cv2.LINE_AA)
    center = random.integers(size // 4, 3 * size // 4, 2).tolist()
    cv2.circle(picture, center, int(random.integers(size // 6, size // 4)), 0, width, cv2.LINE_AA)
    return picture


@lru_cache(maxsize=256)
def side_of(kind: int, cube: int, side: str, lit: int = 0, print_: int = 0) -> Gray:
    """Return a whole side of a cube; ``lit`` has a bit for each corner cap whose LED glows."""
    picture = np.full((SIDE, SIDE), 140, np.uint8)
    # Recessed panels beside the marker, and the frame between them.
    cv2.rectangle(picture, (_CAP + 4, 8), (SIDE - _CAP - 4, _EDGE - 24), 128, -1)
    cv2.rectangle(picture, (_CAP + 4, SIDE - _EDGE + 24), (SIDE - _CAP - 4, SIDE - 8), 122, -1)
    for x in (8, SIDE - _EDGE + 24):
        cv2.rectangle(picture, (x, _CAP + 4), (x + _EDGE - 32, SIDE - _CAP - 4), 118, -1)
    cv2.rectangle(
        picture, (_EDGE - 20, _EDGE - 20), (SIDE - _EDGE + 20, SIDE - _EDGE + 20), 135, -1
    )
    for corner, (x, y) in enumerate(((0, 0), (1, 0), (1, 1), (0, 1))):
        tone = 235 if lit >> corner & 1 else 14
        left, top = x * (SIDE - _CAP), y * (SIDE - _CAP)
        picture[top : top + _CAP, left : left + _CAP] = tone
    low, high = _EDGE - _STICKER, _EDGE + MARKER + _STICKER
    marker = sign_of(kind, cube, side, print_).astype(np.float32)
    picture[low:high, low:high] = 15 + marker * (155 / 255)
    return picture
