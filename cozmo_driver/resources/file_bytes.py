"""Reading a file of which nobody knows how large it is."""

from __future__ import annotations

from pathlib import Path

from .errors import ResourceError


def read_bytes(path: Path, most: int) -> bytes:
    """Return a file's bytes. Raises ``ResourceError`` where it is larger or cannot be read."""
    try:
        if not path.is_file():
            raise ResourceError(f"{path}: there is no such file")
        with path.open("rb") as file:
            data = file.read(most + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        if isinstance(error, ResourceError):
            raise
        raise ResourceError(f"{path}: {reason}") from error
    if len(data) > most:
        raise ResourceError(f"{path}: it has more than {most} bytes")
    return data
