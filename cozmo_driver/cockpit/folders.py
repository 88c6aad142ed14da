"""Folders in the user's home that files are written into."""

from __future__ import annotations

import tempfile
from pathlib import Path


def make_writable(folder: Path) -> None:
    """Make a folder, and see that files can be made in it. Raises ``OSError``, in words."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise OSError(
            f"{folder} cannot be written ({error.strerror}): make it writable, or start the "
            "cockpit with another XDG_DATA_HOME"
        ) from error
