"""How the markers come out of a printer: drawn by rules of their own, with a print's errors; mm.

Perception compares with ``media.printed_markers``; a sticker is never quite that.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...media import (
    CHARGER_BOXES,
    CHARGER_CODE,
    CHARGER_MARKER_SIZE,
    CHARGER_RING,
    CORNER,
    CUBE_MARKER_SIZE,
    FIELD,
    RING,
    cells_of,
)
from .optics import Floats, Gray

_PAPER, INK = 150.0, 17.0
"""Gray levels where a white wall has 190, by those of real pictures (spec 19)."""
_SOFT = 0.16
"""Of a cell, how round the corners of drawings are."""
_BLEED = 0.12
"""mm over which ink fades out."""


@dataclass(frozen=True, slots=True)
class PrintErrors:
    """How a sticker differs from its marker."""

    scale: float = 1.0
    turn: float = 0.0
    """rad."""
    right: float = 0.0
    up: float = 0.0
    """mm."""
    spread: float = 0.0
    """mm by which lines are wider to either side."""
    ink: float = 0.0
    paper: float = 0.0
    """Gray levels."""
    grain: float = 0.0
    """Spread of gray levels."""

    @classmethod
    def drawn(cls, random: np.random.Generator, strength: float = 1.0) -> PrintErrors:
        """Return errors as stickers have them, ``strength`` times as large.

        Real rings measure 24.5 to 25.1 mm, their lines 0.09 to 0.10 of that, ink 11 to 25 (spec 15,
        19). The other figures are estimates.
        """
        limits = (0.01, math.radians(1.0), 0.4, 0.4, 0.12, 6.0, 12.0)
        scale, turn, right, up, spread, ink, paper = (
            strength * limit * random.uniform(-1.0, 1.0) for limit in limits
        )
        return cls(1.0 + scale, turn, right, up, spread, ink, paper, 2.0 * strength)


EXACT = PrintErrors()


def coverage(
    code: int, shape: tuple[int, int], pixel: float, errors: PrintErrors = EXACT
) -> Floats:
    """Return how much of each pixel is ink, 0 to 1, of a marker in the middle of a picture.

    ``shape`` is that of the picture, ``pixel`` the mm of a pixel.
    """
    rows, columns = shape
    x = (np.arange(columns) + 0.5 - columns / 2)[None, :] * pixel - errors.right
    y = (np.arange(rows) + 0.5 - rows / 2)[:, None] * pixel + errors.up
    c, s = math.cos(errors.turn) / errors.scale, math.sin(errors.turn) / errors.scale
    x, y = c * x + s * y, c * y - s * x
    away = _charger(x, y) if code == CHARGER_CODE else _cube(code, x, y)
    covered: Floats = np.clip(0.5 - (away - errors.spread) / max(pixel, _BLEED), 0.0, 1.0)
    return covered


def sticker(
    code: int, shape: tuple[int, int], pixel: float, errors: PrintErrors = EXACT, seed: int = 0
) -> Gray:
    """Return a marker in the middle of its paper."""
    ink = coverage(code, shape, pixel, errors)
    paper = _PAPER + errors.paper
    tones = paper + ink * (INK + errors.ink - paper)
    tones += np.random.default_rng(seed).normal(0.0, 1.0, shape) * errors.grain
    return np.clip(tones, 1, 255).astype(np.uint8)


def _cube(code: int, x: Floats, y: Floats) -> Floats:
    """Return how far points are from the ink of a cube's marker, negative inside."""
    side = CUBE_MARKER_SIZE * 1000.0
    ring = _frame(x, y, side / 2, side / 2, RING * side)
    low, high = FIELD
    cells = cells_of(code)
    cell = (high - low) * side / len(cells)
    column, row = (v / cell + len(cells) / 2 for v in (x, y))
    dark = np.zeros(np.broadcast(x, y).shape)
    steps = range(len(cells) + 1)
    down, across = (
        [1.0 / (1.0 + np.exp((step - v) / _SOFT)) for step in steps] for v in (row, column)
    )
    for i, line in enumerate(cells):
        for j, is_dark in enumerate(line):
            if is_dark:
                dark += (down[i] - down[i + 1]) * (across[j] - across[j + 1])
    # A field of its own slope: distances are right near the edge, where they matter.
    step_y, step_x = np.gradient(dark)
    slope = np.hypot(step_x, step_y) / max(abs(float(np.diff(x[0, :2])[0])), 1e-9)
    symbol = (0.5 - dark) / np.maximum(slope, 0.05 / cell)
    away: Floats = np.minimum(ring, symbol)
    return away


def _charger(x: Floats, y: Floats) -> Floats:
    """Return how far points are from the ink of the charger's marker, negative inside."""
    wide, high = (v * 1000.0 for v in CHARGER_MARKER_SIZE)
    away = _frame(x, y, wide / 2, high / 2, CHARGER_RING * wide)
    for left, top, right, bottom, is_dark in CHARGER_BOXES:
        middle_x, middle_y = ((left + right) / 2 - 0.5) * wide, ((top + bottom) / 2 - 0.5) * high
        half = (right - left) / 2 * wide, (bottom - top) / 2 * high
        box = _box(x - middle_x, y - middle_y, *half, 0.0)
        away = np.minimum(away, box) if is_dark else np.maximum(away, -box)
    return away


def _frame(x: Floats, y: Floats, half_x: float, half_y: float, line: float) -> Floats:
    corner = CORNER * 2.0 * min(half_x, half_y)
    outer = _box(x, y, half_x, half_y, corner)
    inner = _box(x, y, half_x - line, half_y - line, max(corner - line, 0.0))
    frame: Floats = np.maximum(outer, -inner)
    return frame


def _box(x: Floats, y: Floats, half_x: float, half_y: float, corner: float) -> Floats:
    """Return how far points are from a box with round corners, negative inside."""
    off_x, off_y = np.abs(x) - half_x + corner, np.abs(y) - half_y + corner
    outside = np.hypot(np.maximum(off_x, 0.0), np.maximum(off_y, 0.0))
    away: Floats = outside + np.minimum(np.maximum(off_x, off_y), 0.0) - corner
    return away
