"""UDP sockets: local address by route, optional binding to one network interface."""

from __future__ import annotations

import errno
import ipaddress
import socket
import sys
from collections.abc import Iterator
from pathlib import Path


class LinkError(OSError):
    """The computer's network refuses the link; the text says what to do."""

    def __str__(self) -> str:
        return self.strerror or super().__str__()


def open_socket(address: str, port: int, network_interface: str = "") -> socket.socket:
    """Return a non-blocking UDP socket to reach ``address``; nothing is sent.

    With ``network_interface`` all traffic is bound to that adapter, so that several robots with
    the same address can be driven from one computer. Raises ``LinkError``.
    """
    try:
        ipaddress.IPv4Address(address)
    except ValueError:
        raise LinkError(f"'{address}' is not an IPv4 address; a robot is at 172.31.1.1") from None
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        sock.setblocking(False)
        if network_interface:
            _bind_to_interface(sock, network_interface)
        sock.bind((_local_address(address, port, network_interface), 0))
    except LinkError:
        sock.close()
        raise
    except OSError as error:
        sock.close()
        raise LinkError(error.errno, _explain(error, address)) from error
    return sock


def _bind_to_interface(sock: socket.socket, name: str) -> None:
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, name.encode() + b"\0")
    except OSError as error:
        if error.errno == errno.ENODEV:
            known = ", ".join(sorted(n for _, n in socket.if_nameindex()))
            raise LinkError(
                f"there is no network interface '{name}'; this computer has: {known}"
            ) from error
        if error.errno == errno.EPERM:
            raise LinkError(
                f"this process may not bind to the interface '{name}' (needs CAP_NET_RAW on Linux "
                "before 5.7)"
            ) from error
        raise


def _local_address(address: str, port: int, network_interface: str) -> str:
    # Connecting a UDP socket sends nothing; it only asks the routing table.
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        if network_interface:
            _bind_to_interface(probe, network_interface)
        probe.connect((address, port))
        return str(probe.getsockname()[0])


def _explain(error: OSError, address: str) -> str:
    if error.errno in (errno.ENETUNREACH, errno.EHOSTUNREACH):
        return f"no network leads to {address}; join the robot's Wi-Fi (Cozmo_...) first"
    return f"cannot open a UDP socket to {address}: {error.strerror}"


_STRICT = 1
_PROC = Path("/proc")


def reverse_path_hint(address: str, interface: str, proc: Path = _PROC) -> str:
    """Return what to do when the kernel drops what ``address`` sends to ``interface``, else ''.

    Systems other than Linux have no such filter.
    """
    folder = proc / "sys/net/ipv4/conf"
    try:
        # The stricter of both does not win, the larger number does.
        mode = max(int((folder / name / "rp_filter").read_text()) for name in ("all", interface))
        routes = (proc / "net/route").read_text()
    except (OSError, ValueError):
        return ""
    first = adapter_towards(address, routes)
    if mode != _STRICT or not first or first == interface:
        return ""
    return (
        f"this computer drops what {address} sends to {interface}, because its route there leads "
        f"through {first}: as root, run sysctl -w net.ipv4.conf.{interface}.rp_filter=2"
    )


def adapter_towards(address: str, routes: str) -> str:
    """Return the adapter that ``/proc/net/route`` names for an address; empty without a route."""
    # Of equal routes the kernel takes the one that it lists first.
    first = min(_routes_to(address, routes), key=lambda route: route[:2], default=None)
    return first[2] if first else ""


def _routes_to(address: str, routes: str) -> Iterator[tuple[int, int, str]]:
    """Yield (negative prefix length, metric, adapter) of every route; the least is taken."""
    target = int(ipaddress.IPv4Address(address))
    for line in routes.splitlines()[1:]:
        adapter, network, _, _, _, _, metric, mask, *_ = line.split()
        bits = _number(mask)
        if target & bits == _number(network):
            yield -bits.bit_count(), int(metric), adapter


def _number(text: str) -> int:
    """Return an address of the table, which is in the machine's byte order, as a number."""
    return int.from_bytes(int(text, 16).to_bytes(4, sys.byteorder), "big")
