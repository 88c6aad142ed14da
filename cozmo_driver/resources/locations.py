"""Where assets are: those of this package, and those of the app that the user owns (spec 11 §1).

A *tree* is the directory that holds ``assets/animations`` and ``config/engine``: the app calls it
``cozmo_resources``. What the user has may be named at three levels: the directory that holds
``assets``, ``assets`` itself, or the tree in it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from ..installation import find_shared, home, xdg_directory
from .errors import ResourceError

TREE = "cozmo_resources"
ASSETS = "assets"
MARKER = "resources.txt"
"""List of all files, in ``assets``; written last, so that only a complete tree has it."""
ANIMATIONS = Path("assets", "animations")

_USER_DATA = "cozmo"
_PYCOZMO = "PYCOZMO_DIR"


def user_directory(environment: Mapping[str, str] = os.environ) -> Path:
    """Return where imported assets are kept: ``~/.local/share/cozmo`` (``$XDG_DATA_HOME``)."""
    return xdg_directory("XDG_DATA_HOME", ".local/share", environment) / _USER_DATA


def tree_at(path: Path) -> Path | None:
    """Return the tree that a path names at any of the three levels, None where there is none."""
    levels = (path / ASSETS / TREE, path / TREE, path)
    return next((level for level in levels if (level / ANIMATIONS).is_dir()), None)


def find_user_tree(
    resource_dir: str | Path = "", environment: Mapping[str, str] = os.environ
) -> Path | None:
    """Return the user's tree, None where there is none.

    ``resource_dir`` alone where it is given, else what was imported, else PyCozmo's directory
    (``$PYCOZMO_DIR``, ``~/.pycozmo``). Raises ``ResourceError`` for a ``resource_dir`` without one.
    """
    if str(resource_dir):
        named = Path(resource_dir).expanduser()
        found = tree_at(named)
        if found is None:
            raise ResourceError(f"{named}: there is no {TREE} with animations in it")
        return found
    pycozmo = environment.get(_PYCOZMO, "")
    places = (
        user_directory(environment),
        Path(pycozmo).expanduser() if pycozmo else home(environment) / ".pycozmo",
    )
    return next((tree for tree in map(tree_at, places) if tree is not None), None)


def find_own_tree() -> Path | None:
    """Return the tree of this package's own assets, None where it is not installed whole."""
    return find_shared(ANIMATIONS)
