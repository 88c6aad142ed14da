"""The camera's mini-JPEG: a baseline scan without header and byte stuffing (spec 03 §4).

All components share one set of tables, those of luminance in ITU T.81 Annex K. Common encoders,
Pillow's too, give chroma its own, so that colour pictures are encoded here.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from io import BytesIO
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

IMAGE_WIDTH, IMAGE_HEIGHT = 320, 240
COLOR_WIDTH = IMAGE_WIDTH // 2
"""Colour pictures have half the width and pixels twice as wide as high."""
GRAY_FLAG, COLOR_FLAG = 0, 1
_ALIGNMENT = 4
_END = b"\xff\xd9"
_EIGHTH = (40, 30)

ImageArray = npt.NDArray[np.uint8]
Plane = npt.NDArray[np.float32]
_Ints = npt.NDArray[np.int64]

_QUANTISATION = (
    (16, 11, 10, 16, 24, 40, 51, 61),
    (12, 12, 14, 19, 26, 58, 60, 55),
    (14, 13, 16, 24, 40, 57, 69, 56),
    (14, 17, 22, 29, 51, 87, 80, 62),
    (18, 22, 37, 56, 68, 109, 103, 77),
    (24, 35, 55, 64, 81, 104, 113, 92),
    (49, 64, 78, 87, 103, 121, 120, 101),
    (72, 92, 95, 98, 112, 100, 103, 99),
)
"""Table K.1, which is quality 50, by row and column of a block."""

_DC_COUNTS = bytes((0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0))
_DC_SYMBOLS = bytes(range(12))
"""Table K.3: how many codes there are of 1 to 16 bits, and their symbols."""

_AC_COUNTS = bytes((0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 0x7D))
_AC_SYMBOLS = bytes.fromhex(
    "01020300041105122131410613516107227114328191a1082342b1c11552d1f0"
    "2433627282090a161718191a25262728292a3435363738393a434445464748494a"
    "535455565758595a636465666768696a737475767778797a"
    "838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aa"
    "b2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9da"
    "e1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9fa"
)
"""Table K.5; a symbol is the run of zeros before a coefficient << 4 | its size in bits."""

# Else the first picture would load the plug-ins, in whatever thread it is decoded.
Image.preinit()


def _zigzag_key(index: int) -> tuple[int, int]:
    row, column = divmod(index, 8)
    diagonal = row + column
    return diagonal, row if diagonal % 2 else column


_ZIGZAG = sorted(range(64), key=_zigzag_key)
"""Index ``8 * row + column`` of each coefficient in its order in a scan."""


def _segment(marker: int, body: bytes) -> bytes:
    return bytes((0xFF, marker)) + (len(body) + 2).to_bytes(2, "big") + body


def _header(width: int, sampling: tuple[int, ...]) -> bytes:
    """Return a JPEG up to its scan; every component uses the same tables."""
    flat = [value for row in _QUANTISATION for value in row]
    count = len(sampling)
    frame = b"".join(bytes((i, factors, 0)) for i, factors in enumerate(sampling, start=1))
    return b"".join(
        (
            b"\xff\xd8",
            _segment(0xE0, b"JFIF\0\x01\x01\x00\x00\x01\x00\x01\x00\x00"),
            _segment(0xDB, b"\0" + bytes(flat[index] for index in _ZIGZAG)),
            _segment(
                0xC0,
                b"\x08"
                + IMAGE_HEIGHT.to_bytes(2, "big")
                + width.to_bytes(2, "big")
                + bytes((count,))
                + frame,
            ),
            _segment(0xC4, b"\x00" + _DC_COUNTS + _DC_SYMBOLS + b"\x10" + _AC_COUNTS + _AC_SYMBOLS),
            _scan_header(count),
        )
    )


def _scan_header(components: int) -> bytes:
    tables = b"".join(bytes((i, 0)) for i in range(1, components + 1))
    return _segment(0xDA, bytes((components,)) + tables + b"\x00\x3f\x00")


_GRAY_HEADER = _header(IMAGE_WIDTH, (0x11,))
_COLOR_HEADER = _header(COLOR_WIDTH, (0x21, 0x11, 0x11))


def to_jpeg(payload: bytes) -> bytes:
    """Return a JPEG file, 320x240 gray or 160x240 colour, of an image's joined chunks.

    Raises ``ValueError`` when there is no picture in them.

    """
    scan = payload.rstrip(b"\xff")
    if len(scan) < 2:
        raise ValueError(f"a camera image of {len(payload)} bytes holds no picture")
    header = _COLOR_HEADER if scan[0] else _GRAY_HEADER
    return header + scan[1:].replace(b"\xff", b"\xff\x00") + _END


def picture(jpeg: bytes) -> ImageArray:
    """Return pixels, uint8 240x320 gray or 240x160x3 RGB. Raises ``ValueError``."""
    try:
        image = Image.open(BytesIO(jpeg), formats=("JPEG",))
        return np.asarray(image if image.mode == "L" else image.convert("RGB"))
    except (OSError, SyntaxError) as error:
        raise ValueError(f"a camera picture cannot be decoded: {error}") from error


def stretched(pixels: ImageArray) -> ImageArray:
    """Return a picture of ``picture`` with square pixels, to be looked at: 320 pixels wide."""
    if pixels.shape[1] == IMAGE_WIDTH:
        return pixels
    image = Image.fromarray(pixels).resize((IMAGE_WIDTH, IMAGE_HEIGHT), Image.Resampling.BILINEAR)
    return np.asarray(image)


def from_gray(pixels: ImageArray) -> bytes:
    """Encode a gray picture, uint8 240x320, as the robot does."""
    _check_shape(pixels, (IMAGE_HEIGHT, IMAGE_WIDTH))
    file = BytesIO()
    Image.fromarray(pixels).save(file, "JPEG", quality=50)
    scan = file.getvalue().partition(_scan_header(1))[2].removesuffix(_END)
    return _padded(bytes((GRAY_FLAG,)) + scan.replace(b"\xff\x00", b"\xff"))


def from_color(pixels: ImageArray) -> bytes:
    """Encode a colour picture, RGB uint8 of half the width: 240x160x3."""
    _check_shape(pixels, (IMAGE_HEIGHT, COLOR_WIDTH, 3))
    luma, blue, red = np.moveaxis(np.asarray(Image.fromarray(pixels).convert("YCbCr")), 2, 0)
    halved = [(p[:, ::2].astype(np.float32) + p[:, 1::2]) / 2 for p in (blue, red)]
    scan = encode_scan(((luma.astype(np.float32), 2), (halved[0], 1), (halved[1], 1)))
    return _padded(bytes((COLOR_FLAG,)) + scan)


def _padded(payload: bytes) -> bytes:
    return payload + b"\xff" * (-len(payload) % _ALIGNMENT)


def _check_shape(pixels: npt.NDArray[Any], shape: tuple[int, ...]) -> None:
    if pixels.shape != shape or pixels.dtype != np.uint8:
        raise ValueError(
            f"a picture of {pixels.dtype} {pixels.shape} was given, uint8 {shape} is needed"
        )


def mean_gray(jpeg: bytes) -> float:
    """Return the mean, 0 to 255, from the DC coefficients. Raises ``ValueError``."""
    try:
        image = Image.open(BytesIO(jpeg), formats=("JPEG",))
        image.draft("L", _EIGHTH)
        gray = np.asarray(image.convert("L"))
    except (OSError, SyntaxError) as error:
        raise ValueError(f"a camera picture cannot be decoded: {error}") from error
    return float(gray.mean())


# -- the scan of a colour picture


def _codes(counts: bytes, symbols: bytes) -> dict[int, str]:
    codes, code, rest = {}, 0, iter(symbols)
    for length, count in enumerate(counts, start=1):
        for _ in range(count):
            codes[next(rest)] = f"{code:0{length}b}"
            code += 1
        code <<= 1
    return codes


def _cosines() -> Plane:
    n = np.arange(8)
    basis = np.cos((2 * n[None, :] + 1) * n[:, None] * np.pi / 16) / 2
    basis[0] /= np.sqrt(2)
    return basis.astype(np.float32)


_DC_CODES, _AC_CODES = _codes(_DC_COUNTS, _DC_SYMBOLS), _codes(_AC_COUNTS, _AC_SYMBOLS)
_ZERO_RUN, _END_OF_BLOCK = _AC_CODES[0xF0], _AC_CODES[0x00]
_COSINES = _cosines()


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
    levels = np.rint(frequencies / np.array(_QUANTISATION, np.float32)).astype(np.int64)
    ordered: _Ints = levels.reshape(-1, across, 64)[:, :, _ZIGZAG]
    return ordered


def _pack(blocks: _Ints) -> bytes:
    coded = [[_dc_bits(value)] for value in blocks[:, 0].tolist()]
    places = [0] * len(blocks)
    found = np.nonzero(blocks[:, 1:])
    values = blocks[:, 1:][found]
    for block, before, value in zip(*(one.tolist() for one in (*found, values)), strict=True):
        coded[block].append(_ac_bits(before - places[block], value))
        places[block] = before + 1
    for bits, place in zip(coded, places, strict=True):
        if place < 63:
            bits.append(_END_OF_BLOCK)
    scan = "".join(map("".join, coded))
    scan += "1" * (-len(scan) % 8)
    return int(scan, 2).to_bytes(len(scan) // 8, "big")


@cache
def _dc_bits(value: int) -> str:
    return _DC_CODES[value.bit_length()] + _amplitude(value)


@cache
def _ac_bits(run: int, value: int) -> str:
    """Return the code of a coefficient after ``run`` zeros."""
    code = _AC_CODES[run % 16 << 4 | value.bit_length()]
    return _ZERO_RUN * (run // 16) + code + _amplitude(value)


def _amplitude(value: int) -> str:
    size = value.bit_length()
    return f"{value if value > 0 else value + (1 << size) - 1:0{size}b}" if size else ""
