"""Recordings of traffic as text: one UDP frame a line, ``SECONDS TX|RX HEX...``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from .errors import CommandError


class RecordedFrame(NamedTuple):
    """One datagram; TX goes from the engine to the robot."""

    line: int
    seconds: float
    to_robot: bool
    data: bytes


def read_recording(path: Path) -> Iterator[RecordedFrame]:
    """Yield the frames of a recording; empty lines and comments (``#``) are skipped.

    Raises ``CommandError`` with file and line for what is no recording, ``OSError`` when there is
    nothing to read.
    """
    with path.open(encoding="utf-8", errors="strict") as file:
        for number in _numbers():
            try:
                text = file.readline()
            except UnicodeDecodeError:
                raise CommandError(f"{path}:{number}: this is no text, so no recording") from None
            if not text:
                return
            if text.strip() and not text.startswith("#"):
                yield _parse(path, number, text)


def _numbers() -> Iterator[int]:
    number = 0
    while True:
        number += 1
        yield number


def _parse(path: Path, number: int, text: str) -> RecordedFrame:
    where = f"{path}:{number}"
    fields = text.split(maxsplit=2)
    if len(fields) < 3:
        raise CommandError(f"{where}: 'SECONDS TX|RX HEX...' expected, found '{_shown(text)}'")
    seconds, way, data = fields
    try:
        when = float(seconds)
    except ValueError:
        raise CommandError(f"{where}: '{_shown(seconds)}' is no time in seconds") from None
    if way not in ("TX", "RX"):
        raise CommandError(f"{where}: '{_shown(way)}' is neither TX nor RX")
    try:
        return RecordedFrame(number, when, way == "TX", bytes.fromhex(data))
    except ValueError as error:
        raise CommandError(f"{where}: the bytes of the frame are damaged: {error}") from None


def _shown(text: str) -> str:
    text = text.strip()
    return text if len(text) <= 40 else text[:37] + "..."
