"""Filmstrips of clips, drawn from the files of this computer."""

from __future__ import annotations

import functools
from io import BytesIO

from ..animation import film_strip
from ..resources import Library, ResourceError, load_library, sound_name

_CELLS = 6
_KEPT = 64


@functools.cache
def _library() -> Library:
    return load_library()


@functools.lru_cache(_KEPT)
def film_of(name: str) -> bytes | None:
    """Return a PNG of a clip's moments, None where there is no such clip here. Blocks."""
    library = _library()
    if name not in library.clips:
        return None
    try:
        loaded = library.clips.load(name)
        strip = film_strip(loaded.clip, cells=_CELLS, pictures=lambda _: (), sound_name=sound_name)
    except (ResourceError, ValueError):
        return None
    file = BytesIO()
    strip.save(file, "PNG")
    return file.getvalue()
