"""Capture files as libpcap writes them, of UDP datagrams between IPv4 addresses.

Without dpkt, which reads them: the driver, which writes one now and then, need not load it.
"""

from __future__ import annotations

import struct
from ipaddress import IPv4Address
from typing import BinaryIO

_MAGIC, _VERSION, _SNAP_LENGTH = 0xA1B2C3D4, (2, 4), 65535
_RAW_IP = 101
"""LINKTYPE of packets that begin with their IP header."""
_HEADER = struct.Struct("<IHHiIII")
_RECORD = struct.Struct("<IIII")
_IP = struct.Struct(">BBHHHBBH8s")
_UDP, _PSEUDO = struct.Struct(">HHHH"), struct.Struct(">HH")
_IP_VERSION, _TIME_TO_LIVE, _PROTOCOL = 0x45, 64, 17
_MICRO = 1_000_000

Address = tuple[str, int]
"""IPv4 address and port."""


class PcapWriter:
    """Writes each datagram at once, so that a file cut off anywhere holds all before."""

    def __init__(self, file: BinaryIO) -> None:
        """Write the file's header to ``file``, which should not buffer. Raises ``OSError``."""
        self._file = file
        self.size = _HEADER.size
        """Bytes of the file so far."""
        file.write(_HEADER.pack(_MAGIC, *_VERSION, 0, 0, _SNAP_LENGTH, _RAW_IP))

    def write(self, time: float, source: Address, destination: Address, data: bytes) -> None:
        """Add a datagram; ``time`` in s since 1970. Raises ``OSError``."""
        micros = round(time * _MICRO)
        ends = IPv4Address(source[0]).packed + IPv4Address(destination[0]).packed
        udp = _UDP.pack(source[1], destination[1], _UDP.size + len(data), 0) + data
        # None is 0; one that would be 0 is written as its complement.
        checksum = _checksum(ends + _PSEUDO.pack(_PROTOCOL, len(udp)) + udp) or 0xFFFF
        length = _IP.size + len(udp)
        record = _RECORD.pack(*divmod(micros, _MICRO), length, length)
        self._file.write(
            record + _ip_header(length, ends) + udp[:6] + checksum.to_bytes(2, "big") + data
        )
        self.size = self.size_with(data)

    def size_with(self, data: bytes) -> int:
        return self.size + _RECORD.size + _IP.size + _UDP.size + len(data)


def _ip_header(length: int, ends: bytes) -> bytes:
    fields = _IP_VERSION, 0, length, 0, 0, _TIME_TO_LIVE, _PROTOCOL
    return _IP.pack(*fields, _checksum(_IP.pack(*fields, 0, ends)), ends)


def _checksum(data: bytes) -> int:
    """Return the one of the internet protocols (RFC 1071)."""
    data += bytes(len(data) % 2)
    total: int = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF
