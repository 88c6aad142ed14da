"""The display's run-length code: 128 columns of 64 rows, one bit each (spec 04 §2)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

WIDTH, HEIGHT = 128, 64
RAW_SIZE = WIDTH * HEIGHT // 8
"""A payload of this many bytes is not coded."""
_COLUMN = (1 << HEIGHT) - 1

Picture = npt.NDArray[np.uint8]
"""64 rows of 128 pixels, 0 or 1; row 0 is at the top."""


def _run(byte: int) -> tuple[int, int]:
    """Return the lit rows of a run of row pairs, from row 0 on, and its height in rows."""
    pairs, pattern = ((byte >> 2) & 31) + 1, byte & 3
    return sum(pattern << (2 * pair) for pair in range(pairs)), 2 * pairs


_RUNS = [_run(byte) for byte in range(128)]


def decode(data: bytes) -> Picture:
    """Return the picture that the robot shows for ``data``; every sequence of bytes is one."""
    raw = data if len(data) == RAW_SIZE else _expand(data)
    bits = np.unpackbits(np.frombuffer(raw, np.uint8).reshape(WIDTH, -1), axis=1, bitorder="little")
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
            if row >= HEIGHT:
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
        if len(columns) >= WIDTH:
            break
    if row:
        columns.append(column)
    columns += [0] * (WIDTH - len(columns))
    return b"".join(column.to_bytes(8, "little") for column in columns[:WIDTH])
