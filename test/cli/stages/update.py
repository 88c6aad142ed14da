from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

from cozmo_driver.cli import update
from cozmo_driver.robot import UpdateTimes

from ...robot import firmware_files

EMULATOR = {"on_charger": True, "speed": 2.5}
OFFLINE = ("cozmo update cozmo.safe --check",)


def prepare(folder: Path) -> None:
    firmware_files.write(folder / "cozmo.safe")


@contextmanager
def MEANWHILE(line: str) -> Iterator[str]:
    # An emulated robot needs no 15 s to restart.
    with mock.patch.object(update, "TIMES", UpdateTimes(restart=0.5)):
        yield ""
