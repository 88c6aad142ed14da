"""Building the packages, with colcon on a sourced ROS 2, and writing the environment they make."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

from environment import stamps, wheels
from environment.steps import SetupError, run, say
from environment.virtualenv import site_packages
from environment.world import (
    BUILD,
    INSTALL,
    LOG,
    PATH_LISTS,
    ROOT,
    VENV,
    World,
    package_folders,
)


def build(world: World) -> None:
    """Build what has changed since the last build."""
    wanted = stamps.wanted_build(world)
    made = stamps.read(stamps.BUILD_STAMP)
    built = made.get("packages", {})
    same = all(made.get(key) == wanted[key] for key in ("root", "world", "recipe"))
    if not same or not INSTALL.is_dir() or built.keys() - wanted["packages"].keys():
        # One by hand may have other options, which do not mix.
        remove_builds()
        built = {}
    stamps.BUILD_STAMP.unlink(missing_ok=True)
    changed = [name for name, digest in wanted["packages"].items() if built.get(name) != digest]
    if not world.is_sourced:
        for name in changed:
            wheels.install(name, package_folders(world)[name])
    elif changed:
        call_colcon(world, changed)
    write_environment(world)
    stamps.write_stamp(stamps.BUILD_STAMP, wanted)


def remove_builds() -> None:
    """Remove what was built; the logs of the set-up stay."""
    old = [path for path in BUILD.glob("*") if path.is_dir() and not path.is_symlink()]
    if INSTALL.is_dir():
        say("-- removing an older build")
    for folder in (*old, INSTALL):
        shutil.rmtree(folder, ignore_errors=True)


def call_colcon(world: World, names: list[str]) -> None:
    """Build packages on a sourced ROS 2."""
    colcon = shutil.which("colcon")
    if colcon is None:
        raise SetupError("No colcon: sudo apt-get install python3-colcon-common-extensions")
    command: list[str | Path] = [colcon, "--log-base", LOG, "build"]
    command += ["--build-base", BUILD, "--install-base", INSTALL]
    command += ["--base-paths", *package_folders(world).values(), "--packages-select", *names]
    # In a debug build a field of the wrong Python type aborts the process.
    command += ["--cmake-args", "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_TESTING=OFF"]
    env = {
        **os.environ,
        "COLCON_DEFAULTS_FILE": os.devnull,
        # colcon's own default waits while the machine does anything else, and a make that
        # called this has set its own.
        "MAKEFLAGS": f"-j{os.cpu_count() or 1}",
    }
    title = f"building {', '.join(names)} (colcon)"
    run(title, command, BUILD / "setup-colcon.log", env, seconds=200.0)


def joined(*entries: str) -> str:
    """A path list without empty entries, which would mean the current folder."""
    return os.pathsep.join(entry for entry in entries if entry)


def install_space_lists() -> dict[str, list[str]]:
    """Path lists that colcon's own set-up file of the install space adds."""
    path = os.environ["PATH"]
    bare = {key: value for key, value in os.environ.items() if key not in PATH_LISTS}
    script = '. "$1" && exec env -0'
    command = ["bash", "--norc", "-c", script, "bash", str(INSTALL / "local_setup.bash")]
    output = subprocess.run(
        command, env={**bare, "PATH": path}, capture_output=True, text=True, check=True
    ).stdout
    after = dict(entry.split("=", 1) for entry in output.split("\0") if "=" in entry)
    known = {name: path.split(os.pathsep) if name == "PATH" else [] for name in PATH_LISTS}
    return {
        name: [
            entry
            for entry in after.get(name, "").split(os.pathsep)
            if entry and entry not in known[name]
        ]
        for name in PATH_LISTS
    }


def link_sources() -> str:
    """A folder with nothing in it but the driver's Python package, as it is in the checkout."""
    folder = BUILD / "source"
    folder.mkdir(exist_ok=True)
    # Else colcon takes what is behind the link for one more package.
    (folder / "COLCON_IGNORE").touch()
    link = folder / "cozmo_driver"
    if not link.is_symlink():
        link.symlink_to(Path("..", "..", "cozmo_driver"))
    return str(folder)


def write_environment(world: World) -> None:
    """Write what scripts/env sources: path lists in front of the caller's own."""
    executables = [path for path in sorted(INSTALL.glob("*/lib/*")) if path.name == path.parts[-3]]
    if world.is_sourced:
        lists = install_space_lists()
        lists["PYTHONPATH"].insert(0, link_sources())
        # The executables run on the system's Python, which does not look into a virtual one.
        lists["PYTHONPATH"].append(site_packages())
        lists["PATH"].append(str(VENV / "bin"))
        lines = []
    else:
        lists = wheels.lists()
        variables = " ".join(f"{name}={value}" for name, value in wheels.VARIABLES.items())
        lines = [
            "# Another ROS 2 that happens to be sourced must not be mixed in.",
            '[ -z "${AMENT_PREFIX_PATH:-}" ] || unset PYTHONPATH LD_LIBRARY_PATH',
            "unset AMENT_PREFIX_PATH CMAKE_PREFIX_PATH COLCON_PREFIX_PATH PYTHONHOME",
            f"export {variables}",
        ]
    lists["PATH"][:0] = map(str, executables)
    for name, entries in lists.items():
        if entries:
            lines.append(f'export {name}={shlex.quote(joined(*entries))}"${{{name}:+:${name}}}"')
    lines += [
        f"export VIRTUAL_ENV={shlex.quote(str(VENV))}",
        ': "${ROS_AUTOMATIC_DISCOVERY_RANGE:=LOCALHOST}"',
        "export ROS_AUTOMATIC_DISCOVERY_RANGE",
        f"export COZMO_DRIVER_ENV={shlex.quote(str(ROOT))}",
    ]
    stamps.write(stamps.ENVIRONMENT, "\n".join(["# Written by scripts/setup.", *lines]) + "\n")
