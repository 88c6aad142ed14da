"""Deciding by content what is out of date. A stamp is written when a step has succeeded."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from environment.world import (
    BUILD,
    INSTALL,
    OWN_PACKAGES,
    REQUIREMENTS,
    ROOT,
    VENV,
    World,
    package_folders,
)

Stamp = dict[str, Any]
VENV_STAMP = VENV / "setup-stamp.json"
BUILD_STAMP = BUILD / "setup-stamp.json"
ENVIRONMENT = BUILD / "environment.sh"

# The driver's Python sources are not among them: they are used in place.
DRIVER_INPUTS = ("package.xml", "setup.py", "setup.cfg", "resource", "launch", "config", "assets")
RECIPE = ("interfaces", "packages", "wheels")


def requirement_files(world: World, group: str) -> list[Path]:
    """What pip installs to run or to test; on a sourced ROS 2 only what the system has not."""
    names = [group]
    if group == "run":
        names = (
            ["pypi"] if world.is_sourced else [f"ros-{world.distribution}", "build", "run", "pypi"]
        )
    return [REQUIREMENTS / f"{name}.txt" for name in names]


def constraint_file(world: World) -> Path:
    """Versions of everything that the wheels pull in."""
    return REQUIREMENTS / f"constraints-{world.distribution}.txt"


def files_of(name: str, folder: Path) -> Iterable[Path]:
    """Files that a built package is made of."""
    if folder != OWN_PACKAGES["cozmo_driver"]:
        roots = [folder]
    else:
        roots = [folder / part for part in DRIVER_INPUTS]
    for root in roots:
        for path in [root] if root.is_file() else sorted(root.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path


def digest(paths: Iterable[Path]) -> str:
    """One text for the names and contents of files."""
    total = hashlib.sha256()
    for path in paths:
        total.update(f"{os.path.relpath(path, ROOT)}\0".encode())
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def wanted_venv(world: World, groups: Iterable[str]) -> Stamp:
    """Stamp of a virtual environment that has groups of requirements, up to date."""
    stamp = {"root": str(ROOT), "world": world.as_stamp()}
    for group in groups:
        files = requirement_files(world, group)
        if not world.is_sourced:
            files.append(constraint_file(world))
        stamp[group] = digest(files)
    asked = os.environ.get("COZMO_PYTHON")
    return {**stamp, "python": asked} if asked else stamp


def wanted_build(world: World) -> Stamp:
    """Stamp of a build that is up to date."""
    recipe = [Path(__file__).with_name(f"{name}.py") for name in RECIPE]
    return {
        "root": str(ROOT),
        "world": world.as_stamp(),
        "recipe": digest(recipe),
        "packages": {
            name: digest(files_of(name, folder)) for name, folder in package_folders(world).items()
        },
    }


def holds(stamp: Stamp, wanted: Stamp) -> bool:
    """Whether what was made is what is wanted.

    It may say more: an environment made for COZMO_PYTHON serves a call without, one with the tools
    of the tests serves the driver.
    """
    return all(stamp.get(key) == value for key, value in wanted.items())


def interpreter() -> str:
    """The Python behind the virtual one: a link of no version, so a new release may change it."""
    return str((VENV / "bin" / "python").resolve())


def has_its_python(made: Stamp) -> bool:
    """Whether the virtual environment has the Python that its packages were installed for."""
    here = interpreter()
    return Path(here).is_file() and made.get("interpreter", here) == here


def venv_is_current(world: World, groups: Iterable[str]) -> bool:
    """Whether the virtual environment can be used as it is."""
    made = read(VENV_STAMP)
    return has_its_python(made) and holds(made, wanted_venv(world, groups))


def build_is_current(world: World) -> bool:
    """Whether the build can be used as it is."""
    made = INSTALL.is_dir() and ENVIRONMENT.is_file()
    return made and holds(read(BUILD_STAMP), wanted_build(world))


def read(path: Path) -> Stamp:
    """A stamp, {} for none."""
    try:
        stamp: Any = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def ros_made_with() -> str:
    """Prefix of the ROS 2 that the environment was made with, "" for wheels or one that is gone."""
    made = read(VENV_STAMP)
    prefix: str = made["world"]["prefix"] if made.get("root") == str(ROOT) else ""
    return prefix if prefix != str(VENV) and Path(prefix).is_dir() else ""


def write(path: Path, text: str) -> None:
    """Put a whole file in place at once: nobody ever reads half of it."""
    temporary = path.with_suffix(".new")
    temporary.write_text(text)
    temporary.replace(path)


def write_stamp(path: Path, stamp: Stamp) -> None:
    """Say that this was made."""
    write(path, json.dumps(stamp, indent=1) + "\n")
