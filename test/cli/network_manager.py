"""A NetworkManager that lives in a file: ``nmcli_stand_in`` on the path, and what it was told."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

PASSWORD = "ABCD-EFGH-JKLM"
ROBOT = "Cozmo_01ABCD"
PROFILE = f"cozmo-{ROBOT}"
SIGHT = [
    {"ssid": "Cozmo_02EF01", "signal": 44},
    {"ssid": "Cafe: free\\fast", "signal": 90},
    {"ssid": ROBOT, "signal": 71},
]
_STAND_IN = Path(__file__).with_name("nmcli_stand_in.py")


class World:
    """What the stand-in knows; every reading is what it knows then."""

    def __init__(self, place: Path) -> None:
        self._place = place

    def __getitem__(self, name: str) -> Any:
        return json.loads(self._place.read_text())[name]

    def calls(self, *beginning: str) -> list[list[str]]:
        """Return the calls that began so."""
        return [call for call in self["calls"] if tuple(call[: len(beginning)]) == beginning]


@contextmanager
def network_manager(folder: Path, **world: Any) -> Iterator[World]:
    """Have a NetworkManager with one adapter, wlan1, and three networks in sight, or ``world``."""
    programs, place = folder / "programs-of-network-manager", folder / "network-manager.json"
    programs.mkdir()
    (programs / "nmcli").write_text(f'#!/bin/sh\nexec {sys.executable} {_STAND_IN} "$@"\n')
    (programs / "nmcli").chmod(0o755)
    known = {
        "is_running": True,
        "adapters": ["wlan1"],
        "sight": SIGHT,
        "profiles": {"Wired connection 1": {}},
        "joined": {},
        "password": PASSWORD,
        "calls": [],
    }
    place.write_text(json.dumps({**known, **world}))
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    with mock.patch.dict(os.environ, PATH=path, NMCLI_WORLD=str(place)):
        yield World(place)
