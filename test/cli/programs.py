"""Stand-ins for programs of other people, found before the real ones."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def on_path(monkeypatch: pytest.MonkeyPatch, folder: Path, **programs: str) -> None:
    """Put programs of these names and texts first on the path, in a new folder below ``folder``."""
    place = folder / "stand-ins"
    place.mkdir()
    for name, text in programs.items():
        (place / name).write_text(text)
        (place / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{place}{os.pathsep}{os.environ['PATH']}")
