from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..network_manager import PASSWORD, PROFILE, ROBOT, network_manager


def prepare(folder: Path) -> None:
    (folder / "password.txt").write_text(f"{PASSWORD}\n")


@contextmanager
def MEANWHILE(line: str) -> Iterator[str]:
    known = {PROFILE: {"ssid": ROBOT, "psk": PASSWORD}}
    with (
        tempfile.TemporaryDirectory() as folder,
        network_manager(Path(folder), profiles=known, joined={PROFILE: "wlan1"}),
    ):
        yield ""
