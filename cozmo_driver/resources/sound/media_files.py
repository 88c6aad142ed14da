"""Which file holds which media id: <id>.wem, or <id>.ogg and <id>.wav that the user converted."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

MOST_FILES = 100_000
_LARGEST_ID = 0xFFFFFFFF
_CONVERTED = (".wav", ".ogg")


class MediaFiles:
    """The media files in and below some folders; links to other folders are not followed."""

    def __init__(self, folders: Iterable[str | os.PathLike[str]]) -> None:
        """Look through the folders once; of two files for one id the first found is taken."""
        self.original: dict[int, Path] = {}
        """WEM files by media id."""
        self.converted: dict[int, Path] = {}
        """Converted files by media id; where there is one it is used in place of the WEM file."""
        looked_at = 0
        for folder in folders:
            for parent, below, names in os.walk(folder):
                below.sort()
                for name in sorted(names):
                    looked_at += 1
                    if looked_at > MOST_FILES:
                        return
                    self._add(Path(parent, name))

    def _add(self, path: Path) -> None:
        stem, ending = path.stem, path.suffix.lower()
        if not (stem.isascii() and stem.isdigit() and len(stem) <= 10):
            return
        id_ = int(stem)
        if id_ > _LARGEST_ID:
            return
        if ending == ".wem":
            self.original.setdefault(id_, path)
        elif ending in _CONVERTED:
            self.converted.setdefault(id_, path)
