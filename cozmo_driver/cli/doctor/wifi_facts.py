"""Which Wi-Fi an adapter has joined, from ``iw`` or NetworkManager; no scan is started."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass

from .. import network_manager
from ..errors import CommandError

_NAME = re.compile(r"^\s*SSID: (.*)$", re.MULTILINE)
_SIGNAL = re.compile(r"^\s*signal: (-?\d+ dBm)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Joined:
    """The network of an adapter; ``name`` is empty while it has none."""

    name: str
    signal: str
    saves_power: bool | None
    """Whether the adapter sleeps between two beacons; None when nothing tells."""


def joined(adapter: str) -> Joined | None:
    """Return what an adapter has joined; None when neither program is there to tell."""
    if shutil.which("iw") is not None:
        link = _iw(adapter, "link")
        name, signal = _NAME.search(link), _SIGNAL.search(link)
        saving = _iw(adapter, "get", "power_save").strip().lower()
        return Joined(
            name[1].strip() if name else "",
            signal[1] if signal else "",
            saving.endswith("on") if saving else None,
        )
    try:
        here = [n for n in network_manager.networks(adapter, rescan="no") if n.is_joined]
    except CommandError:
        return None
    return Joined(here[0].name, f"{here[0].signal} %", None) if here else Joined("", "", None)


def _iw(adapter: str, *words: str) -> str:
    done = subprocess.run(
        ["iw", "dev", adapter, *words],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    return done.stdout if done.returncode == 0 else ""
