"""Python, this package, its libraries, and ROS 2, of which nothing is imported."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator, Mapping
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from ... import __file__ as _package_file
from ... import __version__
from ...installation import package_of, pip_install
from .findings import Checks, Finding, Result, failed, found, ok, warning

_LIBRARIES = {
    "numpy": ("numpy", "everything"),
    "Pillow": ("PIL", "everything"),
    "PyYAML": ("yaml", "configuration"),
    "OpenCV": ("cv2", "perception, the cockpit, cozmo checkup"),
    "flatbuffers": ("flatbuffers", "clips"),
    "soundfile": ("soundfile", "sound files"),
    "soxr": ("soxr", "cheaper resampling of sound"),
    "dpkt": ("dpkt", "captures of traffic"),
    "matplotlib": ("matplotlib", "pictures of a session"),
    "tqdm": ("tqdm", "progress bars"),
    "argcomplete": ("argcomplete", "completion in the shell"),
}
"""Name, module and what misses it."""
_EXTENSION = "_rclpy_pybind11"
_LARGEST_DOMAIN = 232
_LARGEST_SAFE_DOMAIN = 101
"""Above it the ports of a domain reach into those that Linux gives to anybody."""
_RANGES = ("SUBNET", "LOCALHOST", "OFF", "SYSTEM_DEFAULT")
_MIDDLEWARES = "share/ament_index/resource_index/rmw_typesupport"
"""Every middleware has a file of its name there, in one of the prefixes."""
Environment = Mapping[str, str]


def check() -> list[Finding]:
    return found("software", _SOFTWARE)


def check_ros(environment: Environment) -> list[Finding]:
    """Check the ROS 2 that programs started from here would use."""
    checks = _ROS if find_spec("rclpy") else {"rclpy": _no_ros}
    return found("ROS 2", checks, environment)


def _python() -> Iterator[Result]:
    yield ok(f"{platform.python_version()}, {sys.executable}")


def _package() -> Iterator[Result]:
    yield ok(f"{__version__}, {Path(_package_file).parent}")


def _libraries() -> Iterator[Result]:
    missing = [name for name, (module, _) in _LIBRARIES.items() if find_spec(module) is None]
    if missing:
        without = ", ".join(f"{name} ({_LIBRARIES[name][1]})" for name in missing)
        advice = pip_install(*(_LIBRARIES[name][0] for name in missing))
        yield warning(f"missing: {without}; the rest works", advice)
    else:
        yield ok(", ".join(map(_described, _LIBRARIES)))


def _described(name: str) -> str:
    try:
        return f"{name} {version(package_of(_LIBRARIES[name][0]))}"
    except PackageNotFoundError:
        # A package of Debian need not say its version to Python.
        return name


def _no_ros(_: Environment) -> Iterator[Result]:
    yield warning(
        "not found: no ROS 2 is sourced; the cozmo command and cozmo_driver.robot work, the "
        "driver's nodes do not",
        "source /opt/ros/DISTRIBUTION/setup.bash and the workspace's install/setup.bash, or use "
        "scripts/env of the repository",
    )


def _folder_of(module: str) -> Path:
    spec = find_spec(module)
    return Path(next(iter((spec and spec.submodule_search_locations) or []), ""))


def _library(environment: Environment) -> Iterator[Result]:
    folder = _folder_of("rclpy")
    saw = f"{environment.get('ROS_DISTRO') or 'a ROS 2 without ROS_DISTRO'}, {folder}"
    built = {file.name for file in folder.glob(f"{_EXTENSION}*")}
    if built and not built & {f"{_EXTENSION}{suffix}" for suffix in EXTENSION_SUFFIXES}:
        yield failed(
            f"{saw}: made for another Python ({min(built)})",
            "run the driver with the Python of this ROS 2, outside of other virtual environments",
        )
    else:
        yield ok(saw)


def _interfaces(_: Environment) -> Iterator[Result]:
    spec = find_spec("cozmo_interfaces")
    # Without a file it is only a folder of that name on the path: the sources.
    if spec is None or spec.origin is None:
        yield failed(
            "cozmo_interfaces is not found: the driver's nodes cannot start",
            "build the workspace (colcon build) and source its install/setup.bash here",
        )
    else:
        yield ok(f"cozmo_interfaces, {_folder_of('cozmo_interfaces')}")


def _middleware(environment: Environment) -> Iterator[Result]:
    prefixes = filter(None, environment.get("AMENT_PREFIX_PATH", "").split(os.pathsep))
    files = (file for prefix in prefixes for file in Path(prefix, _MIDDLEWARES).glob("rmw_*"))
    installed = sorted({file.name for file in files} - {"rmw_implementation"})
    wanted = environment.get("RMW_IMPLEMENTATION", "")
    if wanted and wanted not in installed:
        yield failed(
            f"RMW_IMPLEMENTATION={wanted} is not installed; installed: "
            + (", ".join(installed) or "none"),
            "unset RMW_IMPLEMENTATION, or install it: sudo apt install "
            f"ros-$ROS_DISTRO-{wanted.replace('_', '-')}",
        )
    elif not installed:
        yield failed(
            "none below AMENT_PREFIX_PATH", "source the setup.bash of the ROS 2 installation"
        )
    else:
        yield ok(wanted or f"the distribution's default of {', '.join(installed)}")


def _domain(environment: Environment) -> Iterator[Result]:
    text = environment.get("ROS_DOMAIN_ID", "")
    saw = f"ROS_DOMAIN_ID={text}" if text else "0 (ROS_DOMAIN_ID is not set)"
    number = int(text or 0) if (text or "0").isdecimal() else _LARGEST_DOMAIN + 1
    advice = f"export ROS_DOMAIN_ID=N with N from 0 to {_LARGEST_SAFE_DOMAIN}"
    if number > _LARGEST_DOMAIN:
        yield failed(f"{saw} is no domain", advice)
    elif number > _LARGEST_SAFE_DOMAIN:
        yield warning(f"{saw}: its ports may be taken by any program on Linux", advice)
    else:
        yield ok(f"{saw}; all programs need the same")


def _discovery(environment: Environment) -> Iterator[Result]:
    names = ("ROS_AUTOMATIC_DISCOVERY_RANGE", "ROS_LOCALHOST_ONLY")
    reach, local_only = (environment.get(name, "") for name in names)
    said = ", ".join(f"{name}={environment[name]}" for name in names if environment.get(name))
    if reach and reach not in _RANGES:
        advice = f"one of {', '.join(_RANGES)}"
        yield warning(f"{said} is unknown, so the default is used", advice)
    elif reach == "OFF" and not environment.get("ROS_STATIC_PEERS"):
        advice = "unset it, or name the others in ROS_STATIC_PEERS"
        yield warning(f"{said}: no program finds another", advice)
    elif local_only == "1" or reach == "LOCALHOST":
        yield ok(f"{said}: this computer's programs only")
    else:
        yield ok(
            f"{said or 'default'}: every computer on the same network; LOCALHOST keeps it off the "
            "robot's Wi-Fi"
        )


_SOFTWARE: Checks = {"Python": _python, "cozmo_driver": _package, "libraries": _libraries}
_ROS: Checks = {
    "rclpy": _library,
    "interfaces": _interfaces,
    "middleware": _middleware,
    "domain": _domain,
    "discovery": _discovery,
}
