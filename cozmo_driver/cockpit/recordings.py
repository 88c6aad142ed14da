"""Recordings that pages have asked for: files of one folder, downloaded and deleted by name."""

from __future__ import annotations

import os
import re
import shutil
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from .reports import make_folder
from .robot_port import Answer, RobotPort

MOST_BYTES = 1 << 30
"""Of one recording."""
MOST_BYTES_TOGETHER = 4 << 30
_LEAST_BYTES = 10_000_000
_NAME = re.compile(r"[\w-]+-\d{8}-\d{6}\.mcap")


class RecordingFile(NamedTuple):
    name: str
    size: int
    is_running: bool
    """It is still written: neither downloaded nor deleted."""


class _Running(NamedTuple):
    name: str
    most_bytes: int
    """It may become as large."""


class Recordings:
    """The folder and who writes into it; in the server's loop."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._running: dict[RobotPort, _Running] = {}

    def files(self) -> list[RecordingFile]:
        """Return what has been recorded, the newest first."""
        try:
            entries = [one for one in os.scandir(self._folder) if _NAME.fullmatch(one.name)]
        except OSError:
            return []
        running = {one.name for one in self._running.values()}
        found = [
            (one.stat().st_mtime, RecordingFile(one.name, one.stat().st_size, one.name in running))
            for one in entries
            if one.is_file(follow_symlinks=False)
        ]
        return [file for _, file in sorted(found, reverse=True)]

    def find(self, name: str) -> Path | None:
        """Return the file of a recording that has ended, None where there is none."""
        is_there = any(file.name == name and not file.is_running for file in self.files())
        return self._folder / name if is_there else None

    async def start(self, robot: RobotPort) -> Answer:
        """Record a robot, until ``stop`` or until there is no room."""
        if robot in self._running:
            return Answer(False, "it is being recorded already")
        try:
            make_folder(self._folder)
            room = self._room()
        except OSError as error:
            return Answer(False, str(error))
        if room < _LEAST_BYTES:
            return Answer(False, f"there is no room in {self._folder}: delete a recording")
        time = datetime.now().strftime("%Y%m%d-%H%M%S")
        name = f"{re.sub('[^0-9A-Za-z_]', '-', robot.name) or 'cozmo'}-{time}.mcap"
        self._running[robot] = _Running(name, room)
        answer = await robot.start_recording(self._folder / name, room)
        if not answer.success:
            del self._running[robot]
        return answer

    async def stop(self, robot: RobotPort) -> Answer:
        answer = await robot.stop_recording()
        self._running.pop(robot, None)
        return answer

    async def delete(self, name: str) -> Answer:
        file = self.find(name)
        if file is None:
            return Answer(False, f"there is no recording {name[:80]}, or it has not ended")
        try:
            file.unlink()
        except OSError as error:
            return Answer(False, f"{file}: {error.strerror}")
        return Answer(True, f"{name} is deleted")

    def _room(self) -> int:
        """Return the bytes that one more recording may have, beside what the running ones may."""
        free = shutil.disk_usage(self._folder).free
        files = self.files()
        written = sum(file.size for file in files if file.is_running)
        to_come = sum(one.most_bytes for one in self._running.values()) - written
        together = sum(file.size for file in files) + to_come
        return min(MOST_BYTES, MOST_BYTES_TOGETHER - together, (free - to_come) // 2)
