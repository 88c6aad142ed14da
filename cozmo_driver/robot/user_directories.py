"""Where a user's files belong (XDG base directories)."""

from __future__ import annotations

import os
from pathlib import Path

_NAME = "cozmo_driver"


def cache_directory() -> Path:
    """Return where files may be kept that can be made again: ``~/.cache/cozmo_driver``."""
    return _base("XDG_CACHE_HOME", ".cache") / _NAME


def data_directory() -> Path:
    """Return where files are kept that must not vanish: ``~/.local/share/cozmo_driver``."""
    return _base("XDG_DATA_HOME", ".local/share") / _NAME


def _base(variable: str, fallback: str) -> Path:
    # The standard: a relative path in the variable is to be ignored.
    named = os.environ.get(variable, "")
    if os.path.isabs(named):
        return Path(named)
    return Path(os.path.expanduser("~")) / fallback
