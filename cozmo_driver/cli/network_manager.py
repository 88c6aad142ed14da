"""NetworkManager by its program ``nmcli``: calling it and reading what it prints."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .common import CommandError

BY_HAND = "docs/wifi.md shows how to join by hand with wpa_supplicant, iwd or netplan"
ROBOT_NETWORK = re.compile(r"Cozmo_[0-9]{2}[0-9A-F]{4}")
"""Names of the robots' networks (spec 01 §1)."""
PROFILE_PREFIX = "cozmo-"
"""Profiles made here are this and the network's name."""

_NOT_RUNNING = 8
_LONGEST = 120.0
_NETWORK_FIELDS = ("IN-USE", "SSID", "CHAN", "SIGNAL", "SECURITY", "DEVICE")
_PROFILE_FIELDS = ("NAME", "UUID", "TYPE", "DEVICE", "STATE")
_WIFI_TYPE = "802-11-wireless"


class NetworkManagerError(CommandError):
    """``nmcli`` is missing or refused; ``code`` is its exit code, None when it is missing."""

    def __init__(self, text: str, code: int | None = None) -> None:
        super().__init__(text)
        self.code = code


@dataclass(frozen=True, slots=True)
class Network:
    """A Wi-Fi network in range of an adapter."""

    name: str
    channel: int
    signal: int
    """0 to 100."""
    security: str
    adapter: str
    is_joined: bool


@dataclass(frozen=True, slots=True)
class Profile:
    """A saved Wi-Fi network; ``adapter`` and ``state`` are empty unless it is in use."""

    name: str
    uuid: str
    adapter: str
    state: str


def run(*words: str, typed: str | None = None) -> str:
    """Run ``nmcli`` and return what it prints; ``typed`` goes to its stdin.

    Raises ``NetworkManagerError``.
    """
    if shutil.which("nmcli") is None:
        raise NetworkManagerError(
            "the program nmcli is missing: install NetworkManager (Debian, Ubuntu: sudo apt "
            f"install network-manager), or {BY_HAND}"
        )
    try:
        done = subprocess.run(
            ["nmcli", *words],
            input=typed,
            stdin=subprocess.DEVNULL if typed is None else None,
            capture_output=True,
            text=True,
            timeout=_LONGEST,
            check=False,
            env={**os.environ, "LC_ALL": "C.UTF-8"},
        )
    except subprocess.TimeoutExpired as error:
        raise NetworkManagerError(f"nmcli did not end within {_LONGEST:g} s") from error
    if done.returncode == _NOT_RUNNING:
        raise NetworkManagerError(
            "NetworkManager does not run: sudo systemctl start NetworkManager; where another "
            f"program manages the Wi-Fi, {BY_HAND}",
            done.returncode,
        )
    if done.returncode:
        said = " ".join((done.stderr or done.stdout).split()).removeprefix("Error: ")
        raise NetworkManagerError(f"nmcli: {said}", done.returncode)
    return done.stdout


def networks(adapter: str = "", *, rescan: str = "auto") -> list[Network]:
    """Return the networks in sight, strongest first; ``rescan`` is yes, no or auto.

    Raises ``NetworkManagerError``.
    """
    found = [
        Network(ssid, int(channel or 0), int(signal or 0), security, device, used == "*")
        for used, ssid, channel, signal, security, device in _rows(
            _NETWORK_FIELDS,
            ["device", "wifi", "list", *(["ifname", adapter] if adapter else [])],
            ["--rescan", rescan],
        )
    ]
    return sorted(found, key=lambda network: -network.signal)


def profiles() -> list[Profile]:
    """Return the saved Wi-Fi networks. Raises ``NetworkManagerError``."""
    return [
        Profile(name, uuid, device, state)
        for name, uuid, kind, device, state in _rows(_PROFILE_FIELDS, ["connection", "show"])
        if kind == _WIFI_TYPE
    ]


def adapter_of(profile: str) -> str:
    """Return the adapter by which alone a profile joins, or ''. Raises ``NetworkManagerError``."""
    what = ["--get-values", "connection.interface-name", "connection", "show", "id", profile]
    return run(*what).strip()


def wifi_adapters() -> list[str]:
    """Return the names of the Wi-Fi adapters. Raises ``NetworkManagerError``."""
    rows = _rows(("DEVICE", "TYPE"), ["device", "status"])
    return [device for device, kind in rows if kind == "wifi"]


def split_terse(line: str) -> list[str]:
    r"""Return the fields of a line of ``nmcli --terse``, where ``\:`` and ``\\`` are escapes."""
    fields = [""]
    characters = iter(line)
    for character in characters:
        if character == ":":
            fields.append("")
        else:
            fields[-1] += next(characters, "") if character == "\\" else character
    return fields


def _rows(
    fields: Sequence[str], command: Sequence[str], options: Sequence[str] = ()
) -> Iterator[list[str]]:
    printed = run("--terse", "--fields", ",".join(fields), *command, *options)
    for line in printed.splitlines():
        values = split_terse(line)
        if len(values) != len(fields):
            raise NetworkManagerError(f"nmcli printed a line that cannot be read: {line!r}")
        yield values
