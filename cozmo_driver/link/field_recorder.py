"""The last minute of the traffic, in memory until something goes wrong."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import BinaryIO, NamedTuple

from .pcap import Address, PcapWriter

KEPT = 60.0
"""s"""
_SIZE, _BEGINNING = 2 << 20, 256 << 10
"""Bytes of the last minute, with pictures half of it, and of how the session began."""
_PER_DATAGRAM = 100
"""Bytes that Python needs besides."""
_ENGINE = "172.31.1.2", 5551
"""Instead of this computer's address, which is nobody's business: the first that a robot gives."""


class Datagram(NamedTuple):
    """``time`` on the loop's clock, s."""

    time: float
    to_robot: bool
    data: bytes


class FieldRecorder:
    """Keeps how a session began, and its last minute.

    Only in the beginning a robot says who it is: without it nothing could be played again.
    """

    def __init__(self, beginning: int = _BEGINNING) -> None:
        """Keep ``beginning`` bytes of how it began; where that is over 2 MB, nothing after it."""
        self._most = beginning
        self.begin()

    def begin(self) -> None:
        """Forget the last session: another one begins."""
        self._beginning: list[Datagram] = []
        self._recent: deque[Datagram] = deque()
        self._is_beginning, self._size = True, 0

    def on_ready(self) -> None:
        """The session has begun."""
        self._is_beginning = False

    def tap(self, to_robot: bool, data: bytes, now: float) -> None:
        """Keep a datagram; ``now`` on the loop's clock, s."""
        datagram = Datagram(now, to_robot, data)
        size = len(data) + _PER_DATAGRAM
        if self._is_beginning and self._size + size <= self._most:
            self._beginning.append(datagram)
            self._size += size
            return
        self._is_beginning = False
        recent = self._recent
        recent.append(datagram)
        self._size += size
        while recent and (now - recent[0].time > KEPT or self._size > _SIZE):
            self._size -= len(recent.popleft().data) + _PER_DATAGRAM

    def datagrams(self) -> list[Datagram]:
        return [*self._beginning, *self._recent]


def write_datagrams(
    file: BinaryIO, datagrams: Iterable[Datagram], robot: Address, zero: float
) -> None:
    """Write a capture file; ``zero``: s since 1970 at the loop's zero. Raises ``OSError``."""
    writer = PcapWriter(file)
    for time, to_robot, data in datagrams:
        source, destination = (_ENGINE, robot) if to_robot else (robot, _ENGINE)
        writer.write(zero + time, source, destination, data)
