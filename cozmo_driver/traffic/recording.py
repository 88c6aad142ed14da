"""Recordings of traffic as text: one UDP frame a line, ``SECONDS TX|RX HEX...``."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import count
from typing import BinaryIO, NamedTuple

from .errors import TrafficError

_LONGEST_LINE = 8192


class RecordedLine(NamedTuple):
    """One datagram; TX goes from the engine to the robot."""

    number: int
    seconds: float
    to_robot: bool
    data: bytes


def read_recording(file: BinaryIO, name: str) -> Iterator[RecordedLine]:
    """Yield the lines of a recording; empty ones and comments (``#``) are skipped.

    Raises ``TrafficError`` with file and line for what is no recording.
    """
    for number in count(1):
        line = file.readline(_LONGEST_LINE)
        if not line:
            return
        where = f"{name}:{number}"
        if len(line) == _LONGEST_LINE and not line.endswith(b"\n"):
            raise TrafficError(f"{where}: a line of more than {_LONGEST_LINE} bytes")
        try:
            text = line.decode()
        except UnicodeDecodeError:
            raise TrafficError(
                f"{where}: this is neither text, so no recording, nor a pcap or pcapng file"
            ) from None
        if text.strip() and not text.startswith("#"):
            yield _parse(where, number, text)


def _parse(where: str, number: int, text: str) -> RecordedLine:
    fields = text.split(maxsplit=2)
    if len(fields) < 3:
        raise TrafficError(f"{where}: 'SECONDS TX|RX HEX...' expected, found '{_shown(text)}'")
    seconds, way, data = fields
    try:
        when = float(seconds)
    except ValueError:
        when = math.nan
    if not math.isfinite(when):
        raise TrafficError(f"{where}: '{_shown(seconds)}' is no time in seconds") from None
    if way not in ("TX", "RX"):
        raise TrafficError(f"{where}: '{_shown(way)}' is neither TX nor RX")
    try:
        return RecordedLine(number, when, way == "TX", bytes.fromhex(data))
    except ValueError as error:
        raise TrafficError(f"{where}: the bytes of the frame are damaged: {error}") from None


def _shown(text: str) -> str:
    text = text.strip()
    return text if len(text) <= 40 else text[:37] + "..."
