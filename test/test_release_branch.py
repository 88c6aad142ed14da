"""The branch that bloom and colcon find all packages in."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from catkin_pkg.packages import find_packages

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = {"cozmo_description", "cozmo_driver", "cozmo_interfaces"}
PLACEHOLDER = "cozmo-driver@example.invalid"
MANIFESTS = (
    "package.xml",
    "setup.py",
    "cozmo_description/package.xml",
    "cozmo_interfaces/package.xml",
)


def git(folder: Path, *words: str) -> str:
    return subprocess.run(
        ["git", "-C", folder, *words], check=True, capture_output=True, text=True
    ).stdout


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not (ROOT / ".git").exists():
        pytest.skip("this is no checkout of git")
    folder = tmp_path_factory.mktemp("checkout")
    git(folder, "clone", "--quiet", "--depth=1", f"file://{ROOT}", ".")
    git(folder, "checkout", "--quiet", "-B", "trunk")
    git(folder, "update-ref", "-d", "refs/heads/release")
    git(folder, "config", "user.name", "Release")
    git(folder, "config", "user.email", "release@example.invalid")
    return folder


@pytest.fixture
def unmaintained(checkout: Path, tmp_path: Path) -> Path:
    return shutil.copytree(checkout, tmp_path / "clone", symlinks=True)


@pytest.fixture
def clone(unmaintained: Path) -> Path:
    """A checkout with the address of a maintainer."""
    for file in MANIFESTS:
        text = (unmaintained / file).read_text(encoding="utf-8")
        (unmaintained / file).write_text(text.replace(PLACEHOLDER, "maintainer@example.org"))
    git(unmaintained, "commit", "--quiet", "--all", "--allow-empty", "-m", "Name a maintainer")
    return unmaintained


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


def test_the_environment_finds_the_packages_beside_the_driver(clone: Path, tmp_path: Path) -> None:
    release(clone)
    git(clone, "worktree", "add", "--quiet", str(tmp_path / "release"), "release")
    scripts = tmp_path / "release" / "cozmo_driver" / "scripts"
    program = (
        "from environment import stamps, world; print(*world.OWN_PACKAGES.values()); "
        "stamps.wanted_build(world.current_world())"
    )
    env = {**os.environ, "PYTHONPATH": str(scripts)}
    found = subprocess.check_output([sys.executable, "-c", program], env=env, text=True)
    assert sorted(found.split()) == [str(tmp_path / "release" / name) for name in sorted(PACKAGES)]


def test_who_builds_the_driver_alone_is_warned(tmp_path: Path) -> None:
    env = {**os.environ, "AMENT_PREFIX_PATH": ""}
    command = [sys.executable, "setup.py", "--quiet", "build", "--build-base", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    assert "cozmo_driver does not run without cozmo_interfaces and cozmo_description" in done.stderr


def test_it_asks_for_an_address_that_reaches_a_maintainer(unmaintained: Path) -> None:
    refused = release(unmaintained)
    assert refused.returncode == 1
    assert f"a release needs a maintainer's address: replace {PLACEHOLDER} in " in refused.stderr
    assert set(MANIFESTS) == set(refused.stderr.split(" in ")[1].split())
    assert not git(unmaintained, "branch", "--list", "release")


def test_it_refuses_what_is_no_commit_and_the_branch_that_is_checked_out(clone: Path) -> None:
    assert "there is no commit nowhere" in release(clone, "nowhere").stderr
    current = git(clone, "branch", "--show-current").strip()
    assert "checked out" in release(clone, "HEAD", current).stderr
