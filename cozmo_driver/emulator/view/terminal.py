"""The face, and where there is room the camera's picture, as half blocks on a terminal."""

from __future__ import annotations

import shutil
from typing import TextIO

import numpy as np
from PIL import Image

from ...media import DisplayImage
from ..firmware import Firmware
from .folder import latest_picture

_COLUMNS, _ROWS = 128, 64
_BLOCKS = " ▀▄█"
_LIT, _PLAIN = "\x1b[38;5;117m", "\x1b[0m"
_CLEAR_LINE, _CLEAR_BELOW = "\x1b[K", "\x1b[J"
_CAMERA = (64, 48)
"""Width and height of the camera's picture in half blocks."""
_LINES_KEPT = 3
"""Lines of the terminal that are left to the rest."""
_GAP = 2


class TerminalView:
    """Draws in place, above what was printed last; lines are printed through it."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._drawn: list[str] = []

    def print(self, line: str) -> None:
        """Print a line that stays, above the picture."""
        self._write(self._back(), f"{line}{_CLEAR_LINE}\n", *self._block(self._drawn))

    def update(self, robot: Firmware) -> None:
        size = shutil.get_terminal_size()
        lines = compose(robot, size.columns, size.lines)
        if lines != self._drawn:
            self._write(self._back(), *self._block(lines))
            self._drawn = lines

    def _back(self) -> str:
        return f"\x1b[{len(self._drawn)}A\r{_CLEAR_BELOW}" if self._drawn else ""

    def _block(self, lines: list[str]) -> list[str]:
        return [f"{line}{_CLEAR_LINE}\n" for line in lines]

    def _write(self, *pieces: str) -> None:
        self._stream.write("".join(pieces))
        self._stream.flush()


def compose(robot: Firmware, columns: int, lines: int) -> list[str]:
    """Return the lines of what fits: the camera's picture below the face or beside it."""
    room = lines - _LINES_KEPT
    is_large = columns >= _COLUMNS and room >= _ROWS // 2
    face = face_lines(robot.display.picture, is_large)
    width = _COLUMNS if is_large else _COLUMNS // 2
    is_beside = columns >= width + _GAP + _CAMERA[0] and room >= _CAMERA[1] // 2
    is_below = room >= len(face) + _CAMERA[1] // 2
    picture = latest_picture(robot) if is_beside or is_below else None
    if picture is None:
        return face
    camera = picture_lines(picture)
    if not is_beside:
        return [*face, *camera]
    height = max(len(face), len(camera))
    face += [" " * width] * (height - len(face))
    camera += [""] * (height - len(camera))
    return [f"{a}{' ' * _GAP}{b}" for a, b in zip(face, camera, strict=True)]


def face_lines(picture: DisplayImage, is_large: bool) -> list[str]:
    """Return 32 lines of 128 characters, or 16 of 64 on which each dot stands for four."""
    if not is_large:
        picture = picture.reshape(_ROWS // 2, 2, _COLUMNS // 2, 2).max(axis=(1, 3))
    codes = picture[0::2] + 2 * picture[1::2]
    return [f"{_LIT}{''.join(_BLOCKS[code] for code in row)}{_PLAIN}" for row in codes]


def picture_lines(picture: DisplayImage) -> list[str]:
    """Return a camera's picture, gray or RGB, as 24 lines of 64 half blocks."""
    small = np.asarray(Image.fromarray(picture).resize(_CAMERA, Image.Resampling.BOX))
    upper, lower = small[0::2], small[1::2]
    return [
        "".join(
            f"\x1b[38;{_color(above)};48;{_color(below)}m▀"
            for above, below in zip(*pair, strict=True)
        )
        + _PLAIN
        for pair in zip(upper, lower, strict=True)
    ]


def _color(pixel: DisplayImage) -> str:
    if pixel.ndim:
        return "2;{};{};{}".format(*pixel)
    return f"5;{232 + int(pixel) * 24 // 256}"
