"""What the machine itself must have, and getting it where that needs no question."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from environment.steps import SetupError, run, say
from environment.world import BUILD, OWN_PACKAGES, VENV, World, clean_environment, prefix_of

FIRST_PYTHON, LAST_PYTHON = (3, 10), (3, 14)
INSTALL_ROS = (
    "Install ROS 2 Jazzy or newer (https://docs.ros.org/en/jazzy/Installation.html), "
    "source its setup.bash and call this again."
)
# rosdep key: module that shows whether it is there. Others of that kind come from pip (test.txt).
# What else rosdep names comes with pypi.txt.
PYTHON_KEYS = {
    "python3-argcomplete": "argcomplete",
    "python3-matplotlib": "matplotlib",
    "python3-numpy": "numpy",
    # Not from pip: its NumPy 2 does not fit what the system compiled with an older one.
    "python3-opencv": "cv2",
    "python3-pil": "PIL",
    "python3-tqdm": "tqdm",
    "python3-yaml": "yaml",
}
BUILDING = {"depend", "build_depend", "buildtool_depend", "build_export_depend", "exec_depend"}
TESTING = {"test_depend"}
# Only some launch files use these, which need a screen or a joystick.
DISPENSABLE = {
    "joint_state_publisher",
    "joint_state_publisher_gui",
    "joy",
    "rviz2",
    "teleop_twist_joy",
}


class Missing(NamedTuple):
    """Something that is not there: its name for people, and the Debian package that brings it."""

    what: str
    package: str | None


def version_of(python: str) -> tuple[int, ...]:
    """(major, minor) of an interpreter, () where it does not run."""
    code = "import sys; print(*sys.version_info[:2])"
    try:
        output = subprocess.run(
            [python, "-I", "-S", "-c", code], capture_output=True, text=True, check=True
        ).stdout
        return tuple(int(part) for part in output.split())
    except (OSError, ValueError, subprocess.CalledProcessError):
        return ()


def find_python(world: World) -> str:
    """The interpreter to make the virtual environment from; SetupError where there is none.

    A sourced ROS 2 works with the system's `python3` only.
    """
    asked = os.environ.get("COZMO_PYTHON")
    names = [asked] if asked else ["python3"]
    if not asked and not world.is_sourced:
        names += [f"python3.{minor}" for minor in (12, 13, 11, 10, 14)]
    entries = os.environ.get("PATH", "").split(os.pathsep)
    path = os.pathsep.join(entry for entry in entries if VENV not in Path(entry, "x").parents)
    for name in names:
        found = shutil.which(name, path=path)
        if found and FIRST_PYTHON <= version_of(found) <= LAST_PYTHON:
            return found
    raise SetupError(
        f"There is no Python 3.10 to 3.14 called {' or '.join(names)}. Install one "
        "(Debian, Ubuntu: sudo apt-get install python3-dev python3-venv) or name it: "
        "COZMO_PYTHON=/path/to/python3.12"
    )


def runs(python: str, code: str) -> bool:
    """Whether the interpreter carries out the code without an error."""
    command = [python, "-c", code]
    env = clean_environment() if python.startswith(str(VENV)) else dict(os.environ)
    env["_ROS_WHEELS_BOOTSTRAP_COMPLETE"] = "1"
    return subprocess.run(command, env=env, capture_output=True).returncode == 0


def missing_tools(world: World, python: str) -> list[Missing]:
    """Compiler, headers and build tools that are not there."""
    name = "python{}.{}".format(*version_of(python))
    is_debian = os.path.realpath(python).startswith("/usr/bin/") and shutil.which("apt-get")
    missing = []
    if not (shutil.which("c++") or shutil.which("g++")):
        missing.append(Missing("a C++ compiler", "g++"))
    header = "import os, sysconfig as s; os.stat(os.path.join(s.get_path('include'), 'Python.h'))"
    if not runs(python, header):
        missing.append(Missing(f"the headers of {python}", f"{name}-dev" if is_debian else None))
    if not runs(python, "import ensurepip, venv"):
        missing.append(Missing(f"module venv of {python}", f"{name}-venv" if is_debian else None))
    if world.is_sourced:
        if not shutil.which("colcon"):
            missing.append(Missing("colcon", "python3-colcon-common-extensions"))
        if not (shutil.which("cmake") and shutil.which("make")):
            missing.append(Missing("cmake and make", "cmake make"))
    return missing


def missing_packages(world: World, python: str, tags: set[str]) -> list[Missing]:
    """Packages named in package.xml under `tags` that the sourced ROS 2 does not have."""
    missing = []
    names = set()
    for folder in OWN_PACKAGES.values():
        if (folder / "package.xml").is_file():
            root = ElementTree.parse(str(folder / "package.xml")).getroot()
            names |= {(entry.text or "").strip() for entry in root if entry.tag in tags}
    for name in sorted(names - OWN_PACKAGES.keys()):
        if name.startswith("python3-"):
            if name in PYTHON_KEYS and not runs(python, f"import {PYTHON_KEYS[name]}"):
                missing.append(Missing(name, name))
        elif not prefix_of(name):
            missing.append(Missing(name, f"ros-{world.distribution}-{name.replace('_', '-')}"))
    return missing


def privileges() -> list[str] | None:
    """Words before a command that needs root's rights, None where they take a question."""
    if os.environ.get("COZMO_NO_APT") or not shutil.which("apt-get"):
        return None
    if os.geteuid() == 0:
        return []
    command = ["sudo", "-n", "true"]
    if shutil.which("sudo") and subprocess.run(command, capture_output=True).returncode == 0:
        return ["sudo", "-n"]
    return None


