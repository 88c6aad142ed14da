"""Entropy-coded scan of a baseline JPEG whose components all share one set of tables.

Common encoders give chroma its own tables; the robot's colour pictures use the luminance tables
for all components (spec 03 §4).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .jpeg_tables import (
    AC_COUNTS,
    AC_SYMBOLS,
    DC_COUNTS,
    DC_SYMBOLS,
    QUANTISATION,
    zigzag,
)

Plane = npt.NDArray[np.float32]
_Ints = npt.NDArray[np.int64]

_ZERO_RUN = 0xF0
_END_OF_BLOCK = 0x00
_ROOM = 64 * 4
"""Order keys per block: up to three zero runs before each coefficient, then the coefficient."""


def _cosines() -> Plane:
    n = np.arange(8)
    basis = np.cos((2 * n[None, :] + 1) * n[:, None] * np.pi / 16) / 2
    basis[0] /= np.sqrt(2)
    return basis.astype(np.float32)


def _codes(counts: bytes, symbols: bytes) -> tuple[_Ints, _Ints]:
    """Return the code and its length in bits of every symbol."""
    code_of, length_of = np.zeros(256, np.int64), np.zeros(256, np.int64)
    code, at = 0, 0
    for length, count in enumerate(counts, start=1):
        for symbol in symbols[at : at + count]:
            code_of[symbol], length_of[symbol] = code, length
            code += 1
        at += count
        code <<= 1
    return code_of, length_of


_COSINES = _cosines()
_QUANTISATION = np.array(QUANTISATION, np.float32)
_ZIGZAG = np.array(zigzag())
_DC_CODES = _codes(DC_COUNTS, DC_SYMBOLS)
_AC_CODES = _codes(AC_COUNTS, AC_SYMBOLS)


def encode_scan(components: Sequence[tuple[Plane, int]]) -> bytes:
    """Return the scan, without byte stuffing and padded with ones to a whole byte.

    A component is its plane (values 0 to 255; height and width whole blocks of 8) and how many of
    its blocks, side by side, a minimum coded unit holds.
    """
    units = [_coefficients(plane, across) for plane, across in components]
    for unit in units:
        dc = unit[:, :, 0].reshape(-1)
        dc[1:] -= dc[:-1].copy()
        unit[:, :, 0] = dc.reshape(unit.shape[:2])
    return _pack(np.concatenate(units, axis=1).reshape(-1, 64))


def _coefficients(plane: Plane, across: int) -> _Ints:
    """Return quantised coefficients in zig-zag order: (units, blocks of a unit, 64)."""
    rows, columns = plane.shape[0] // 8, plane.shape[1] // 8
    blocks = (plane - 128).reshape(rows, 8, columns, 8).swapaxes(1, 2).reshape(-1, 8, 8)
    frequencies = _COSINES @ blocks @ _COSINES.T
    levels = np.rint(frequencies / _QUANTISATION).astype(np.int64)
    ordered: _Ints = levels.reshape(-1, across, 64)[:, :, _ZIGZAG]
    return ordered


def _sizes(values: _Ints) -> _Ints:
    """Return how many bits the magnitudes take."""
    sizes: _Ints = np.ceil(np.log2(np.abs(values) + 1)).astype(np.int64)
    return sizes


def _with_amplitude(
    table: tuple[_Ints, _Ints], symbols: _Ints, values: _Ints, sizes: _Ints
) -> tuple[_Ints, _Ints]:
    """Return bits and lengths of codes followed by their amplitudes."""
    amplitude = np.where(values < 0, values + (1 << sizes) - 1, values)
    return (table[0][symbols] << sizes) | amplitude, table[1][symbols] + sizes


def _pack(blocks: _Ints) -> bytes:
    count = len(blocks)
    dc = blocks[:, 0]
    dc_sizes = _sizes(dc)
    dc_bits, dc_lengths = _with_amplitude(_DC_CODES, dc_sizes, dc, dc_sizes)

    block, place = np.nonzero(blocks[:, 1:])
    place += 1
    values = blocks[block, place]
    previous = np.where(np.diff(block, prepend=-1) == 0, np.roll(place, 1), 0)
    runs = place - previous - 1
    sizes = _sizes(values)
    ac_bits, ac_lengths = _with_amplitude(_AC_CODES, (runs % 16) << 4 | sizes, values, sizes)

    zeros = runs // 16
    zero_owner = np.repeat(np.arange(len(runs)), zeros)
    last = np.zeros(count, np.int64)
    np.maximum.at(last, block, place)
    open_blocks = np.nonzero(last != 63)[0]

    first_key = block * _ROOM + place * 4
    keys = np.concatenate(
        (
            np.arange(count) * _ROOM,
            first_key[zero_owner],
            first_key + 1,
            open_blocks * _ROOM + _ROOM - 1,
        )
    )
    bits = np.concatenate(
        (
            dc_bits,
            _fill(_AC_CODES[0], _ZERO_RUN, zero_owner),
            ac_bits,
            _fill(_AC_CODES[0], _END_OF_BLOCK, open_blocks),
        )
    )
    lengths = np.concatenate(
        (
            dc_lengths,
            _fill(_AC_CODES[1], _ZERO_RUN, zero_owner),
            ac_lengths,
            _fill(_AC_CODES[1], _END_OF_BLOCK, open_blocks),
        )
    )
    order = np.argsort(keys, kind="stable")
    return _to_bytes(bits[order], lengths[order])


def _fill(table: _Ints, symbol: int, like: npt.NDArray[Any]) -> _Ints:
    return np.full(len(like), table[symbol])


def _to_bytes(bits: _Ints, lengths: _Ints) -> bytes:
    ends = np.cumsum(lengths)
    total = int(ends[-1])
    shifts = np.repeat(ends, lengths) - np.arange(total) - 1
    stream = (np.repeat(bits, lengths) >> shifts) & 1
    padding = np.ones(-total % 8, np.int64)
    return np.packbits(np.concatenate((stream, padding)).astype(np.uint8)).tobytes()
