"""The camera's mini-JPEG: a baseline scan without header and byte stuffing (spec 03 §4)."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from .jpeg_scan import encode_scan
from .jpeg_tables import (
    AC_COUNTS,
    AC_SYMBOLS,
    DC_COUNTS,
    DC_SYMBOLS,
    QUANTISATION,
    zigzag,
)

WIDTH, HEIGHT = 320, 240
COLOR_WIDTH = WIDTH // 2
"""Colour pictures have half the width and pixels twice as wide as high."""
GRAY_FLAG, COLOR_FLAG = 0, 1
_ALIGNMENT = 4
_END = b"\xff\xd9"

Picture = npt.NDArray[np.uint8]


def _segment(marker: int, body: bytes) -> bytes:
    return bytes((0xFF, marker)) + (len(body) + 2).to_bytes(2, "big") + body


def _header(width: int, sampling: tuple[int, ...]) -> bytes:
    """Return a JPEG up to its scan; every component uses the same tables."""
    flat = [value for row in QUANTISATION for value in row]
    count = len(sampling)
    frame = b"".join(bytes((i, factors, 0)) for i, factors in enumerate(sampling, start=1))
    scan = b"".join(bytes((i, 0)) for i in range(1, count + 1))
    return b"".join(
        (
            b"\xff\xd8",
            _segment(0xE0, b"JFIF\0\x01\x01\x00\x00\x01\x00\x01\x00\x00"),
            _segment(0xDB, b"\0" + bytes(flat[index] for index in zigzag())),
            _segment(
                0xC0,
                b"\x08"
                + HEIGHT.to_bytes(2, "big")
                + width.to_bytes(2, "big")
                + bytes((count,))
                + frame,
            ),
            _segment(0xC4, b"\x00" + DC_COUNTS + DC_SYMBOLS + b"\x10" + AC_COUNTS + AC_SYMBOLS),
            _segment(0xDA, bytes((count,)) + scan + b"\x00\x3f\x00"),
        )
    )


_GRAY_HEADER = _header(WIDTH, (0x11,))
_COLOR_HEADER = _header(COLOR_WIDTH, (0x21, 0x11, 0x11))


def to_jpeg(payload: bytes) -> bytes:
    """Return a complete JPEG file: 320x240 gray, or 160x240 colour.

    ``payload`` is the data of an image's chunks joined. Raises ``ValueError`` when there is no
    picture in it.
    """
    scan = payload.rstrip(b"\xff")
    if len(scan) < 2:
        raise ValueError(f"a camera image of {len(payload)} bytes holds no picture")
    header = _COLOR_HEADER if scan[0] else _GRAY_HEADER
    return header + scan[1:].replace(b"\xff", b"\xff\x00") + _END


def picture(jpeg: bytes) -> Picture:
    """Decode a JPEG of ``to_jpeg``: uint8, 240x320 gray or 240x160x3 RGB.

    Raises ``ValueError`` for a damaged file.
    """
    try:
        image = Image.open(BytesIO(jpeg), formats=("JPEG",))
        return np.asarray(image if image.mode == "L" else image.convert("RGB"))
    except (OSError, SyntaxError) as error:
        raise ValueError(f"a camera picture cannot be decoded: {error}") from error


def stretched(pixels: Picture) -> Picture:
    """Return a picture of ``picture`` with square pixels, to be looked at: 320 pixels wide."""
    if pixels.shape[1] == WIDTH:
        return pixels
    image = Image.fromarray(pixels).resize((WIDTH, HEIGHT), Image.Resampling.BILINEAR)
    return np.asarray(image)


def from_gray(pixels: Picture) -> bytes:
    """Encode a gray picture, uint8 240x320, as the robot does."""
    _check_shape(pixels, (HEIGHT, WIDTH))
    file = BytesIO()
    Image.fromarray(pixels).save(file, "JPEG", quality=50)
    jpeg = file.getvalue()
    scan = jpeg[_pillow_scan_start() : -len(_END)].replace(b"\xff\x00", b"\xff")
    return _padded(bytes((GRAY_FLAG,)) + scan)


def from_color(pixels: Picture) -> bytes:
    """Encode a colour picture, RGB uint8 of half the width: 240x160x3."""
    _check_shape(pixels, (HEIGHT, COLOR_WIDTH, 3))
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


_scan_start: list[int] = []


def _pillow_scan_start() -> int:
    """Return where the scan begins in a gray file of Pillow: behind the SOS segment."""
    if not _scan_start:
        file = BytesIO()
        Image.new("L", (WIDTH, HEIGHT)).save(file, "JPEG", quality=50)
        jpeg, at = file.getvalue(), 2
        while jpeg[at + 1] != 0xDA:
            at += 2 + int.from_bytes(jpeg[at + 2 : at + 4], "big")
        _scan_start.append(at + 2 + int.from_bytes(jpeg[at + 2 : at + 4], "big"))
    return _scan_start[0]
