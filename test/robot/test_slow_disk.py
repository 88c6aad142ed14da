"""No file is read or written in the event loop's thread: a slow disk would delay everything."""

from __future__ import annotations

import asyncio
import sys
import threading
from pathlib import Path

import soundfile

from cozmo_driver.protocol.enums import NVEntryTag
from cozmo_driver.robot import StorageOptions, connect

from . import firmware_files
from .sounds import tone_file
from .test_session import TIMEOUT, run

GAMES = NVEntryTag.GAME_UNLOCKS
CONFIRM = f"{int(GAMES):#x}"
SERIAL = "0x45a1b2c3"
ACCESSES = {"open", "os.chmod", "os.listdir", "os.mkdir", "os.remove", "os.rename"}

disk: SlowDisk | None = None


class SlowDisk:
    """A folder whose files are there only after the event loop has gone on."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.loop, self.thread = asyncio.get_running_loop(), threading.get_ident()
        self.names: set[str] = set()
        """What was read or written in other threads."""
        self.blocked: set[str] = set()
        """What would have blocked the loop."""

    def wait(self, path: Path) -> None:
        if threading.get_ident() == self.thread:
            self.blocked.add(path.name)
            return
        self.names.add(path.name)
        has_gone_on = threading.Event()
        self.loop.call_soon_threadsafe(has_gone_on.set)
        assert has_gone_on.wait(TIMEOUT)


def on_audit(event: str, arguments: tuple) -> None:
    if disk is not None and event in ACCESSES and isinstance(arguments[0], str | Path):
        path = Path(arguments[0])
        if path.is_relative_to(disk.folder):
            disk.wait(path)


def slow_reading(read):
    """Make reading sound files as slow: a C library opens them."""

    def slow(file, *arguments, **keywords):
        disk.wait(Path(file.name))
        return read(file, *arguments, **keywords)

    return slow


def test_a_slow_disk_never_blocks_the_loop(tmp_path, monkeypatch):
    # A hook stays for good; without a disk it does nothing.
    sys.addaudithook(on_audit)
    firmware = firmware_files.write(tmp_path / "cozmo.safe", 8 * 1024)
    sound = tone_file(tmp_path, 0.2)
    saved = tmp_path / "saved.json"
    disks = []

    async def scenario(emulator):
        disks.append(SlowDisk(tmp_path))
        monkeypatch.setattr(sys.modules[__name__], "disk", disks[0])
        monkeypatch.setattr(soundfile.SoundFile, "read", slow_reading(soundfile.SoundFile.read))
        async with connect(
            f"127.0.0.1:{emulator.port}",
            cache_directory=tmp_path / "cache",
            storage=StorageOptions(allow_write=True, backup_directory=tmp_path / "backups"),
        ) as robot:
            await robot.storage.write(GAMES, b"old.", CONFIRM)
            await robot.storage.write(GAMES, b"new.", CONFIRM)
            await robot.storage.backup(saved)
            assert await robot.storage.compare(saved)
            await robot.storage.restore(saved, SERIAL)
            await robot.firmware.update(firmware, "", dry_run=True)
            await robot.audio.play_file(sound)
        monkeypatch.undo()

    run(scenario, on_charger=True)
    assert not disks[0].blocked
    assert {
        "camera-45a1b2c3.json",
        "45a1b2c3-182000.json",
        "saved.json",
        "cozmo.safe",
        "tone.wav",
    } <= disks[0].names
