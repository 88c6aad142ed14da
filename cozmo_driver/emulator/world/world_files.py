"""Where the world files are that come with the package."""

from __future__ import annotations

from pathlib import Path

from ...installation import find_shared
from .entries import WorldFileError

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
    place = find_shared(_FOLDER)
    return {} if place is None else {path.stem: path for path in (place / _FOLDER).glob("*.yaml")}
