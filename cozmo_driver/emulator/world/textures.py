"""What is on the sides of cubes and charger, and the looks of moving things (spec 15 §2.1, 19)."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from PIL import Image, ImageDraw

from ...media import CHARGER_CODE, CHARGER_MARKER_SIZE, code_of
from .layout import CHARGER_HEIGHT
from .optics import Gray
from .stickers import EXACT, PrintErrors, sticker
from .things import CUBE_EDGE, Form, Print, sizes

_SCALE = 6
"""Pixels per mm."""
_BODY, _GROOVE, _PANEL, _CAP = 168, 95, 128, 14
"""Gray levels where a white wall has 190, by those of real pictures (spec 19)."""
_CAP_SIDE = 9.0
_STICKER_SIDE = 26.5
_CHARGER_STICKER = tuple(zip(CHARGER_MARKER_SIZE, (2.0, 1.4), strict=True))
"""Size of its marker in m, and mm that it is larger."""
CHARGER_MARKER_UP = 22.0
"""mm, height of its middle (spec 13 §2)."""
_SILHOUETTE = 96
_FINGERS = (
    ((0.28, 0.17), (0.33, 0.55), 0.10),
    ((0.44, 0.07), (0.45, 0.55), 0.11),
    ((0.60, 0.10), (0.56, 0.55), 0.11),
    ((0.74, 0.22), (0.66, 0.55), 0.09),
    ((0.10, 0.48), (0.36, 0.72), 0.11),
)
"""Of a hand: tip, foot and width of each, in parts of its size."""
_PALM, _WRIST = (0.27, 0.45, 0.72, 0.86), (0.34, 0.80, 0.64, 1.0)


@lru_cache(maxsize=64)
def cube_side(number: int, side: str, seed: int = 0, errors: float = 0.0) -> tuple[Gray, ...]:
    """Return a side of a light cube, 44 mm: caps at its corners, panels, and its marker.

    ``errors`` is how badly that is printed: 1 as real ones, by the seed.
    """
    edge = round(CUBE_EDGE * _SCALE)
    picture = Image.new("L", (edge, edge), _BODY)
    draw = ImageDraw.Draw(picture)

    def fill(x0: float, y0: float, x1: float, y1: float, gray: int) -> None:
        draw.rectangle([round(v * _SCALE) for v in (x0, y0, x1, y1)], fill=gray)

    low, high = _CAP_SIDE, CUBE_EDGE - _CAP_SIDE
    left, right = low + 3.0, high - 3.0
    for start, stop in ((2.0, 7.8), (CUBE_EDGE - 7.8, CUBE_EDGE - 2.0)):
        for x0, y0, x1, y1 in ((start, left, stop, right), (left, start, right, stop)):
            fill(x0, y0, x1, y1, _PANEL)
            fill(x0, y0, x1, y0 + 0.8, _GROOVE)
    for x in (0.0, high):
        for y in (0.0, high):
            fill(x, y, x + _CAP_SIDE, y + _CAP_SIDE, _CAP)
    _stick(picture, code_of(number, side), _STICKER_SIDE, _STICKER_SIDE, seed, errors)
    return sizes(np.asarray(picture))


@lru_cache(maxsize=8)
def charger_wall_prints(seed: int = 0, errors: float = 0.0) -> tuple[Print, ...]:
    """Return what is on the charger's wall: a black plate, and a light sticker with its marker."""
    width, height = (1000.0 * side + margin for side, margin in _CHARGER_STICKER)
    picture = Image.new("L", (round(width * _SCALE), round(height * _SCALE)))
    _stick(picture, CHARGER_CODE, width, height, seed, errors)
    up = CHARGER_MARKER_UP - CHARGER_HEIGHT / 2
    return (
        Print("front", 46.0, CHARGER_HEIGHT - 2.0, 0.0, -1.0, (np.full((1, 1), 24, np.uint8),)),
        Print("front", width, height, 0.0, up, sizes(np.asarray(picture)), lift=0.4),
    )


def _stick(
    picture: Image.Image, code: int, width: float, height: float, seed: int, errors: float
) -> None:
    """Put a sticker of so many mm into the middle of a picture."""
    random = np.random.default_rng([seed, code])
    shape = round(height * _SCALE), round(width * _SCALE)
    drawn = PrintErrors.drawn(random, errors) if errors else EXACT
    paper = Image.fromarray(sticker(code, shape, 1.0 / _SCALE, drawn, seed + code))
    picture.paste(paper, ((picture.width - shape[1]) // 2, (picture.height - shape[0]) // 2))


@lru_cache(maxsize=8)
def silhouette(form: Form, gray: int) -> tuple[Gray, ...]:
    """Return a ball or a hand; what is black is not there."""
    side = _SILHOUETTE
    picture = Image.new("L", (side, side), 0)
    if form is Form.BALL:
        rows, columns = (np.mgrid[:side, :side] + 0.5) / side * 2 - 1
        height = np.sqrt(np.clip(1.0 - rows**2 - columns**2, 0.0, 1.0))
        light = np.clip(0.55 + 0.5 * height - 0.35 * rows - 0.1 * columns, 0.1, 1.3)
        ball = np.clip(gray * light, 1, 255).astype(np.uint8)
        ball[rows**2 + columns**2 > 1.0] = 0
        return (ball,)
    draw = ImageDraw.Draw(picture)
    for tip, foot, width in _FINGERS:
        points = [(x * side, y * side) for x, y in (tip, foot)]
        draw.line(points, fill=gray, width=round(width * side))
        (x, y), r = points[0], width * side / 2
        draw.ellipse([x - r, y - r, x + r, y + r], fill=gray)
    draw.rounded_rectangle([v * side for v in _PALM], 0.1 * side, fill=gray)
    draw.rectangle([v * side for v in _WRIST], fill=gray)
    return (np.asarray(picture),)
