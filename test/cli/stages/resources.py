from __future__ import annotations

from pathlib import Path

from ...resources.app_tree import expansion

# There are none yet.
CODES = {"cozmo resources status": 1}


def prepare(folder: Path) -> None:
    (folder / "main.obb").write_bytes(expansion())
