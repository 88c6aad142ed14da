from __future__ import annotations

import shutil
from pathlib import Path

from ..command import CAPTURES


def prepare(folder: Path) -> None:
    shutil.copy(CAPTURES / "session_fw2457_start.log", folder / "session.log")
