"""All clips of some directories, found by name, decoded when they are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path

from . import binary_clips, json_clips
from .binary_clips import ClipEntry
from .clips import TRACKS, AnimationClip, LoadedClip
from .errors import ClipNotFound, DamagedFile, LoadWarning, ResourceError
from .files import read_bytes

MOST_BYTES = 32 << 20
"""Of one clip file."""
MOST_FILES = 20_000
"""Of one directory tree."""
BINARY, JSON = ".bin", ".json"


@dataclass(frozen=True, slots=True)
class ClipInfo:
    """What is known of a clip without decoding it."""

    name: str
    path: Path
    keyframe_counts: dict[str, int]
    """For each track that has any, by attribute of ``AnimationClip``."""
    duration_ms: int


class ClipLibrary:
    """An index over directories, and the clips used last.

    Names are unique: of several clips with one name the first found counts, in the order of the
    directories and of the paths in each. What was left out or damaged stands in ``warnings``.
    """

    def __init__(self, directories: Iterable[Path], cache_size: int = 64) -> None:
        """Index every clip file below the directories; at most ``cache_size`` stay decoded."""
        self._places: dict[str, tuple[Path, ClipEntry]] = {}
        self._decoded = lru_cache(cache_size)(self._decode)
        warnings: list[LoadWarning] = []
        for directory in directories:
            for path in clip_files(directory):
                warnings += self._add(path)
        self.warnings = tuple(warnings)

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, name: object) -> bool:
        return name in self._places

    @property
    def names(self) -> tuple[str, ...]:
        """Every clip's name, sorted."""
        return tuple(sorted(self._places))

    def info(self, name: str) -> ClipInfo:
        """Describe a clip. Raises ``ClipNotFound``, ``ResourceError``."""
        path, entry = self._place(name)
        return _describe(path, entry, _read(path))

    def infos(self) -> Iterator[ClipInfo]:
        """Describe every clip, file by file; those of files that became unreadable are left out."""
        by_path: dict[Path, list[ClipEntry]] = {}
        for path, entry in self._places.values():
            by_path.setdefault(path, []).append(entry)
        for path, entries in by_path.items():
            try:
                data = _read(path)
                described = [_describe(path, entry, data) for entry in entries]
            except ResourceError:
                continue
            yield from described

    def load(self, name: str) -> LoadedClip:
        """Return a clip and what of it was left out. Raises ``ClipNotFound``, ``ResourceError``."""
        return self._decoded(name)

    def _decode(self, name: str) -> LoadedClip:
        path, entry = self._place(name)
        data = _read(path)
        if path.suffix == BINARY:
            return binary_clips.read_clip(data, str(path), entry)
        return _json_clip(data, path, name)

    def _place(self, name: str) -> tuple[Path, ClipEntry]:
        if name not in self._places:
            raise ClipNotFound(f"there is no clip {name!r}")
        return self._places[name]

    def _add(self, path: Path) -> list[LoadWarning]:
        try:
            entries, warnings = _index(_read(path), path)
        except ResourceError as error:
            return [LoadWarning.of(path, error)]
        for entry in entries:
            if entry.name not in self._places:
                self._places[entry.name] = path, entry
                continue
            other, _ = self._places[entry.name]
            text = f"the clip {entry.name!r} is left out: {other} has one of that name"
            warnings.append(LoadWarning(str(path), text))
        return warnings


def clip_files(path: Path) -> Iterator[Path]:
    """Return a clip file itself, or those below a directory in order of their paths."""
    if path.is_file():
        return iter((path,))
    files = (file for file in sorted(path.rglob("*")) if file.suffix in (BINARY, JSON))
    return islice(filter(Path.is_file, files), MOST_FILES)


def read_clip_file(path: Path) -> tuple[tuple[LoadedClip, ...], tuple[LoadWarning, ...]]:
    """Return every clip of one file, and what is wrong with the file. Raises ``ResourceError``."""
    data = _read(path)
    if path.suffix == BINARY:
        return binary_clips.read_clips(data, str(path)), ()
    return json_clips.read_clips(data, str(path))


def _read(path: Path) -> bytes:
    return read_bytes(path, MOST_BYTES)


def _index(data: bytes, path: Path) -> tuple[tuple[ClipEntry, ...], list[LoadWarning]]:
    if path.suffix == BINARY:
        return binary_clips.index_of(data, str(path)), []
    clips, warnings = json_clips.read_clips(data, str(path))
    return tuple(_entry_of(one.clip) for one in clips), list(warnings)


def _entry_of(clip: AnimationClip) -> ClipEntry:
    # With its length: to read the whole file again for each of its clips would take minutes.
    counts = tuple(len(clip.track(track)) for track in TRACKS)
    return ClipEntry(clip.name, 0, counts, clip.duration_ms)


def _json_clip(data: bytes, path: Path, name: str) -> LoadedClip:
    clips, _ = json_clips.read_clips(data, str(path))
    found = next((loaded for loaded in clips if loaded.clip.name == name), None)
    if found is None:
        raise DamagedFile(str(path), None, f"the clip {name!r} is no longer here")
    return found


def _describe(path: Path, entry: ClipEntry, data: bytes) -> ClipInfo:
    duration = entry.duration_ms
    if duration is None:
        duration = binary_clips.duration_of(data, str(path), entry)
    counts = {
        track.attribute: count
        for track, count in zip(TRACKS, entry.keyframe_counts, strict=True)
        if count
    }
    return ClipInfo(entry.name, path, counts, duration)
