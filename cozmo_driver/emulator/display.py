"""The face: shows pictures, and nothing any more when none came for half a minute (spec 04 §1)."""

from __future__ import annotations

import numpy as np

from ..media import DisplayImage
from .core import Core

CLEARED_AFTER = 30.0
"""s without a new picture."""
_DARK = b"\x3f\x3f"
COLUMNS, ROWS = 128, 64
_RAW_SIZE = 1024


class Display:
    def __init__(self, core: Core) -> None:
        self._core = core
        self._image = _DARK
        self._shown_at = core.now
        core.when_disconnected(self.clear)

    @property
    def picture(self) -> DisplayImage:
        """What can be seen now: 64 rows of 128 pixels, 0 or 1."""
        is_old = self._core.now - self._shown_at >= CLEARED_AFTER
        return draw(_DARK if is_old else self._image)

    def show(self, image: bytes) -> None:
        self._image, self._shown_at = image, self._core.now

    def clear(self) -> None:
        self._image = _DARK


def draw(code: bytes) -> DisplayImage:
    """Return the 64 rows of 128 pixels, 0 or 1, that any bytes light; it never fails."""
    panel = np.zeros((ROWS, COLUMNS), np.uint8)
    if len(code) == _RAW_SIZE:
        for place, byte in enumerate(code):
            column, top = divmod(place, ROWS // 8)
            for bit in range(8):
                panel[8 * top + bit, column] = byte >> bit & 1
        return panel
    column = place = 0
    while place < len(code) and column < COLUMNS:
        byte = code[place]
        place += 1
        count = (byte & 0x3F) + 1
        if byte < 0x40:
            column += count
        elif byte < 0x80:
            if column:
                panel[:, column : column + count] = panel[:, column - 1 : column]
            column += count
        else:
            row = _fill(panel, column, 0, byte)
            while row < ROWS and place < len(code) and code[place] >= 0x80:
                row = _fill(panel, column, row, code[place])
                place += 1
            column += 1
    return panel


def _fill(panel: DisplayImage, column: int, row: int, run: int) -> int:
    """Draw a run of row pairs from ``row`` on; return the row below it."""
    height = 2 * ((run >> 2 & 31) + 1)
    panel[row : row + height : 2, column] = run & 1
    panel[row + 1 : row + height : 2, column] = run >> 1 & 1
    return row + height
