"""Capture files made from the recordings of a real robot, in every way that captures come."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable, Iterable

from dpkt import ethernet, ip, ip6, loopback, pcap, pcapng, sll, sll2, udp

from ..protocol.recordings import IMAGE, SESSION, Recorded, recording

ENGINE = ("172.31.1.2", 47817)
ROBOT = ("172.31.1.1", 5551)
BEGIN = 1_700_000_000.25
__all__ = ["IMAGE", "SESSION", "Recorded", "recording"]

Way = tuple[tuple[str, int], tuple[str, int]]


def _udp(way: Way, data: bytes) -> udp.UDP:
    (_, source), (_, destination) = way
    return udp.UDP(sport=source, dport=destination, ulen=8 + len(data), data=data)


def ipv4(way: Way, data: bytes, **header: int) -> ip.IP:
    """Return a datagram in an IPv4 packet."""
    source, destination = (bytes(map(int, address.split("."))) for address, _ in way)
    return ip.IP(src=source, dst=destination, p=17, data=_udp(way, data), **header)


def ipv6(way: Way, data: bytes) -> ip6.IP6:
    """Return a datagram in an IPv6 packet between mapped addresses."""
    source, destination = (
        b"\xfd" + bytes(11) + bytes(map(int, address.split("."))) for address, _ in way
    )
    body = _udp(way, data)
    return ip6.IP6(src=source, dst=destination, nxt=17, plen=len(body), data=body)


def _tagged(packet: ip.IP) -> bytes:
    """A priority-tagged frame inside another VLAN."""
    plain = bytes(ethernet.Ethernet(data=packet, type=ethernet.ETH_TYPE_IP))
    return plain[:12] + struct.pack(">HHHHH", 0x88A8, 7, 0x8100, 0x2005, 0x0800) + plain[14:]


LINKS: dict[str, tuple[int, Callable[[Way, bytes], bytes]]] = {
    "ethernet": (1, lambda way, data: bytes(ethernet.Ethernet(data=ipv4(way, data)))),
    "vlan": (1, lambda way, data: _tagged(ipv4(way, data))),
    "ethernet, IPv6": (
        1,
        lambda way, data: bytes(
            ethernet.Ethernet(data=ipv6(way, data), type=ethernet.ETH_TYPE_IP6)
        ),
    ),
    "Linux cooked": (113, lambda way, data: bytes(sll.SLL(data=ipv4(way, data)))),
    "Linux cooked 2": (276, lambda way, data: bytes(sll2.SLL2(data=ipv4(way, data)))),
    "loopback": (0, lambda way, data: bytes(loopback.Loopback(family=2, data=ipv4(way, data)))),
    "OpenBSD loopback": (108, lambda way, data: b"\0\0\0\2" + bytes(ipv4(way, data))),
    "raw IP": (101, lambda way, data: bytes(ipv4(way, data))),
    "raw IP, IPv6": (101, lambda way, data: bytes(ipv6(way, data))),
}


def way_of(frame: Recorded) -> Way:
    return (ENGINE, ROBOT) if frame.to_robot else (ROBOT, ENGINE)


def pcap_of(packets: Iterable[tuple[float, bytes]], link: int, *, nano: bool = False) -> bytes:
    """Return a pcap file of packets with their times in s since 1970."""
    file = io.BytesIO()
    writer = pcap.Writer(file, snaplen=65535, linktype=link, nano=nano)
    for time, packet in packets:
        writer.writepkt(packet, time)
    return file.getvalue()


def as_pcap(frames: list[Recorded], link: str = "ethernet", *, nano: bool = False) -> bytes:
    """Return frames as a pcap file."""
    number, wrap = LINKS[link]
    packets = [(BEGIN + frame.seconds, wrap(way_of(frame), frame.data)) for frame in frames]
    return pcap_of(packets, number, nano=nano)


def as_pcapng(frames: list[Recorded], *, little: bool = True) -> bytes:
    """Return frames as a pcapng file: those to the robot from one interface, others from another.

    The interfaces differ in link type and in the resolution of their clocks.
    """
    suffix = "LE" if little else ""
    order = "<" if little else ">"

    def block(name: str, **values: object) -> bytes:
        return bytes(getattr(pcapng, name + suffix)(**values))

    option = getattr(pcapng, "PcapngOption" + suffix)
    end = option(code=pcapng.PCAPNG_OPT_ENDOFOPT)
    nano = option(code=pcapng.PCAPNG_OPT_IF_TSRESOL, data=b"\x09")
    offset = option(code=pcapng.PCAPNG_OPT_IF_TSOFFSET, data=struct.pack(f"{order}q", int(BEGIN)))
    parts = [
        block("SectionHeaderBlock"),
        # An unknown block, as of newer programs.
        struct.pack(f"{order}IIII", 0x0BAD, 16, 0, 16),
        block("InterfaceDescriptionBlock", linktype=1),
        block("InterfaceDescriptionBlock", linktype=101, opts=[nano, offset, end]),
    ]
    for frame in frames:
        time = BEGIN + frame.seconds
        ticks = round(time * 1e6) if frame.to_robot else round((time - int(BEGIN)) * 1e6) * 1000
        data = LINKS["ethernet" if frame.to_robot else "raw IP"][1](way_of(frame), frame.data)
        parts.append(
            block(
                "EnhancedPacketBlock",
                iface_id=0 if frame.to_robot else 1,
                ts_high=ticks >> 32,
                ts_low=ticks & 0xFFFFFFFF,
                caplen=len(data),
                pkt_len=len(data),
                pkt_data=data,
            )
        )
    return b"".join(parts)