def install(missing: list[Missing]) -> None:
    """Install it with apt-get; SetupError with the command where that takes a question."""
    what = ", ".join(entry.what for entry in missing)
    foreign = [entry.what for entry in missing if entry.package is None]
    if foreign:
        raise SetupError(
            f"Missing: {', '.join(foreign)}. This Python is none of the system's packages: add it "
            "there, or name another Python: COZMO_PYTHON=/path/to/python3.12"
        )
    packages = " ".join(entry.package or "" for entry in missing)
    root = privileges()
    if root is None:
        raise SetupError(
            f"Missing: {what}. Install it (Debian, Ubuntu): sudo apt-get install {packages}"
        )
    quiet = [*root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "--yes"]
    run("updating the system's list of packages", [*quiet, "update"], BUILD / "setup-apt.log")
    command = [*quiet, "install", "--no-install-recommends", *packages.split()]
    run(f"installing {what} (apt-get)", command, BUILD / "setup-apt.log")


def check(world: World, python: str, groups: Sequence[str]) -> None:
    """Make sure that the machine has what the set-up needs."""
    if not world.is_sourced and (sys.platform, platform.machine()) != ("linux", "x86_64"):
        machine = f"{platform.system()} on {platform.machine()}"
        raise SetupError(f"There are no ROS 2 wheels for {machine}. {INSTALL_ROS}")
    # The virtual Python was made from one that could.
    of_venv = VENV in Path(python).parents
    if world.is_sourced and not of_venv and not runs(python, "import rclpy.node"):
        raise SetupError(
            f"{python} cannot import the rclpy in {world.prefix}. If it is conda's or pyenv's, "
            "take the system's: conda deactivate, or PATH=/usr/bin:$PATH"
        )
    missing = missing_tools(world, python)
    if world.is_sourced:
        missing += missing_packages(world, python, BUILDING)
    needed = [entry for entry in missing if entry.what not in DISPENSABLE]
    if needed:
        install(needed)
    if world.is_sourced:
        if "test" in groups:
            install_if_possible(missing_packages(world, python, TESTING))
        dispensable = [entry.package or "" for entry in missing if entry.what in DISPENSABLE]
        if dispensable:
            say(f"   for joystick and RViz also: sudo apt-get install {' '.join(dispensable)}")


def install_if_possible(wanted: list[Missing]) -> None:
    """Install what only tests use: without it those are skipped."""
    try:
        if wanted:
            install(wanted)
    except SetupError as error:
        say(f"   some tests will be skipped. {error}")
