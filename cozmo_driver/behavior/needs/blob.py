"""Needs as bytes for an entry of the robot's flash storage (spec 09 §5).

The app keeps its own record of 0x74 bytes in NURTURE_GAME_DATA, whose layout is not known: it is
recognised and refused, never read or imitated. Whoever writes this one replaces the app's.
"""

from __future__ import annotations

import math
import struct
import zlib

from .needs import NeedsSnapshot
from .values import Need

MAGIC = b"CZND"
VERSION = 1
APP_SIZE = 0x74

_LAYOUT = struct.Struct("<4sHHd3f3f")
"""Mark, version, size of all, s since 1970, levels, s of hold; both in the order of ``Need``."""
_CHECKSUM = struct.Struct("<I")
SIZE = _LAYOUT.size + _CHECKSUM.size


class BlobError(ValueError):
    """These bytes are no needs; the text says why."""


def encode_blob(snapshot: NeedsSnapshot, wall_time: float) -> bytes:
    """Return whole words of bytes; ``wall_time`` is s since 1970."""
    levels = (snapshot.levels[need] for need in Need)
    hold = (snapshot.hold.get(need, 0.0) for need in Need)
    body = _LAYOUT.pack(MAGIC, VERSION, SIZE, wall_time, *levels, *hold)
    return body + _CHECKSUM.pack(zlib.crc32(body))


def decode_blob(data: bytes) -> tuple[NeedsSnapshot, float]:
    """Return the needs and when they were saved, s since 1970. Raises ``BlobError``."""
    if data[: len(MAGIC)] != MAGIC:
        whose = "the app's own record" if len(data) == APP_SIZE else "no needs of this program"
        raise BlobError(f"the {len(data)} bytes are {whose}: they are left as they are")
    if len(data) < SIZE:
        raise BlobError(f"the needs are cut off: {len(data)} of {SIZE} bytes")
    _, version, size, saved_at, *numbers = _LAYOUT.unpack_from(data)
    if version != VERSION or size != SIZE:
        raise BlobError(f"the needs are of version {version}, this program knows {VERSION}")
    (checksum,) = _CHECKSUM.unpack_from(data, _LAYOUT.size)
    if checksum != zlib.crc32(data[: _LAYOUT.size]):
        raise BlobError("the needs are damaged: their checksum is wrong")
    levels, hold = numbers[: len(Need)], numbers[len(Need) :]
    is_sane = all(0 <= v <= 1 for v in levels) and all(0 <= v < math.inf for v in hold)
    if not is_sane or not 0 <= saved_at < math.inf:
        raise BlobError("the needs make no sense: a level is not from 0 to 1")
    by_need = [dict(zip(Need, values, strict=True)) for values in (levels, hold)]
    return NeedsSnapshot(*by_need), saved_at
