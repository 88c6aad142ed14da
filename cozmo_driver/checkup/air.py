"""Who else is on the robot's Wi-Fi channel, as far as the adapter tells without root.

From ``iw dev X link`` and ``survey dump``, and the last scan that NetworkManager has; nobody's name
or address is asked for. Where a program is missing, what it knows is not known.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator

from .step import Quantity

_TIMEOUT = 3.0
_LIST = ("-t", "-f", "IN-USE,CHAN,SIGNAL", "device", "wifi", "list", "--rescan", "no", "ifname")
_OVERLAP = 4
"""Channels of 2.4 GHz are 5 MHz apart and 20 MHz wide."""
_MOST_OF_2_4_GHZ = 14


def air_towards(address: str, adapter: str = "") -> tuple[dict[str, Quantity], str]:
    """Return what is known of the channel to an address, and that in words; blocks for a moment.

    ``adapter``: by which; by the route where it is empty.
    """
    adapter = adapter or _adapter_towards(address)
    values: dict[str, Quantity] = {}
    if adapter:
        values |= _link(_output("iw", "dev", adapter, "link"))
        values |= _survey(_output("iw", "dev", adapter, "survey", "dump"))
        values |= _others(_output("nmcli", *_LIST, adapter))
    if not values:
        return {}, "of its Wi-Fi channel the adapter tells nothing"
    words = []
    if "channel" in values:
        words.append(f"channel {values['channel'].value}")
    if "access_points_on_channel" in values:
        count = int(values["access_points_on_channel"].value)
        words.append(f"{count or 'no'} other access point{'' if count == 1 else 's'} on it")
    if "signal" in values:
        words.append(f"{values['signal'].value:.0f} dBm")
    if "channel_busy_share" in values:
        words.append(f"busy for {float(values['channel_busy_share'].value):.0%}")
    return values, ", ".join(words)


def channel_of(megahertz: float) -> int:
    """Return the number of a Wi-Fi channel."""
    if megahertz == 2484:
        return 14
    return round((megahertz - (2407 if megahertz < 3000 else 5000)) / 5)


def _adapter_towards(address: str) -> str:
    try:
        [route] = json.loads(_output("ip", "-j", "route", "get", address))
        return str(route["dev"])
    except (ValueError, KeyError, TypeError):
        return ""


def _link(text: str) -> Iterator[tuple[str, Quantity]]:
    """Yield what ``iw dev X link`` says of the own access point."""
    if found := re.search(r"freq: ([\d.]+)", text):
        yield "channel", Quantity(channel_of(float(found[1])))
    if found := re.search(r"signal: (-?\d+) dBm", text):
        yield "signal", Quantity(float(found[1]), "dBm")


def _survey(text: str) -> Iterator[tuple[str, Quantity]]:
    """Yield how busy the channel in use was since the adapter is on, and its noise."""
    for part in text.split("Survey data from")[1:]:
        if "[in use]" not in part:
            continue
        times = {
            kind: float(value)
            for kind, value in re.findall(r"channel (active|busy) time:\s*(\d+) ms", part)
        }
        if times.get("active") and "busy" in times:
            yield "channel_busy_share", Quantity(min(1.0, times["busy"] / times["active"]))
        if found := re.search(r"noise:\s*(-?\d+) dBm", part):
            yield "channel_noise", Quantity(float(found[1]), "dBm")


def _others(text: str) -> Iterator[tuple[str, Quantity]]:
    """Yield how many other access points NetworkManager has seen, and the strongest, in %."""
    rows = [
        (used, int(channel), int(signal))
        for used, channel, signal in re.findall(r"(?m)^([* ]?):(\d+):(\d+)$", text)
    ]
    own = next((channel for used, channel, _ in rows if used == "*"), None)
    if own is None:
        return
    others = [(channel, signal) for used, channel, signal in rows if used != "*"]
    same = [signal for channel, signal in others if channel == own]
    yield "channel", Quantity(own)
    yield "access_points_on_channel", Quantity(len(same))
    if own <= _MOST_OF_2_4_GHZ:
        near = [one for one in others if 0 < abs(one[0] - own) <= _OVERLAP]
        yield "access_points_overlapping", Quantity(len(near))
    yield "strongest_on_channel", Quantity(max(same, default=0), "%")


def _output(*command: str) -> str:
    """Return what a program prints in English; nothing where it is missing, fails or hangs."""
    if shutil.which(command[0]) is None:
        return ""
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_TIMEOUT,
            env={**os.environ, "LC_ALL": "C.UTF-8"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""
