"""Where the files are found that come with the package."""

from __future__ import annotations

from pathlib import Path

from cozmo_driver.installation import find_shared


def test_a_checkout_has_its_own_files() -> None:
    place = find_shared("assets/animations", {})

    assert place is not None
    assert find_shared("config/worlds", {}) == find_shared("config/engine", {}) == place


def test_what_only_a_sourced_workspace_has_is_found_there(tmp_path: Path) -> None:
    share = tmp_path / "b" / "share" / "cozmo_driver"
    (share / "only" / "there").mkdir(parents=True)
    environment = {"AMENT_PREFIX_PATH": f"{tmp_path / 'a'}::{tmp_path / 'b'}"}

    assert find_shared("only/there", environment) == share
    assert find_shared("no/such/file", {"AMENT_PREFIX_PATH": ""}) is None
