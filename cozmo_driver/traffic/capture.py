"""UDP datagrams in capture files, pcap and pcapng, read by dpkt; ``link.PcapWriter`` writes them.

One packet is in memory at a time.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, NamedTuple

from dpkt import Error as DpktError
from dpkt import pcap, pcapng
from dpkt.ethernet import Ethernet
from dpkt.ip import IP, IP_PROTO_UDP
from dpkt.ip6 import IP6
from dpkt.loopback import Loopback
from dpkt.sll import SLL
from dpkt.sll2 import SLL2
from dpkt.udp import UDP, UDP_HDR_LEN
from dpkt.utils import inet_to_str

from ..protocol import MAGIC
from .endpoint import ROBOT_PORT, Endpoint, TrafficError

_LARGEST_RECORD = 262144 + 128
"""The largest packet that libpcap captures, and its header."""
_MOST_INTERFACES = 1000
_LATEST = 2.0**34
"""Seconds since 1970; what is later is no time of a capture."""
_SECTION = b"\x0a\x0d\x0d\x0a"
_BYTE_ORDERS = {b"\x4d\x3c\x2b\x1a": "<", b"\x1a\x2b\x3c\x4d": ">"}
_PCAP_MAGICS = tuple(
    struct.pack(">I", magic) for magic in pcap.MAGIC_TO_PKT_HDR if magic != pcap.PACPDOM_MAGIC
)
_BLOCKS = {
    pcapng.PCAPNG_BT_IDB: (pcapng.InterfaceDescriptionBlockLE, pcapng.InterfaceDescriptionBlock),
    pcapng.PCAPNG_BT_EPB: (pcapng.EnhancedPacketBlockLE, pcapng.EnhancedPacketBlock),
    pcapng.PCAPNG_BT_PB: (pcapng.PacketBlockLE, pcapng.PacketBlock),
}
"""In either byte order, the little-endian one first."""
RAW_IP = 101
"""LINKTYPE of packets that begin with their IP header."""
_PORT = ROBOT_PORT.to_bytes(2, "big")
_IPV6_FRAGMENT = 44


class Packet(NamedTuple):
    """One captured packet; ``time`` in s since 1970, ``link_type`` a LINKTYPE of libpcap."""

    time: float
    link_type: int
    data: bytes


class _Interface(NamedTuple):
    link_type: int
    ticks_per_second: float
    offset: int


class _Bounded:
    """What dpkt reads from: no damaged length makes it take more than a packet into memory."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self.name = name
        self.position = 0
        self._file = file

    def read(self, size: int) -> bytes:
        if not 0 <= size <= _LARGEST_RECORD:
            raise self.damage(f"a record of {size} bytes")
        data = self._file.read(size)
        if 0 < len(data) < size:
            raise self.damage("it ends in the middle of a packet")
        self.position += len(data)
        return data

    def damage(self, what: str) -> TrafficError:
        return TrafficError(f"{self.name}: the capture is damaged at byte {self.position}: {what}")


def is_capture(head: bytes) -> bool:
    return head[:4] == _SECTION or head[:4] in _PCAP_MAGICS


def read_packets(file: BinaryIO, head: bytes, name: str) -> Iterator[Packet]:
    """Yield the packets of a capture whose first bytes are ``head``.

    Raises ``TrafficError`` where the file is damaged; what came before is valid.
    """
    bounded = _Bounded(file, name)
    packets = _pcapng(bounded) if head[:4] == _SECTION else _pcap(bounded)
    try:
        for packet in packets:
            if not 0.0 <= packet.time < _LATEST:
                raise bounded.damage(f"a time of {packet.time:.6g} s since 1970")
            yield packet
    except (DpktError, struct.error, ValueError, IndexError) as error:
        raise bounded.damage(str(error) or type(error).__name__) from None


def _pcap(file: _Bounded) -> Iterator[Packet]:
    reader = pcap.Reader(file)
    for time, data in reader:
        yield Packet(float(time), reader.datalink(), data)


