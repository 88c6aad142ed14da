"""Python, this package, its libraries, and ROS 2, of which nothing is imported."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Mapping
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from ... import __file__ as _package_file
from ... import __version__
from .findings import Finding, Group

_SOFTWARE, _ROS = Group("software"), Group("ROS 2")
_OLDEST_PYTHON = (3, 10)
_NEEDED = {"numpy": "numpy", "Pillow": "PIL", "PyYAML": "yaml", "flatbuffers": "flatbuffers"}
"""Distribution and module of what nothing works without."""
_OPTIONAL = {
    "soundfile": ("soundfile", "sound files"),
    "soxr": ("soxr", "sound of other sample rates"),
    "dpkt": ("dpkt", "captures of traffic"),
    "matplotlib": ("matplotlib", "pictures of a session"),
    "tqdm": ("tqdm", "progress bars"),
    "argcomplete": ("argcomplete", "completion in the shell"),
}
"""Distribution, module and what misses it."""
_EXTENSION = "_rclpy_pybind11"
_DISTRIBUTIONS = ("humble", "jazzy", "kilted", "lyrical", "rolling")
_LARGEST_DOMAIN = 232
_LARGEST_SAFE_DOMAIN = 101
"""Above it the ports of a domain reach into those that Linux gives to anybody."""
_RANGES = ("SUBNET", "LOCALHOST", "OFF", "SYSTEM_DEFAULT")
_MIDDLEWARES = "share/ament_index/resource_index/rmw_typesupport"
"""Every middleware has a file of its name there, in one of the prefixes."""


def check() -> list[Finding]:
    package = _SOFTWARE.ok("cozmo_driver", f"{__version__}, {Path(_package_file).parent}")
    return [_python(), package, _needed(), _optional()]


def _python() -> Finding:
    saw = f"{platform.python_version()}, {sys.executable}"
    if sys.version_info < _OLDEST_PYTHON:
        return _SOFTWARE.failed("Python", saw, "use Python 3.10 or newer")
    return _SOFTWARE.ok("Python", saw)


def _needed() -> Finding:
    missing = [name for name, module in _NEEDED.items() if find_spec(module) is None]
    if missing:
        return _SOFTWARE.failed(
            "libraries",
            f"missing: {', '.join(missing)}",
            f"{sys.executable} -m pip install {' '.join(missing)}",
        )
    return _SOFTWARE.ok("libraries", ", ".join(map(_described, _NEEDED)))


def _optional() -> Finding:
    missing = {name: use for name, (module, use) in _OPTIONAL.items() if find_spec(module) is None}
    if not missing:
        return _SOFTWARE.ok("extras", ", ".join(map(_described, _OPTIONAL)))
    without = ", ".join(f"{name} ({use})" for name, use in missing.items())
    return _SOFTWARE.warning(
        "extras",
        f"missing: {without}; the rest works",
        f"{sys.executable} -m pip install {' '.join(missing)}",
    )


def _described(distribution: str) -> str:
    try:
        return f"{distribution} {version(distribution)}"
    except PackageNotFoundError:
        return distribution


def check_ros(environment: Mapping[str, str]) -> list[Finding]:
    """Check the ROS 2 that programs started from here would use."""
    library = find_spec("rclpy")
    if library is None:
        return [
            _ROS.warning(
                "rclpy",
                "not found: no ROS 2 is sourced; the cozmo command and cozmo_driver.robot work, "
                "the driver's nodes do not",
                "source /opt/ros/DISTRIBUTION/setup.bash and the workspace's "
                "install/setup.bash, or use scripts/env of the repository",
            )
        ]
    where = next(iter(library.submodule_search_locations or []), "")
    return [
        _library(Path(where), environment),
        _interfaces(),
        _middleware(environment),
        _domain(environment),
        _discovery(environment),
    ]


def _library(folder: Path, environment: Mapping[str, str]) -> Finding:
    name = environment.get("ROS_DISTRO") or _installed_distribution()
    saw = f"{name or 'a ROS 2 without ROS_DISTRO'}, {folder}"
    built = list(folder.glob(f"{_EXTENSION}*"))
    mine = {f"{_EXTENSION}{suffix}" for suffix in EXTENSION_SUFFIXES}
    if built and not mine & {file.name for file in built}:
        return _ROS.failed(
            "rclpy",
            f"{saw}: made for another Python ({built[0].name})",
            "run the driver with the Python of this ROS 2, outside of other virtual environments",
        )
    return _ROS.ok("rclpy", saw)


def _installed_distribution() -> str:
    for name in _DISTRIBUTIONS:
        try:
            return f"{name} (wheels, rclpy {version(f'ros-{name}-rclpy')})"
        except PackageNotFoundError:
            continue
    return ""


def _interfaces() -> Finding:
    found = find_spec("cozmo_interfaces")
    # Without a file it is only a folder of that name on the path: the sources.
    if found is None or found.origin is None:
        return _ROS.failed(
            "interfaces",
            "cozmo_interfaces is not found: the driver's nodes cannot start",
            "build the workspace (colcon build) and source its install/setup.bash here",
        )
    where = next(iter(found.submodule_search_locations or []), "")
    return _ROS.ok("interfaces", f"cozmo_interfaces, {where}")


def _middleware(environment: Mapping[str, str]) -> Finding:
    prefixes = filter(None, environment.get("AMENT_PREFIX_PATH", "").split(os.pathsep))
    files = (file for prefix in prefixes for file in Path(prefix, _MIDDLEWARES).glob("rmw_*"))
    installed = sorted({file.name for file in files} - {"rmw_implementation"})
    wanted = environment.get("RMW_IMPLEMENTATION", "")
    if wanted and wanted not in installed:
        return _ROS.failed(
            "middleware",
            f"RMW_IMPLEMENTATION={wanted} is not installed; installed: "
            + (", ".join(installed) or "none"),
            "unset RMW_IMPLEMENTATION, or install it: sudo apt install "
            f"ros-$ROS_DISTRO-{wanted.replace('_', '-')}",
        )
    if not installed:
        return _ROS.failed(
            "middleware",
            "none below AMENT_PREFIX_PATH",
            "source the setup.bash of the ROS 2 installation",
        )
    chosen = wanted or f"the distribution's default of {', '.join(installed)}"
    return _ROS.ok("middleware", chosen)


def _domain(environment: Mapping[str, str]) -> Finding:
    text = environment.get("ROS_DOMAIN_ID", "")
    saw = f"ROS_DOMAIN_ID={text}" if text else "0 (ROS_DOMAIN_ID is not set)"
    if text and not (text.isdecimal() and int(text) <= _LARGEST_DOMAIN):
        advice = f"export ROS_DOMAIN_ID=N with N from 0 to {_LARGEST_SAFE_DOMAIN}"
        return _ROS.failed("domain", f"{saw} is no domain", advice)
    if text and int(text) > _LARGEST_SAFE_DOMAIN:
        return _ROS.warning(
            "domain",
            f"{saw}: its ports may be taken by any program on Linux",
            f"use a number from 0 to {_LARGEST_SAFE_DOMAIN}",
        )
    return _ROS.ok("domain", f"{saw}; all programs need the same")


def _discovery(environment: Mapping[str, str]) -> Finding:
    names = ("ROS_AUTOMATIC_DISCOVERY_RANGE", "ROS_LOCALHOST_ONLY")
    reach, local_only = (environment.get(name, "") for name in names)
    said = [f"{name}={environment[name]}" for name in names if environment.get(name)]
    if reach and reach not in _RANGES:
        return _ROS.warning(
            "discovery",
            f"{said[0]} is unknown, so the default is used",
            f"one of {', '.join(_RANGES)}",
        )
    if reach == "OFF" and not environment.get("ROS_STATIC_PEERS"):
        return _ROS.warning(
            "discovery",
            f"{said[0]}: no program finds another",
            "unset it, or name the others in ROS_STATIC_PEERS",
        )
    if local_only == "1" or reach == "LOCALHOST":
        return _ROS.ok("discovery", f"{', '.join(said)}: this computer's programs only")
    return _ROS.ok(
        "discovery",
        f"{', '.join(said) or 'default'}: every computer on the same network; "
        "LOCALHOST keeps it off the robot's Wi-Fi",
    )
