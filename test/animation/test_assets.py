"""What a player plays from: the user's assets and those of the package."""

from __future__ import annotations

from pathlib import Path

import pytest

from cozmo_driver.animation import load_assets
from cozmo_driver.resources.sound.builtin_sounds import BuiltinSounds

from .clips import whole_clip, write_tree

OWN = BuiltinSounds()


@pytest.fixture(autouse=True)
def no_assets_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("PYCOZMO_DIR", str(tmp_path / "pycozmo"))


def test_the_users_clips_are_there_and_the_built_in_sounds_too(tmp_path: Path) -> None:
    write_tree(tmp_path / "tree", [whole_clip("anim_of_the_user")])
    assets = load_assets(tmp_path / "tree")
    assert "anim_of_the_user" in assets.library.clips
    assert all(map(assets.sounds.has, map(OWN.event_id, OWN.names())))
    assert assets.warnings == ()


def test_a_folder_without_assets_is_told_and_the_rest_is_used(tmp_path: Path) -> None:
    assets = load_assets(tmp_path)
    assert any(str(tmp_path) in warning for warning in assets.warnings)
    assert assets.sounds.has(OWN.event_id("chirp_up"))


def test_a_damaged_sound_bank_is_told(tmp_path: Path) -> None:
    tree = write_tree(tmp_path / "tree", [whole_clip()])
    (tree / "sound").mkdir()
    (tree / "sound" / "SFX.bnk").write_bytes(b"BKHD\xff\xff\xff\xff")
    [warning] = load_assets(tree).warnings
    assert "SFX.bnk" in warning
