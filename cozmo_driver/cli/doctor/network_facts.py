"""What this computer's network is like, from the kernel, iw and NetworkManager.

Nothing is sent or changed, and no scan is started.
"""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Interface
from pathlib import Path
from typing import Any

from ...link import adapter_towards
from .. import network_manager
from ..common import CommandError

_PROC = Path("/proc")
_DHCP_CLIENT = 68
_ANY_ADDRESS = "0.0.0.0"
_NAME = re.compile(r"^\s*SSID: (.*)$", re.MULTILINE)
_SIGNAL = re.compile(r"^\s*signal: (-?\d+ dBm)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Adapter:
    """A network adapter with its IPv4 addresses; down also when it has no carrier."""

    name: str
    is_up: bool
    is_wireless: bool
    addresses: tuple[IPv4Interface, ...]


@dataclass(frozen=True, slots=True)
class Route:
    """The way a datagram takes; ``gateway`` and ``source`` are empty where there is none."""

    adapter: str
    gateway: str
    source: str


@dataclass(frozen=True, slots=True)
class Facts:
    """The network as it concerns one robot."""

    adapters: tuple[Adapter, ...]
    to_robot: Route | None
    to_internet: Route | None
    """The default route; None without one."""


def read(address: str, interface: str) -> Facts:
    """Return the facts for a robot at ``address``, reached through ``interface`` if given.

    Without the ``ip`` of iproute2 these are the routes of the kernel's main table, and no adapters.
    """
    adapters = tuple(map(_adapter, _ip("address", "show")))
    if not adapters:
        return Facts((), _route_of_table(address), _route_of_table(_ANY_ADDRESS))
    through = ["oif", interface] if interface else []
    defaults = sorted(
        _ip("-4", "route", "show", "default"), key=lambda route: route.get("metric", 0)
    )
    return Facts(
        adapters,
        next(map(_route, _ip("route", "get", address, *through)), None),
        next(map(_route, defaults), None),
    )


def has_neighbour(address: str, adapter: str) -> bool | None:
    """Return whether the address was resolved on its network; None when that is unknown."""
    entries = _ip("neighbour", "show", address, *(["dev", adapter] if adapter else []))
    states = {state for entry in entries for state in entry.get("state", ())}
    if not states or "NOARP" in states:
        return None
    return not states <= {"FAILED", "INCOMPLETE"}


def users_of(address: str, robot: str, port: int) -> list[str]:
    """Return the programs here with a UDP socket of this local address, but for the robot's own.

    Only the own programs are seen, unless this is root.
    """
    inodes = set(_sockets_of(IPv4Address(address), (IPv4Address(robot), port)))
    return sorted(_programs_with(inodes)) if inodes else []


def _ip(*words: str) -> list[dict[str, Any]]:
    """Return what ``ip -json`` prints; nothing when it is missing or refuses."""
    try:
        return list(json.loads(_output("ip", "-json", *words) or "[]"))
    except (OSError, ValueError):
        return []


def _output(*command: str) -> str:
    """Return what a program prints; nothing when it fails. Raises ``OSError`` without it."""
    done = subprocess.run(
        command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    )
    return done.stdout if done.returncode == 0 else ""


def _adapter(entry: dict[str, Any]) -> Adapter:
    name = str(entry["ifname"])
    flags = entry.get("flags", ())
    folder = Path("/sys/class/net", name)
    return Adapter(
        name,
        "UP" in flags and "NO-CARRIER" not in flags,
        (folder / "wireless").exists() or (folder / "phy80211").exists(),
        tuple(
            IPv4Interface(f"{info['local']}/{info['prefixlen']}")
            for info in entry.get("addr_info", ())
            if info.get("family") == "inet"
        ),
    )


def _route(entry: dict[str, Any]) -> Route:
    return Route(
        str(entry.get("dev", "")), str(entry.get("gateway", "")), str(entry.get("prefsrc", ""))
    )


def _route_of_table(address: str) -> Route | None:
    try:
        adapter = adapter_towards(address, (_PROC / "net/route").read_text())
    except OSError:
        return None
    return Route(adapter, "", "") if adapter else None


def _sockets_of(address: IPv4Address, robot: tuple[IPv4Address, int]) -> Iterator[str]:
    try:
        table = (_PROC / "net/udp").read_text().splitlines()[1:]
    except OSError:
        return
    for line in table:
        words = line.split()
        local, _, port_text = words[1].partition(":")
        # The address is shown as a number of the machine's byte order.
        owner = IPv4Address(socket.ntohl(int(local, 16)))
        port = int(port_text, 16)
        if owner == address and port != _DHCP_CLIENT and (owner, port) != robot:
            yield words[9]


def _programs_with(inodes: set[str]) -> Iterator[str]:
    wanted = {f"socket:[{inode}]" for inode in inodes}
    for process in _PROC.glob("[0-9]*"):
        try:
            if any(str(link.readlink()) in wanted for link in (process / "fd").iterdir()):
                yield f"{(process / 'comm').read_text().strip()} (process {process.name})"
        except OSError:
            continue


@dataclass(frozen=True, slots=True)
class JoinedNetwork:
    """The network of an adapter; ``name`` is empty while it has none."""

    name: str
    signal: str
    saves_power: bool | None
    """Whether the adapter sleeps between two beacons; None when that is unknown."""


def joined_network(adapter: str) -> JoinedNetwork | None:
    """Return what an adapter has joined; None when neither program is installed."""
    if shutil.which("iw") is not None:
        link = _output("iw", "dev", adapter, "link")
        name, signal = _NAME.search(link), _SIGNAL.search(link)
        saving = _output("iw", "dev", adapter, "get", "power_save").strip().lower()
        return JoinedNetwork(
            name[1].strip() if name else "",
            signal[1] if signal else "",
            saving.endswith("on") if saving else None,
        )
    try:
        here = [n for n in network_manager.networks(adapter, rescan="no") if n.is_joined]
    except CommandError:
        return None
    if not here:
        return JoinedNetwork("", "", None)
    return JoinedNetwork(here[0].name, f"{here[0].signal} %", None)
