"""Where every test of a command runs, and what most of them read."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..traffic.capture_files import SESSION, as_pcap, recording


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder in which a test runs, with nothing of a user's around it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYCOZMO_DIR", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    for kind in ("CACHE", "DATA", "STATE"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(tmp_path / kind.lower()))
    return tmp_path


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """Return a capture of a session of a real robot."""
    path = tmp_path / "session.pcap"
    path.write_bytes(as_pcap(recording(SESSION)))
    return path
