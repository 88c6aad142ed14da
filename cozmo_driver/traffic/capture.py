"""Packets of capture files, pcap and pcapng, taken apart by dpkt; one is in memory at a time."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

from dpkt import Error as DpktError
from dpkt import pcap, pcapng

from .errors import TrafficError

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
    """Tell by the first four bytes whether this is a pcap or pcapng file."""
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
            order = _byte_order(file)
            (size,) = struct.unpack(f"{order}I", head[4:])
            file.read(size - 12)
            interfaces = []
            continue
        block = head + file.read(size - 8)
        little = order == "<"
        if kind == pcapng.PCAPNG_BT_IDB and len(interfaces) < _MOST_INTERFACES:
            cls = pcapng.InterfaceDescriptionBlockLE if little else pcapng.InterfaceDescriptionBlock
            interfaces.append(_interface(cls(block), order))
        elif kind == pcapng.PCAPNG_BT_EPB:
            yield _packet(
                (pcapng.EnhancedPacketBlockLE if little else pcapng.EnhancedPacketBlock)(block),
                interfaces,
            )
        elif kind == pcapng.PCAPNG_BT_PB:
            yield _packet(
                (pcapng.PacketBlockLE if little else pcapng.PacketBlock)(block), interfaces
            )


def _byte_order(file: _Bounded) -> str:
    order = _BYTE_ORDERS.get(file.read(4))
    if order is None:
        raise file.damage("a section without a byte order")
    return order


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
