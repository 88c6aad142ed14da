"""Python, this package and the libraries it uses."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from ... import __file__ as _package_file
from ... import __version__
from .findings import Finding, Group

GROUP = Group("software")
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


def check() -> list[Finding]:
    """Look at the programs of this computer that the driver is made of."""
    return [_python(), _package(), _needed(), *_optional()]


def _python() -> Finding:
    saw = f"{platform.python_version()}, {sys.executable}"
    if sys.version_info < _OLDEST_PYTHON:
        return GROUP.failed("Python", saw, "use Python 3.10 or newer")
    return GROUP.ok("Python", saw)


def _package() -> Finding:
    return GROUP.ok("cozmo_driver", f"{__version__}, {Path(_package_file).parent}")


def _needed() -> Finding:
    missing = [name for name, module in _NEEDED.items() if find_spec(module) is None]
    if missing:
        return GROUP.failed(
            "libraries",
            f"missing: {', '.join(missing)}",
            f"{sys.executable} -m pip install {' '.join(missing)}",
        )
    return GROUP.ok("libraries", ", ".join(map(_described, _NEEDED)))


def _optional() -> list[Finding]:
    missing = {name: use for name, (module, use) in _OPTIONAL.items() if find_spec(module) is None}
    if not missing:
        return [GROUP.ok("extras", ", ".join(map(_described, _OPTIONAL)))]
    without = ", ".join(f"{name} ({use})" for name, use in missing.items())
    return [
        GROUP.warning(
            "extras",
            f"missing: {without}; the rest works",
            f"{sys.executable} -m pip install {' '.join(missing)}",
        )
    ]


def _described(distribution: str) -> str:
    try:
        return f"{distribution} {version(distribution)}"
    except PackageNotFoundError:
        return distribution
