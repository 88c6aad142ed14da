"""The branch that bloom and colcon find all packages in."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from catkin_pkg.packages import find_packages

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = {"cozmo_description", "cozmo_driver", "cozmo_interfaces"}


def git(folder: Path, *words: str) -> str:
    return subprocess.run(
        ["git", "-C", folder, *words], check=True, capture_output=True, text=True
    ).stdout


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    if not (ROOT / ".git").exists():
        pytest.skip("this is no checkout of git")
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{ROOT}", "clone")
    git(tmp_path / "clone", "config", "user.name", "Release")
    git(tmp_path / "clone", "config", "user.email", "release@example.invalid")
    return tmp_path / "clone"


def release(clone: Path, *words: str) -> subprocess.CompletedProcess[str]:
    script = clone / "scripts" / "release_branch"
    return subprocess.run([script, *words], capture_output=True, text=True, check=False)


def test_the_packages_stand_side_by_side_with_every_file_of_the_checkout(
    clone: Path, tmp_path: Path
) -> None:
    assert release(clone).returncode == 0
    git(clone, "worktree", "add", "--quiet", str(tmp_path / "release"), "release")
    found = find_packages(str(tmp_path / "release"))
    assert {package.name for package in found.values()} == PACKAGES == set(found)
    assert len({package.version for package in found.values()}) == 1
    moved = sorted(
        path if path.split("/")[0] in PACKAGES - {"cozmo_driver"} else f"cozmo_driver/{path}"
        for path in git(clone, "ls-tree", "-r", "--name-only", "HEAD").split("\n")
        if path
    )
    assert sorted(git(clone, "ls-tree", "-r", "--name-only", "release").split()) == moved
    assert not git(clone, "status", "--porcelain")


def test_it_adds_a_commit_only_where_something_has_changed(clone: Path) -> None:
    release(clone)
    first = git(clone, "rev-parse", "release")
    assert "up to date" in release(clone).stdout
    assert git(clone, "rev-parse", "release") == first
    git(clone, "commit", "--quiet", "--allow-empty", "-m", "nothing")
    git(clone, "rm", "--quiet", "CONTRIBUTING.md")
    git(clone, "commit", "--quiet", "-m", "less")
    assert release(clone).returncode == 0
    assert git(clone, "rev-parse", "release~1") == first


def test_it_refuses_what_is_no_commit_and_the_branch_that_is_checked_out(clone: Path) -> None:
    assert "there is no commit nowhere" in release(clone, "nowhere").stderr
    current = git(clone, "branch", "--show-current").strip()
    assert "checked out" in release(clone, "HEAD", current).stderr
