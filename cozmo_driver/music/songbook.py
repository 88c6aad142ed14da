"""Where songs are found by name: those of the package, and those of the user."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from pathlib import Path

from ..installation import data_directory, find_shared
from .midi import MIDI_SUFFIXES, song_from_midi
from .song import Song, SongError, read_song

SONGS = Path("assets", "songs")
SONG_SUFFIXES = (".yaml", ".yml")
_MOST_SHOWN = 5
_MOST_FILES = 1000
"""Of a folder: what is more is nobody's songbook."""


class SongNotFound(SongError):
    """There is no such song."""


def user_songs() -> Path:
    """Return the folder of the user's own songs: ``~/.local/share/cozmo_driver/songs``."""
    return data_directory() / "songs"


def songs_by_name() -> dict[str, Path]:
    """Return the file of each song, sorted; the user's stand in for those of the package."""
    shared = find_shared(SONGS)
    folders = [user_songs()] if shared is None else [shared / SONGS, user_songs()]
    found = {path.stem: path for folder in folders for path in _files(folder)}
    return dict(sorted(found.items()))


def find_song(name: str) -> Song:
    """Return a song by its name or file. Raises ``SongError``, ``OSError``, ``LibraryMissing``."""
    songs = songs_by_name()
    path = songs.get(name.strip())
    if path is None and (Path(name).suffix.lower() in (*SONG_SUFFIXES, *MIDI_SUFFIXES)):
        path = Path(name)
        if not path.exists():
            raise SongNotFound(f"there is no song file {name}")
    if path is None:
        near = difflib.get_close_matches(name.lower(), songs, _MOST_SHOWN, 0.4) or list(songs)
        shown = ", ".join(near[:_MOST_SHOWN]) or "none"
        raise SongNotFound(
            f"there is no song {name[:60]!r}; there are {shown} and others "
            "(list_songs), or a file's path"
        )
    return open_song(path)


def open_song(path: Path) -> Song:
    """Read a song file or a MIDI file, by its suffix. Raises as ``find_song``."""
    suffix = path.suffix.lower()
    if suffix in MIDI_SUFFIXES:
        return song_from_midi(path)
    if suffix not in SONG_SUFFIXES:
        raise SongError(f"{path}: a song is a .yaml or a .mid file")
    return read_song(path)


def _files(folder: Path) -> Iterator[Path]:
    try:
        paths = sorted(folder.iterdir())[:_MOST_FILES]
    except OSError:
        return
    yield from (path for path in paths if path.suffix.lower() in SONG_SUFFIXES)
