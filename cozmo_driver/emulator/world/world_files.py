"""Where the world files are that come with the package."""

from __future__ import annotations

import os
from pathlib import Path

from .entries import WorldFileError

_PACKAGE = "cozmo_driver"
_FOLDER = Path("config") / "worlds"


def find_world(name_or_file: str) -> Path:
    """Return the file of a world that comes with the package, or the file itself.

    A name is one without ``/`` and ``.yaml``. Raises ``WorldFileError``.
    """
    if "/" in name_or_file or name_or_file.endswith((".yaml", ".yml")):
        return Path(name_or_file)
    known = known_worlds()
    if name_or_file not in known:
        names = ", ".join(sorted(known)) or "none"
        raise WorldFileError(
            f"there is no world {name_or_file}; there are: {names}. Or give a file: ./my_world.yaml"
        )
    return known[name_or_file]


def known_worlds() -> dict[str, Path]:
    """Return the worlds that come with the package, by name."""
    for folder in _folders():
        files = {path.stem: path for path in folder.glob("*.yaml")}
        if files:
            return files
    return {}


def _folders() -> list[Path]:
    """Where it may be: beside the sources, below the install prefix, in a sourced workspace."""
    package = Path(__file__).resolve().parents[2]
    shared = Path("share") / _PACKAGE / _FOLDER
    prefixes = [
        *package.parents,
        *(Path(p) for p in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep) if p),
    ]
    return [package.parent / _FOLDER, *(prefix / shared for prefix in prefixes)]
