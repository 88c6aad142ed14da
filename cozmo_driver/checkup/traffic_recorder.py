"""All traffic of a checkup, in memory until it is written."""

from __future__ import annotations

from pathlib import Path

from ..link import Datagram, write_datagrams
from ..whole_files import whole_file

_MOST_BYTES = 64 << 20
"""Ten minutes with images all the time have 40 MB."""


class TrafficRecorder:
    """``tap`` is for ``UdpLink.tap``; set it before the robot connects."""

    def __init__(self) -> None:
        self._datagrams: list[Datagram] = []
        self._size = 0

    def tap(self, to_robot: bool, data: bytes, now: float) -> None:
        """Keep a datagram, as long as there is room; ``now`` on the loop's clock, s."""
        if self._size + len(data) <= _MOST_BYTES:
            self._size += len(data)
            self._datagrams.append(Datagram(now, to_robot, data))

    def write(self, path: Path, robot: tuple[str, int], zero: float) -> None:
        """Write a capture file for its user alone; ``zero``: s since 1970 at the loop's zero.

        Raises ``OSError``.
        """
        with whole_file(path) as file:
            write_datagrams(file, self._datagrams, robot, zero)
