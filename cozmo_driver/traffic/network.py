"""UDP datagrams out of captured packets: Ethernet, VLAN, Linux cooked, loopback, raw IP."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from dpkt import pcap
from dpkt.ethernet import Ethernet
from dpkt.ip import IP, IP_PROTO_UDP
from dpkt.ip6 import IP6
from dpkt.loopback import Loopback
from dpkt.sll import SLL
from dpkt.sll2 import SLL2
from dpkt.udp import UDP
from dpkt.utils import inet_to_str

from ..protocol.frames import MAGIC
from .capture import Packet

ROBOT_PORT = 5551
RAW_IP = 101
"""LINKTYPE of packets that begin with their IP header."""
_PORT = ROBOT_PORT.to_bytes(2, "big")
_IPV6_FRAGMENT = 44
_UDP_HEADER = 8


class Endpoint(NamedTuple):
    """Address and UDP port of one end."""

    address: str
    port: int

    def __str__(self) -> str:
        """Return how people write it; a recording as text has no ports."""
        if not self.port:
            return self.address
        host = f"[{self.address}]" if ":" in self.address else self.address
        return f"{host}:{self.port}"


class Datagram(NamedTuple):
    """One UDP datagram; ``time`` in s since 1970."""

    time: float
    source: Endpoint
    destination: Endpoint
    data: bytes


class PacketRefused(Exception):
    """A packet that may be the robot's and cannot be read; the text is the reason, without data."""


def datagram_of(packet: Packet) -> Datagram | None:
    """Return the datagram in a packet; None for traffic that cannot be a robot's.

    Raises ``PacketRefused``.
    """
    # Most of a capture is somebody else's; taking it apart would cost minutes.
    if MAGIC not in packet.data and _PORT not in packet.data:
        return None
    parse = _LINKS.get(packet.link_type)
    if parse is None:
        raise PacketRefused(f"captured with link type {packet.link_type}, which is not understood")
    try:
        return _datagram(packet.time, parse(packet.data))
    except PacketRefused:
        raise
    except Exception:
        # Damaged packets make dpkt raise nearly anything.
        raise PacketRefused("packet is damaged") from None


def _datagram(time: float, ip: Any) -> Datagram | None:
    if not isinstance(ip, IP | IP6):
        return None
    if _is_fragment(ip):
        raise PacketRefused("IP fragment")
    udp = ip.data
    if not isinstance(udp, UDP):
        if ip.p == IP_PROTO_UDP:
            raise PacketRefused("packet is damaged")
        return None
    size = udp.ulen - _UDP_HEADER
    if size < 0:
        raise PacketRefused("packet is damaged")
    if len(udp.data) < size:
        raise PacketRefused("cut short by the capture (tcpdump: -s 0)")
    return Datagram(
        time,
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
