"""Addresses by which a telephone opens the page."""

from __future__ import annotations

import fcntl
import ipaddress
import socket
import struct
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

_ELSEWHERE = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}
"""Of nobody (RFC 5737, RFC 3849): what leads there is the default route."""
_ANY = {"0.0.0.0": socket.AF_INET, "::": socket.AF_INET6}
_GET_FLAGS, _GET_ADDRESS = 0x8913, 0x8915
"""SIOCGIFFLAGS, SIOCGIFADDR."""
_LOOPBACK, _RUNNING = 0x8, 0x40
_INET6 = Path("/proc/net/if_inet6")


def outward_host(bound: str) -> str:
    """Return the address for others of who listens on ``bound``; empty where it has none."""
    family = _ANY.get(bound)
    if family is None:
        return bound
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((_ELSEWHERE[family], 9))  # sends nothing
        except OSError:
            # A robot's own Wi-Fi gives an address, and no default route.
            found = _ipv4(probe) if family == socket.AF_INET else _ipv6()
            return next(found, "")
        return str(probe.getsockname()[0])


def is_here_only(origin: str) -> bool:
    """Tell whether an origin names this computer to itself only."""
    host = urlsplit(origin).hostname or "localhost"
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host in ("localhost", socket.gethostname().lower())
    return address.is_loopback or address.is_unspecified


def _ipv4(any_socket: socket.socket) -> Iterator[str]:
    """Yield the first address of each adapter that has a link."""
    for _, name in socket.if_nameindex():
        request = struct.pack("256s", name.encode())
        try:
            [flags] = struct.unpack_from("H", fcntl.ioctl(any_socket, _GET_FLAGS, request), 16)
            if flags & _RUNNING and not flags & _LOOPBACK:
                answer = fcntl.ioctl(any_socket, _GET_ADDRESS, request)
                yield socket.inet_ntoa(answer[20:24])
        except OSError:
            continue  # it has none


def _ipv6() -> Iterator[str]:
    """Yield what a browser can open: addresses of one link need its name beside them."""
    try:
        lines = _INET6.read_text().splitlines()
    except OSError:
        return
    for line in lines:
        address = ipaddress.IPv6Address(int(line.split()[0], 16))
        if not (address.is_loopback or address.is_link_local):
            yield str(address)
