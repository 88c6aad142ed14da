"""The virtual environment: all of ROS 2 from wheels, or the tools that a sourced one lacks."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from environment import stamps
from environment.machine import check, find_python, version_of
from environment.steps import run
from environment.world import BUILD, INSTALL, ROOT, VENV, World, clean_environment

PYTHON = VENV / "bin" / "python"


def make(world: World) -> None:
    """Make it, or install what it lacks."""
    wanted = stamps.wanted_venv(world)
    python = reusable(wanted) or find_python(world)
    check(world, python)
    stamps.VENV_STAMP.unlink(missing_ok=True)
    if python != str(PYTHON):
        create(world, python)
    install_requirements(world)
    stamps.write_stamp(stamps.VENV_STAMP, wanted)


def reusable(wanted: stamps.Stamp) -> str:
    """The virtual Python if only the requirements have changed, else ""."""
    stamp = stamps.read(stamps.VENV_STAMP)
    changed = {key for key, value in wanted.items() if stamp.get(key) != value}
    return str(PYTHON) if PYTHON.is_file() and changed <= {"requirements"} else ""


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


def install_requirements(world: World) -> None:
    """Install what the requirement files name."""
    command: list[str | Path] = [PYTHON, "-m", "pip", "install", "--no-input"]
    command += ["--disable-pip-version-check"]
    for file in stamps.requirement_files(world):
        command += ["--requirement", file]
    if world.is_sourced:
        what, env = "the tools of the tests", dict(os.environ)
    else:
        what, env = f"ROS 2 {world.distribution} and the tools", clean_environment()
        command += ["--constraint", stamps.constraint_file(world)]
    env["_ROS_WHEELS_BOOTSTRAP_COMPLETE"] = "1"
    run(f"installing {what} (pip)", command, BUILD / "setup-pip.log", env)


def site_packages() -> str:
    """Folder of the installed modules."""
    return str(next(VENV.glob("lib/python3*/site-packages"), ROOT))
