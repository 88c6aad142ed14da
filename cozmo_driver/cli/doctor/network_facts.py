"""What this computer's network is like, from iproute2, iw and NetworkManager.

Nothing is sent or changed, and no scan is started.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from pathlib import Path
from typing import Any

from ...link import reverse_path_hint
from .. import network_manager
from ..common import CommandError

_DHCP_CLIENT = 68
_ROBOT_PREFIX = 24
_NAME = re.compile(r"^\s*SSID: (.*)$", re.MULTILINE)
_SIGNAL = re.compile(r"^\s*signal: (-?\d+ dBm)$", re.MULTILINE)
_ADAPTER = re.compile(r"%.*(?=:)")
"""In the address of a socket that is bound to one: 172.31.1.2%wlan1:68."""
_USER = re.compile(r'\("([^"]*)",pid=(\d+)')


@dataclass(frozen=True, slots=True)
class Adapter:
    """A network adapter with its IPv4 addresses; down also when it has no carrier."""

    name: str
    is_up: bool
    is_wireless: bool
    addresses: tuple[IPv4Interface, ...]


@dataclass(frozen=True, slots=True)
class Route:
    """The path of a datagram; ``gateway`` and ``source`` are empty where there is none."""

    adapter: str
    gateway: str
    source: str


@dataclass(frozen=True, slots=True)
class JoinedNetwork:
    """The network of an adapter; ``name`` is empty while it has none."""

    name: str
    signal: str
    saves_power: bool | None
    """Whether the adapter sleeps between two beacons; None when that is unknown."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The network as it concerns a robot at ``address``, reached through ``interface`` if given."""

    address: str
    interface: str
    adapters: tuple[Adapter, ...]
    """None of them where iproute2 is missing."""
    to_robot: Route | None
    to_internet: Route | None
    """The default route."""
    joined: Mapping[str, JoinedNetwork | None] = field(default_factory=dict)
    """Of the Wi-Fi adapters that are considered and up; None where no program is there to tell."""
    reverse_path: str = ""
    """What to do when the kernel drops what the robot sends, empty where it does not."""

    @property
    def considered(self) -> list[Adapter]:
        """Adapters that may lead to the robot."""
        name = self.interface
        return [a for a in self.adapters if a.name == name or (not name and a.is_wireless)]

    @property
    def towards_robot(self) -> str:
        """The adapter that datagrams to the robot leave by, empty for none."""
        return self.interface or (self.to_robot.adapter if self.to_robot else "")

    @property
    def robot_network(self) -> IPv4Network:
        return IPv4Network((self.address, _ROBOT_PREFIX), strict=False)

    @property
    def inside(self) -> dict[str, IPv4Address]:
        """This computer's addresses in the robot's network, by adapter."""
        addresses = ((a.name, own.ip) for a in self.adapters for own in a.addresses)
        return {name: own for name, own in addresses if own in self.robot_network}


def read(address: str, interface: str) -> Facts:
    through = ["oif", interface] if interface else []
    routes = _ip("-4", "route", "show", "default")
    defaults = sorted(routes, key=lambda route: route.get("metric", 0))
    facts = Facts(
        address,
        interface,
        tuple(map(_adapter, _ip("address", "show"))),
        next(map(_route, _ip("route", "get", address, *through)), None),
        next(map(_route, defaults), None),
    )
    names = [one.name for one in facts.considered if one.is_wireless and one.is_up]
    towards = facts.towards_robot
    return replace(
        facts,
        joined={name: joined_network(name) for name in names},
        reverse_path=reverse_path_hint(address, towards) if towards else "",
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
    own = (f"{robot}:{port}", f"{address}:{_DHCP_CLIENT}")
    sockets = [line.split() for line in _output("ss", "-Hnuap", "src", address).splitlines()]
    others = [words[-1] for words in sockets if _ADAPTER.sub("", words[3]) not in own]
    users = {user for last in others for user in _USER.findall(last)}
    return sorted(f"{name} (process {number})" for name, number in users)


def _ip(*words: str) -> list[dict[str, Any]]:
    return list(json.loads(_output("ip", "-json", *words) or "[]"))


def _output(*command: str) -> str:
    """Return what a program prints; nothing when it is missing or fails."""
    if shutil.which(command[0]) is None:
        return ""
    done = subprocess.run(
        command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    )
    return done.stdout if done.returncode == 0 else ""


def _adapter(entry: dict[str, Any]) -> Adapter:
    name = str(entry["ifname"])
    flags = entry.get("flags", ())
    folder = Path("/sys/class/net", name)
    addresses = (info for info in entry.get("addr_info", ()) if info.get("family") == "inet")
    return Adapter(
        name,
        "UP" in flags and "NO-CARRIER" not in flags,
        (folder / "wireless").exists() or (folder / "phy80211").exists(),
        tuple(IPv4Interface(f"{info['local']}/{info['prefixlen']}") for info in addresses),
    )


def _route(entry: dict[str, Any]) -> Route:
    return Route(*(str(entry.get(key, "")) for key in ("dev", "gateway", "prefsrc")))


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
        networks = network_manager.networks(adapter, rescan="no")
    except CommandError:
        return None
    here = (JoinedNetwork(n.name, f"{n.signal} %", None) for n in networks if n.is_joined)
    return next(here, JoinedNetwork("", "", None))
