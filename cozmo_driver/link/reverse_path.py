"""Linux's reverse path filter, which can silence a robot behind a second network adapter.

In its strict mode the kernel drops what comes in through another adapter than the one that its
routes name for the sender; with several robots at one address they name one adapter only.
"""

from __future__ import annotations

import ipaddress
import sys
from collections.abc import Iterator
from pathlib import Path

_STRICT = 1
_PROC = Path("/proc")


def silenced(address: str, interface: str, proc: Path = _PROC) -> str:
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
