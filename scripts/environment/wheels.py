"""Installing the packages beside ROS 2 from wheels, by links; the interfaces are compiled."""

from __future__ import annotations

import configparser
import shutil
from pathlib import Path

from environment.steps import run
from environment.virtualenv import PYTHON, site_packages
from environment.world import BUILD, INSTALL, VENV, clean_environment

INTERFACES = Path(__file__).with_name("interfaces.py")
# What of a package's folder is found below its share/.
SHARED = ("package.xml", "assets", "config", "launch", "meshes", "rviz", "urdf")
# What the commands of the environment find besides.
VARIABLES = {
    # Else every start of Python starts it again, to set LD_LIBRARY_PATH.
    "_ROS_WHEELS_BOOTSTRAP_COMPLETE": "1",
    "ROS_PYTHON_VERSION": "3",
    "ROS_VERSION": "2",
}
PROGRAM = """#!/usr/bin/env python
import sys
from {module} import {function}
sys.exit({function}())
"""


def install(name: str, folder: Path) -> None:
    """Install a package in `INSTALL`; its data and its Python files stay where they are."""
    prefix = INSTALL / name
    shutil.rmtree(prefix, ignore_errors=True)
    modules = prefix / "lib" / Path(site_packages()).parent.name / "site-packages"
    share = prefix / "share" / name
    index = prefix / "share" / "ament_index" / "resource_index"
    for created in (modules, share, index / "packages"):
        created.mkdir(parents=True)
    (index / "packages" / name).touch()
    for part in SHARED:
        if (folder / part).exists():
            (share / part).symlink_to(folder / part)
    if (folder / "setup.py").is_file():
        install_python(name, folder, prefix, modules)
    if (folder / "msg").is_dir():
        (index / "rosidl_interfaces").mkdir()
        files = sorted(path.relative_to(folder) for path in folder.glob("*/*.[mas]*"))
        (index / "rosidl_interfaces" / name).write_text("\n".join(map(str, files)))
        run(
            f"building {name} for Python",
            [PYTHON, "-B", INTERFACES, folder, BUILD / name, prefix],
            BUILD / f"setup-{name}.log",
            {**clean_environment(), **VARIABLES},
        )


def install_python(name: str, folder: Path, prefix: Path, modules: Path) -> None:
    """Link a package's modules, and write the programs that its setup.py names."""
    command = [PYTHON, "-B", "setup.py", "--quiet", "egg_info", "--egg-base", modules]
    env = {**clean_environment(), **VARIABLES}
    run(f"installing {name}", command, BUILD / f"setup-{name}.log", env, cwd=folder)
    (metadata,) = modules.glob("*.egg-info")
    for module in (metadata / "top_level.txt").read_text().split():
        (modules / module).symlink_to(folder / module)
    entry_points = configparser.ConfigParser()
    entry_points.read(metadata / "entry_points.txt")
    programs = prefix / "lib" / name
    programs.mkdir()
    for program, target in dict(entry_points).get("console_scripts", {}).items():
        module, _, function = target.partition(":")
        (programs / program).write_text(PROGRAM.format(module=module, function=function))
        (programs / program).chmod(0o755)


def lists() -> dict[str, list[str]]:
    """Path lists of the virtual environment and of what is installed on it."""
    libraries = sorted(VENV.glob("lib/python3*/site-packages/ros_*.libs"))
    found = {
        "AMENT_PREFIX_PATH": [*sorted(INSTALL.iterdir()), VENV],
        "LD_LIBRARY_PATH": [*sorted(INSTALL.glob("*/lib")), VENV / "lib", *libraries],
        "PATH": [VENV / "bin"],
        "PYTHONPATH": sorted(INSTALL.glob("*/lib/python3*/site-packages")),
    }
    return {name: [str(path) for path in paths] for name, paths in found.items()}
