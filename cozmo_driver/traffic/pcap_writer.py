"""Datagrams as a pcap file that every tool opens: raw IP packets with headers made for them."""

from __future__ import annotations

import ipaddress
from typing import BinaryIO

from dpkt.ip import IP, IP_PROTO_UDP
from dpkt.pcap import Writer
from dpkt.udp import UDP, UDP_HDR_LEN

from .network import RAW_IP, Endpoint

_WHOLE = 65535
_FILE_HEADER = 24
_HEADERS = 16 + 20 + 8


class PcapWriter:
    """Writes each datagram at once, so that a file cut off anywhere holds all before."""

    def __init__(self, file: BinaryIO) -> None:
        """Write the file's header to ``file``, which should not buffer. Raises ``OSError``."""
        self.size = _FILE_HEADER
        """Bytes of the file so far."""
        self._writer = Writer(file, snaplen=_WHOLE, linktype=RAW_IP)

    def write(self, time: float, source: Endpoint, destination: Endpoint, data: bytes) -> None:
        """Add a datagram between IPv4 endpoints; ``time`` in s since 1970. Raises ``OSError``."""
        udp = UDP(
            sport=source.port, dport=destination.port, ulen=UDP_HDR_LEN + len(data), data=data
        )
        packet = IP(
            src=ipaddress.IPv4Address(source.address).packed,
            dst=ipaddress.IPv4Address(destination.address).packed,
            p=IP_PROTO_UDP,
            data=udp,
        )
        self._writer.writepkt(packet, round(time, 6))
        self.size = self.size_with(data)

    def size_with(self, data: bytes) -> int:
        """Return how many bytes the file would have with this datagram."""
        return self.size + _HEADERS + len(data)
