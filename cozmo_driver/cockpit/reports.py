"""Reports of the checkups that pages have started: folders, downloaded and deleted by name."""

from __future__ import annotations

import os
import re
from datetime import datetime
from pathlib import Path

from ..checkup import PAGE_FILE, REPORT_FILE, archive_of, delete_report
from ..whole_files import make_writable
from .robot_port import Answer

_NAME = re.compile(r"cozmo-checkup-\d{8}-\d{6}")
_PICTURE = re.compile(r"images/\w+\.jpg")
ARCHIVE = "report.zip"
"""As pages call it; its file has the folder's name."""


def make_folder(folder: Path) -> None:
    """Make a folder of the user's home that files can be put into. Raises ``OSError``, in words."""
    try:
        make_writable(folder)
    except OSError as error:
        raise OSError(
            f"{folder} cannot be written ({error.strerror}): make it writable, or start the "
            "cockpit with another XDG_DATA_HOME"
        ) from error


class Reports:
    """The folder that they are in."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def new(self) -> Path:
        """Return the folder for a report that is to be made. Raises ``OSError``, in words."""
        make_folder(self._folder)
        return self._folder / datetime.now().strftime("cozmo-checkup-%Y%m%d-%H%M%S")

    def names(self) -> list[str]:
        """Return those that are whole, the newest first."""
        try:
            entries = os.listdir(self._folder)
        except OSError:
            return []
        return sorted((name for name in entries if self.find(name) is not None), reverse=True)

    def find(self, name: str) -> Path | None:
        """Return the folder of a report, None where there is none."""
        folder = self._folder / name
        is_there = _NAME.fullmatch(name) and (folder / REPORT_FILE).is_file()
        return folder if is_there else None

    def file(self, name: str, file: str) -> Path | None:
        """Return what a page may have of a report: the page, the zip, an image."""
        folder = self.find(name)
        if folder is None or not (file in (PAGE_FILE, ARCHIVE) or _PICTURE.fullmatch(file)):
            return None
        path = archive_of(folder) if file == ARCHIVE else folder / file
        return path if path.is_file() else None

    def delete(self, name: str) -> Answer:
        folder = self.find(name)
        if folder is None:
            return Answer(False, f"there is no report {name[:80]}")
        try:
            delete_report(folder)
        except OSError as error:
            return Answer(False, f"{folder}: {error.strerror}")
        return Answer(True, f"{name} is deleted")