def _pcapng(file: _Bounded) -> Iterator[Packet]:
    """Walk the blocks; dpkt's own reader knows one interface in a file only."""
    order = "<"
    interfaces: list[_Interface] = []
    while head := file.read(8):
        kind, size = struct.unpack(f"{order}II", head)
        if head[:4] == _SECTION:
            order = _BYTE_ORDERS.get(file.read(4), "")
            if not order:
                raise file.damage("a section without a byte order")
            (size,) = struct.unpack(f"{order}I", head[4:])
            file.read(size - 12)
            interfaces = []
            continue
        content = head + file.read(size - 8)
        if kind not in _BLOCKS:
            continue
        block = _BLOCKS[kind][order == ">"](content)
        if kind != pcapng.PCAPNG_BT_IDB:
            yield _packet(block, interfaces)
        elif len(interfaces) < _MOST_INTERFACES:
            interfaces.append(_interface(block, order))


def _interface(block: Any, order: str) -> _Interface:
    ticks, offset = 1e6, 0
    for option in block.opts:
        if option.code == pcapng.PCAPNG_OPT_IF_TSRESOL:
            base = 2.0 if option.data[0] & 0x80 else 10.0
            ticks = base ** (option.data[0] & 0x7F)
        elif option.code == pcapng.PCAPNG_OPT_IF_TSOFFSET:
            (offset,) = struct.unpack(f"{order}q", option.data)
    return _Interface(block.linktype, ticks, offset)


def _packet(block: Any, interfaces: list[_Interface]) -> Packet:
    if block.iface_id >= len(interfaces):
        raise ValueError(f"a packet of the interface {block.iface_id}, which is not described")
    interface = interfaces[block.iface_id]
    ticks = block.ts_high << 32 | block.ts_low
    return Packet(
        interface.offset + ticks / interface.ticks_per_second, interface.link_type, block.pkt_data
    )


class PacketRefused(Exception):
    """A packet that may be the robot's and cannot be read; the text is the reason, without data."""


def datagram_of(packet: Packet) -> tuple[Endpoint, Endpoint, bytes] | None:
    """Return source, destination and content of the UDP datagram in a packet.

    None for traffic that cannot be a robot's. Raises ``PacketRefused``.
    """
    # Most of a capture is somebody else's; taking it apart would cost minutes.
    if MAGIC not in packet.data and _PORT not in packet.data:
        return None
    parse = _LINKS.get(packet.link_type)
    if parse is None:
        raise PacketRefused(f"captured with link type {packet.link_type}, which is not understood")
    try:
        ip = parse(packet.data)
    except Exception:  # damaged packets make dpkt raise nearly anything
        raise PacketRefused("packet is damaged") from None
    return _datagram(ip)


def _datagram(ip: Any) -> tuple[Endpoint, Endpoint, bytes] | None:
    if not isinstance(ip, IP | IP6):
        return None
    if _is_fragment(ip):
        raise PacketRefused("IP fragment")
    udp = ip.data
    if not isinstance(udp, UDP):
        if ip.p == IP_PROTO_UDP:
            raise PacketRefused("packet is damaged")
        return None
    size = udp.ulen - UDP_HDR_LEN
    if size < 0:
        raise PacketRefused("packet is damaged")
    if len(udp.data) < size:
        raise PacketRefused("cut short by the capture (tcpdump: -s 0)")
    return (
        Endpoint(inet_to_str(ip.src), udp.sport),
        Endpoint(inet_to_str(ip.dst), udp.dport),
        bytes(udp.data[:size]),
    )


def _is_fragment(ip: IP | IP6) -> bool:
    if isinstance(ip, IP):
        return bool(ip.mf or ip.offset)
    fragment = ip.extension_hdrs.get(_IPV6_FRAGMENT)
    return fragment is not None and bool(fragment.frag_off or fragment.m_flag)


def _raw(data: bytes) -> Any:
    return IP6(data) if data[0] >> 4 == 6 else IP(data)


def _inside(link: type) -> Callable[[bytes], Any]:
    return lambda data: link(data).data


_LINKS: dict[int, Callable[[bytes], Any]] = {
    pcap.DLT_EN10MB: _inside(Ethernet),
    pcap.DLT_LINUX_SLL: _inside(SLL),
    pcap.DLT_LINUX_SLL2: _inside(SLL2),
    pcap.DLT_NULL: _inside(Loopback),
    # Number of OpenBSD, of files, and of other systems for what is 101 in files.
    pcap.DLT_LOOP: _inside(Loopback),
    12: _raw,
    14: _raw,
    RAW_IP: _raw,
    pcap.DLT_IPV4: _raw,
    pcap.DLT_IPV6: _raw,
}
