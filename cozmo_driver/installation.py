"""Where the files are that come with the package, the user's folders, and how to install more.

Assets and configuration are installed below ``share/cozmo_driver`` by colcon, in the package
itself by a wheel, and lie beside the package in a checkout.
"""

from __future__ import annotations

import os
import shlex
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from pathlib import Path

_PACKAGE = "cozmo_driver"
_IN_WHEEL = "share"
_NO_NAMESPACE = "cozmo"
_PYPI_NAMES = {
    "PIL": "pillow",
    "cv2": "opencv-python-headless",
    "mcp": "mcp>=2.3,<3",
    "piper": "piper-tts",
    "yaml": "pyyaml",
}
_OF_THE_SYSTEM = {"PIL": "python3-pil", "cv2": "python3-opencv", "yaml": "python3-yaml"}
"""What a ROS 2 of Debian or Ubuntu has from there; pip would put another NumPy beside it."""
_DEBIAN = "/usr/lib/python3/dist-packages"


def find_shared(path: str | Path, environment: Mapping[str, str] = os.environ) -> Path | None:
    """Return the folder above ``path`` where such a file or folder comes with the package.

    None where there is none: then the package is not installed whole.
    """
    return next((place for place in _places(environment) if (place / path).exists()), None)


def home(environment: Mapping[str, str] = os.environ) -> Path:
    return Path(environment.get("HOME") or os.path.expanduser("~"))


def xdg_directory(
    variable: str, fallback: str, environment: Mapping[str, str] = os.environ
) -> Path:
    """Return the folder that a variable of the XDG standard names, else one below home.

    A relative path in the variable is to be ignored, says the standard.
    """
    named = environment.get(variable, "")
    return Path(named) if os.path.isabs(named) else home(environment) / fallback


def cache_directory() -> Path:
    """Return where files may be kept that can be made again: ``~/.cache/cozmo_driver``."""
    return xdg_directory("XDG_CACHE_HOME", ".cache") / _PACKAGE


def data_directory() -> Path:
    """Return where files are kept that must not vanish: ``~/.local/share/cozmo_driver``."""
    return xdg_directory("XDG_DATA_HOME", ".local/share") / _PACKAGE


def state_directory(namespace: str = "", environment: Mapping[str, str] = os.environ) -> Path:
    """Return where the state of the robot in a namespace is kept.

    ``$XDG_STATE_HOME/cozmo_driver/NAMESPACE``, by default below ``~/.local/state``; ``cozmo``
    stands for no namespace, an underscore for a slash within one.
    """
    base = xdg_directory("XDG_STATE_HOME", ".local/state", environment)
    return base / _PACKAGE / (namespace.strip("/").replace("/", "_") or _NO_NAMESPACE)


def pip_install(*modules: str, environment: Mapping[str, str] = os.environ) -> str:
    """Return the command that installs these modules for this Python, by apt where that is due."""
    has_system = "ROS_DISTRO" in environment and _DEBIAN in sys.path
    by_apt = [name for name in modules if has_system and name in _OF_THE_SYSTEM]
    by_pip = [shlex.quote(package_of(name)) for name in modules if name not in by_apt]
    commands = []
    if by_apt:
        commands.append(" ".join(["sudo apt install", *(_OF_THE_SYSTEM[name] for name in by_apt)]))
    if by_pip:
        words = [shlex.quote(sys.executable), "-m pip install", *_pip_options(), *by_pip]
        commands.append(" ".join(words))
    return " && ".join(commands)


def package_of(module: str) -> str:
    """Return what brings a module on PyPI."""
    return _PYPI_NAMES.get(module, module)


def _pip_options() -> list[str]:
    """Return what pip wants where the system's packages have this Python (PEP 668)."""
    mark = Path(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED")
    is_systems = sys.prefix == sys.base_prefix and mark.exists()
    return ["--user", "--break-system-packages"] if is_systems else []


def _places(environment: Mapping[str, str]) -> Iterator[Path]:
    package = Path(__file__).resolve().parent
    yield package / _IN_WHEEL
    yield package.parent
    # Wherever the modules are, the share folder is below a folder above them.
    yield from (prefix / "share" / _PACKAGE for prefix in package.parents)
    prefixes = environment.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
    yield from (Path(prefix, "share", _PACKAGE) for prefix in prefixes if prefix)
