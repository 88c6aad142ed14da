"""Needs kept over restarts, in a file for each robot or its storage (spec 12 §3, 09 §5).

The app keeps its own record of 0x74 bytes in NURTURE_GAME_DATA, whose layout is not known: it is
recognised and refused, never read or imitated. Whoever writes this one replaces the app's.
"""

from __future__ import annotations

import json
import math
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..resources import ResourceError, View, parse_bytes
from ..whole_files import read_whole, write_whole
from .needs import NeedsSnapshot
from .needs_config import Need

MAGIC = b"CZND"
VERSION = 1
"""Of both forms."""
APP_SIZE = 0x74

_LAYOUT = struct.Struct("<4sHHd3f3f")
"""Mark, version, size of all, s since 1970, levels, s of hold; both in the order of ``Need``."""
_CHECKSUM = struct.Struct("<I")
SIZE = _LAYOUT.size + _CHECKSUM.size
FORMAT = "cozmo_driver needs"
_MOST_BYTES = 64 << 10
_MODE = 0o644


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


class StoreError(OSError):
    """The needs cannot be kept; the text says which file, why and what to do."""


@dataclass(frozen=True, slots=True)
class LoadedNeeds:
    """What was kept, None for a fresh start, and how long ago, s.

    ``warning`` is for people and empty where all is well: also a robot seen for the first time.
    """

    saved: NeedsSnapshot | None = None
    away: float = 0.0
    warning: str = ""


class NeedsStore:
    """Reads and writes the file of one robot. ``wall_time`` is s since 1970."""

    def __init__(self, directory: Path, serial: int) -> None:
        """Keep the needs of the robot with that head serial in ``directory``."""
        self.path = directory / f"needs-{serial:08x}.json"

    def load(self, wall_time: float) -> LoadedNeeds:
        """Return what was kept; a damaged file is put aside, not lost.

        Raises ``StoreError`` where it cannot be read: it may be all right.
        """
        try:
            data = read_whole(self.path, _MOST_BYTES)
        except FileNotFoundError:
            return LoadedNeeds()
        except OSError as error:
            text = f"cannot read the needs in {self.path}: {error.strerror or error}"
            raise StoreError(f"{text}; the file is left as it is, and not written") from error
        try:
            content = parse_bytes(data, str(self.path))
            saved, saved_at = _parse(View(content, str(self.path)))
        except ResourceError as error:
            return LoadedNeeds(warning=f"{error}; the needs start afresh{self._put_aside()}")
        away = wall_time - saved_at
        if away < 0:
            text = f"{self.path}: saved in the future; was the clock set? No time is counted"
            return LoadedNeeds(saved, 0.0, text)
        return LoadedNeeds(saved, away)

    def save(self, snapshot: NeedsSnapshot, wall_time: float) -> None:
        """Replace the file at once or not at all. Raises ``StoreError``."""
        document = {
            "format": FORMAT,
            "version": VERSION,
            "saved_at": wall_time,
            "levels": _by_name(snapshot.levels),
            "hold_s": _by_name(snapshot.hold),
        }
        try:
            write_whole(self.path, json.dumps(document, indent=1) + "\n", _MODE)
        except OSError as error:
            text = f"cannot keep the needs in {self.path}: {error.strerror or error}"
            raise StoreError(f"{text}; is the directory writable?") from error

    def _put_aside(self) -> str:
        aside = self.path.with_suffix(".damaged")
        try:
            self.path.replace(aside)
        except OSError:
            return ""
        return f", the old file is {aside.name}"


def _by_name(values: Mapping[Need, float]) -> dict[str, float]:
    return {need.value: round(value, 6) for need, value in values.items()}


def _parse(view: View) -> tuple[NeedsSnapshot, float]:
    if view.at("format").value != FORMAT:
        view.at("format").refuse(f"is not {FORMAT!r}")
    version = view.at("version").value
    if version != VERSION:
        view.at("version").refuse(f"is {version!r}, this program knows {VERSION}")
    levels, hold = _numbers(view.at("levels"), 1.0), _numbers(view.at("hold_s"), math.inf)
    return NeedsSnapshot(levels, hold), view.at("saved_at").number(0)


def _numbers(view: View, most: float) -> dict[Need, float]:
    return {need: view.at(need.value).number(0, most) for need in Need}
