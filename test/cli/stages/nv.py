from __future__ import annotations

from pathlib import Path

from cozmo_driver.emulator.options import Identity as Emulated
from cozmo_driver.protocol.enums import NVEntryTag
from cozmo_driver.robot import Identity
from cozmo_driver.robot.storage.backup import save_backup
from cozmo_driver.robot.storage.rules import entry_image

EMULATOR = {"speed": 2.5}
# An emulated robot's storage is empty but for what the factory left.
CODES = {"cozmo nv read game_unlocks": 1, "cozmo nv read 0x182000": 1}


def prepare(folder: Path) -> None:
    images = {int(NVEntryTag.GAME_UNLOCKS): entry_image(b"unlocked", None)}
    serial = Emulated().head_serial
    save_backup(folder / "saved.json", Identity("", 0, head_serial=serial), images)
    save_backup(folder / "other.json", Identity("", 0, head_serial=serial + 1), images)
    (folder / "unlocks.bin").write_bytes(b"unlocked")
