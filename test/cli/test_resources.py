"""``cozmo resources``: the app's assets taken over, shown and removed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..resources.app_tree import TREE, app_files, expansion
from .command import cozmo


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where the user of the command has nothing yet."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.delenv("PYCOZMO_DIR", raising=False)
    return tmp_path


def test_assets_are_imported_shown_and_removed(home: Path) -> None:
    source = home / "main.obb"
    source.write_bytes(expansion())
    tree = home / ".local" / "share" / "cozmo" / "assets" / TREE

    before = cozmo("resources", "status")
    assert before.returncode == 1
    assert "the app's assets: none" in before.stdout

    taken = cozmo("resources", "import", source, "--sounds")
    assert taken.returncode == 0, taken.stderr
    assert taken.stderr == ""
    assert f"{len(app_files())} files" in taken.stdout
    assert "2 files of sound unpacked" in taken.stdout

    status = cozmo("resources", "status")
    assert status.returncode == 0
    assert f"the app's assets: {tree}\n  2 clips, 1 groups, 1 triggers" in status.stdout
    assert status.stdout.endswith("complete\n")

    answer = json.loads(cozmo("resources", "status", "--json").stdout)
    assert (answer["app"]["directory"], answer["app"]["clips"]) == (str(tree), 2)
    assert (answer["missing"], answer["is_complete"]) == ([], True)

    (tree / "assets" / "animations" / "anim_test_nod.bin").unlink()
    damaged = cozmo("resources", "status")
    assert damaged.returncode == 1
    assert "1 files of the list are missing:" in damaged.stdout
    assert f"{TREE}/assets/animations/anim_test_nod.bin" in damaged.stdout

    assert cozmo("resources", "remove").returncode == 0
    assert not tree.exists()
    assert cozmo("resources", "remove").stdout.startswith("there is nothing in")
