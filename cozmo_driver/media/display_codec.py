"""The display's run-length code: 128 columns of 64 rows, one bit each (spec 04 §2).

A byte below 0x40 skips dark columns, one below 0x80 repeats the column before, any other is a run
of row pairs in a column. A complete code has every pixel of the 128 columns; the robot takes
incomplete ones, too.
"""

from __future__ import annotations

import functools
import itertools
import re

import numpy as np
import numpy.typing as npt
from PIL import Image

DISPLAY_WIDTH, DISPLAY_HEIGHT = 128, 64
PAIRS = DISPLAY_HEIGHT // 2
RAW_SIZE = DISPLAY_WIDTH * DISPLAY_HEIGHT // 8
"""A payload of this many bytes is not coded."""
_LONGEST = 64
"""Columns that one byte may skip or repeat."""
_COLUMN = (1 << DISPLAY_HEIGHT) - 1
_KEPT_COLUMNS = 4096
"""Columns whose code is kept: those of a face come again, in it and in the next picture."""

DisplayImage = npt.NDArray[np.uint8]
"""64 rows of 128 pixels, 0 or 1; row 0 is at the top."""
Gray = npt.NDArray[np.uint8]
"""Rows of pixels from 0, dark, to 255, fully lit."""


# -- picture to code


def _steps(command: int, count: int) -> bytes:
    whole, rest = divmod(count, _LONGEST)
    return bytes([command | _LONGEST - 1] * whole + [command | rest - 1] * bool(rest))


_SKIPS = [_steps(0x00, count) for count in range(DISPLAY_WIDTH + 1)]
_REPEATS = [_steps(0x40, count) for count in range(DISPLAY_WIDTH + 1)]
_PATTERNS = [bytes(byte >> shift & 3 for shift in (0, 2, 4, 6)) for byte in range(256)]
"""The four row pairs in each byte of a column."""
_EQUAL_PAIRS = re.compile(rb"\x00+|\x01+|\x02+|\x03+")
_RUN_CODES = {
    bytes([pattern] * count): 0x80 | count - 1 << 2 | pattern
    for pattern in range(4)
    for count in range(1, PAIRS + 1)
}


@functools.lru_cache(_KEPT_COLUMNS)
def _runs_of(column: int) -> bytes:
    """Return the runs of row pairs of a column, all 32 pairs of it."""
    pairs = b"".join([_PATTERNS[byte] for byte in column.to_bytes(8, "little")])
    return bytes(map(_RUN_CODES.__getitem__, _EQUAL_PAIRS.findall(pairs)))


def encode(picture: npt.NDArray[np.generic]) -> bytes:
    """Return the code of 64 rows of 128 pixels, of any type; those that are not 0 are lit.

    Byte by byte the app's own code, and the shortest of all complete ones; a picture that would
    take 1024 bytes or more is sent raw (spec 04 §2). Raises ``ValueError`` for another shape.
    """
    if picture.shape != (DISPLAY_HEIGHT, DISPLAY_WIDTH):
        raise ValueError(
            f"the display has {DISPLAY_HEIGHT} rows of {DISPLAY_WIDTH} pixels, not {picture.shape}"
        )
    lit = np.ascontiguousarray((picture != 0).T)
    raw = np.packbits(lit, axis=1, bitorder="little").tobytes()
    columns = np.frombuffer(raw, "<u8").tolist()
    groups = [(column, len(list(equal))) for column, equal in itertools.groupby(columns)]
    code = bytearray()
    for (column, count), (following, _) in itertools.pairwise([*groups, (_COLUMN, 0)]):
        if not column:
            code += _SKIPS[count]
            continue
        runs = _runs_of(column)
        # A byte that is no run ends the column; what is left of it is dark.
        is_ended = count > 1 or not following
        code += runs[:-1] if is_ended and not runs[-1] & 3 else runs
        code += _REPEATS[count - 1]
    return raw if len(code) >= RAW_SIZE else bytes(code)


# -- code to picture


def _run(byte: int) -> tuple[int, int]:
    """Return the lit rows of a run of row pairs, from row 0 on, and its height in rows."""
    pairs, pattern = ((byte >> 2) & 31) + 1, byte & 3
    return sum(pattern << (2 * pair) for pair in range(pairs)), 2 * pairs


_RUNS = [_run(byte) for byte in range(128)]


def decode(data: bytes) -> DisplayImage:
    """Return the picture that the robot shows for ``data``; every sequence of bytes is one."""
    raw = data if len(data) == RAW_SIZE else _expand(data)
    bits = np.unpackbits(
        np.frombuffer(raw, np.uint8).reshape(DISPLAY_WIDTH, -1), axis=1, bitorder="little"
    )
    return np.ascontiguousarray(bits.T)


def _expand(data: bytes) -> bytes:
    """Return the uncoded form: a little-endian 64-bit word per column, bit 0 at the top."""
    columns: list[int] = []
    column, row = 0, 0
    for byte in data:
        if byte >= 0x80:
            lit, height = _RUNS[byte - 0x80]
            column |= lit << row
            row += height
            if row >= DISPLAY_HEIGHT:
                columns.append(column & _COLUMN)
                column = row = 0
            continue
        if row:
            # What follows a column that was begun ends it; the rest of it is dark.
            columns.append(column)
            column = row = 0
        if byte < 0x40:
            columns += [0] * (byte + 1)
        else:
            columns += columns[-1:] * (byte - 0x3F) if columns else [0] * (byte - 0x3F)
        if len(columns) > DISPLAY_WIDTH:
            break
    if row:
        columns.append(column)
    columns += [0] * (DISPLAY_WIDTH - len(columns))
    return b"".join(column.to_bytes(8, "little") for column in columns[:DISPLAY_WIDTH])


# -- gray pictures
#
# Every other row stays dark against burn-in: a parity of 0 lights the odd rows, 1 the even ones,
# row 0 being the topmost (spec 04 §3).


def field(picture: Gray, parity: int) -> Gray:
    """Return the 32 rows of a picture of 64 or 32 rows that are shown at a parity of 0 or 1."""
    return picture[1 - parity :: 2] if len(picture) == DISPLAY_HEIGHT else picture


def dither(picture: Gray) -> DisplayImage:
    """Return a picture in 0 and 1, by Floyd and Steinberg; 0 and 255 alone stay as they are."""
    bits = Image.fromarray(np.ascontiguousarray(picture)).convert("1")
    return np.asarray(bits, np.uint8)


def interlace(rows: DisplayImage, parity: int) -> DisplayImage:
    """Return 64 rows of which every second one is dark; the others are the 32 ``rows``."""
    picture = np.zeros((2 * PAIRS, DISPLAY_WIDTH), np.uint8)
    picture[1 - parity :: 2] = rows
    return picture
