"""Addresses by which a telephone opens the page."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

import psutil

_ELSEWHERE = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}
"""Of nobody (RFC 5737, RFC 3849): what leads there is the default route."""
_ANY = {"0.0.0.0": socket.AF_INET, "::": socket.AF_INET6}


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
            return next(_of_adapters(family), "")
        return str(probe.getsockname()[0])


def is_here_only(origin: str) -> bool:
    """Tell whether an origin names this computer to itself only."""
    host = urlsplit(origin).hostname or "localhost"
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host in ("localhost", socket.gethostname().lower())
    return address.is_loopback or address.is_unspecified


def _of_adapters(family: socket.AddressFamily) -> Iterator[str]:
    """Yield the addresses of adapters that have a link, but those that hold on one link only."""
    links = psutil.net_if_stats()
    for name, addresses in psutil.net_if_addrs().items():
        for one in addresses:
            if one.family == family and name in links and links[name].isup:
                address = ipaddress.ip_address(one.address)
                if not (address.is_loopback or address.is_link_local):
                    yield str(address)
