"""Traffic from wherever it is: capture files, recordings as text, a pipe, a network interface."""

from __future__ import annotations

import errno
import io
import math
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any, BinaryIO

from .capture import RAW_IP, Packet, PacketRefused, datagram_of, is_capture, read_packets
from .endpoint import Endpoint, TrafficError
from .sessions import RecordedFrame, Sessions

STDIN = "-"
_ALL_PROTOCOLS = 0x0003
_LARGEST_PACKET = 65536
_LOOPBACK = "lo"
_LONGEST_LINE = 8192
_TEXT_ENDS = Endpoint("engine", 0), Endpoint("robot", 0)


class Traffic:
    """The frames of one source."""

    def __init__(self) -> None:
        self.sessions = Sessions()
        self.begin: float | None = None
        """When the first frame was captured, s since 1970; None when the file has no times."""
        self.packets = 0
        """Packets or lines read so far, those of others too."""
        self.frames: Iterator[RecordedFrame] = iter(())
        """In their order; raises ``TrafficError`` where the source is damaged."""

    def from_packets(self, packets: Iterator[Packet]) -> Iterator[RecordedFrame]:
        """Yield what is a robot's or its engine's; the rest is skipped or counted."""
        for packet in packets:
            self.packets += 1
            try:
                datagram = datagram_of(packet)
            except PacketRefused as refusal:
                self.sessions.refused[str(refusal)] += 1
                continue
            if datagram is None:
                continue
            seconds = 0.0 if self.begin is None else packet.time - self.begin
            frame = self.sessions.frame_of(self.packets, seconds, *datagram)
            if frame is not None:
                if self.begin is None:
                    self.begin = packet.time
                yield frame

    def from_lines(self, file: BinaryIO, name: str) -> Iterator[RecordedFrame]:
        for number, seconds, to_robot, data, _ in read_recording(file, name):
            self.packets += 1
            ends = _TEXT_ENDS if to_robot else _TEXT_ENDS[::-1]
            frame = self.sessions.frame_of(number, seconds, *ends, data, to_robot)
            if frame is not None:
                yield frame


class _File(io.FileIO):
    """A file that reports the size of every piece that is read, 0 at its end."""

    on_read: Callable[[int], object]

    def readinto(self, buffer: Any) -> int | None:
        size = super().readinto(buffer)
        self.on_read(size or 0)
        return size


@contextmanager
def open_file(path: str, on_read: Callable[[int], object] = lambda size: None) -> Iterator[Traffic]:
    """Open a pcap or pcapng file or a recording as text; ``-`` is the standard input.

    ``on_read`` gets the size of every piece that is read, 0 at the end. Raises ``OSError``.
    """
    name = "standard input" if path == STDIN else path
    with _File(0 if path == STDIN else path, closefd=path != STDIN) as raw:
        raw.on_read = on_read
        file = io.BufferedReader(raw)
        head = file.peek(4)[:4]
        traffic = Traffic()
        traffic.frames = (
            traffic.from_packets(read_packets(file, head, name))
            if is_capture(head)
            else traffic.from_lines(file, name)
        )
        yield traffic


@contextmanager
def open_interface(name: str, seconds: float | None = None) -> Iterator[Traffic]:
    """Listen to a network interface of this computer, for so long or until the caller has enough.

    Raises ``TrafficError`` when that is impossible or not allowed.
    """
    if not hasattr(socket, "AF_PACKET"):
        raise TrafficError("only Linux can listen to an interface; give a capture file instead")
    try:
        sock = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(_ALL_PROTOCOLS))
    except PermissionError:
        raise TrafficError(
            f"this process may not listen to '{name}' (it needs CAP_NET_RAW): run it as root, or "
            f"let tcpdump listen: sudo tcpdump -i {name} -U -w - udp | cozmo dump -"
        ) from None
    with sock:
        try:
            sock.bind((name, 0))
        except OSError as error:
            if error.errno != errno.ENODEV:
                raise TrafficError(f"interface '{name}': {error.strerror}") from None
            known = ", ".join(sorted(n for _, n in socket.if_nameindex()))
            raise TrafficError(
                f"there is no network interface '{name}'; this computer has: {known}"
            ) from None
        traffic = Traffic()
        traffic.frames = traffic.from_packets(_captured(sock, name, seconds))
        yield traffic


def _captured(sock: socket.socket, name: str, seconds: float | None) -> Iterator[Packet]:
    end = math.inf if seconds is None else time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        try:
            sock.settimeout(None if seconds is None else left)
            data, (_, _, kind, *_) = sock.recvfrom(_LARGEST_PACKET)
        except TimeoutError:
            return
        except OSError as error:
            raise TrafficError(f"interface '{name}': {error.strerror}") from None
        # What a computer sends to itself is captured when it leaves and when it arrives.
        if name == _LOOPBACK and kind == socket.PACKET_OUTGOING:
            continue
        yield Packet(time.time(), RAW_IP, data)


def read_recording(file: BinaryIO, name: str) -> Iterator[RecordedFrame]:
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


def _parse(where: str, number: int, text: str) -> RecordedFrame:
    fields = text.split(maxsplit=2)
    if len(fields) < 3:
        raise TrafficError(f"{where}: 'SECONDS TX|RX HEX...' expected, found {_shown(text)}")
    seconds, way, data = fields
    try:
        when = float(seconds)
    except ValueError:
        when = math.nan
    if not math.isfinite(when):
        raise TrafficError(f"{where}: {_shown(seconds)} is no time in seconds") from None
    if way not in ("TX", "RX"):
        raise TrafficError(f"{where}: {_shown(way)} is neither TX nor RX")
    try:
        return RecordedFrame(number, when, way == "TX", bytes.fromhex(data))
    except ValueError as error:
        raise TrafficError(f"{where}: the bytes of the frame are damaged: {error}") from None


def _shown(text: str) -> str:
    text = text.strip()
    return repr(text if len(text) <= 40 else text[:37] + "...")
