"""The virtual environment: all of ROS 2 from wheels, or what a sourced one lacks."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from environment import stamps
from environment.machine import check, find_python, version_of
from environment.steps import run
from environment.world import BUILD, INSTALL, ROOT, VENV, World, clean_environment

PYTHON = VENV / "bin" / "python"


def make(world: World, groups: Sequence[str]) -> None:
    """Make it, or install what it lacks."""
    wanted = stamps.wanted_venv(world, groups)
    made = stamps.read(stamps.VENV_STAMP)
    python = reusable(made, wanted) or find_python(world)
    check(world, python, groups)
    stamps.VENV_STAMP.unlink(missing_ok=True)
    if python != str(PYTHON):
        create(world, python)
        made = {}
    install_requirements(world, [group for group in groups if made.get(group) != wanted[group]])
    made = {**made, **wanted, "interpreter": stamps.interpreter()}
    stamps.write_stamp(stamps.VENV_STAMP, made)


def reusable(made: stamps.Stamp, wanted: stamps.Stamp) -> str:
    """The virtual Python if only the requirements have changed, else ""."""
    changed = {key for key, value in wanted.items() if made.get(key) != value}
    return str(PYTHON) if stamps.has_its_python(made) and changed <= {"run", "test"} else ""


def create(world: World, python: str) -> None:
    """Start afresh; what was built with the old one goes with it."""
    for folder in (VENV, BUILD, INSTALL):
        shutil.rmtree(folder, ignore_errors=True)
    options = ["--system-site-packages"] if world.is_sourced else []
    run(
        "making a virtual environment with Python {}.{}".format(*version_of(python)),
        [python, "-m", "venv", *options, VENV],
        BUILD / "setup-venv.log",
        clean_environment(),
    )


def install_requirements(world: World, groups: Sequence[str]) -> None:
    """Install what the requirement files name."""
    # Python compiles a module when it is imported first: few of them are.
    command: list[str | Path] = [PYTHON, "-m", "pip", "install", "--no-input", "--no-compile"]
    command += ["--disable-pip-version-check"]
    for group in groups:
        for file in stamps.requirement_files(world, group):
            command += ["--requirement", file]
    env = dict(os.environ) if world.is_sourced else clean_environment()
    env["_ROS_WHEELS_BOOTSTRAP_COMPLETE"] = "1"
    parts = {"run": f"ROS 2 {world.distribution}", "test": "the tools of the tests"}
    if world.is_sourced:
        parts["run"] = "what ROS 2 does not bring"
    else:
        command += ["--constraint", stamps.constraint_file(world)]
    what = " and ".join(parts[group] for group in groups)
    run(f"installing {what} (pip)", command, BUILD / "setup-pip.log", env, seconds=40 * len(groups))


def site_packages() -> str:
    """Folder of the installed modules."""
    return str(next(VENV.glob("lib/python3*/site-packages"), ROOT))
