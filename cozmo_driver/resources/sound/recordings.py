"""Media ids as samples of the robot, decoded once and kept while there is room."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from ...media import SAMPLE_RATE, AudioFileError, Resampler, Samples, quantize, read_samples
from ...whole_files import read_whole
from ..errors import DamagedFile, UnsupportedFile
from .bank import LARGEST_MEDIA, Bank
from .wem import HOW_TO_CONVERT, LONGEST, decode_wem

MOST_FILES = 100_000
_LONGEST_ID = 10
"""Digits."""
_ORIGINAL = ".wem"
_CONVERTED = (".wav", ".ogg")
CACHE_BYTES = 32 << 20


class NoMedia(LookupError):
    """No file and no bank holds the media id."""


class Recordings:
    """What the media ids sound like: converted files first, then WEM files, then the banks.

    Of two files, or banks, with one id the first counts.
    """

    def __init__(self, folder: str | os.PathLike[str], banks: Sequence[Bank]) -> None:
        self._converted: dict[int, Path] = {}
        self._original: dict[int, Path] = {}
        for path in _named_by_id(folder):
            kept = self._converted if _is_converted(path) else self._original
            kept.setdefault(int(path.stem), path)
        self._banks = banks
        self._cache: dict[int, Samples] = {}

    def samples(self, media_id: int, *, is_streamed: bool = False) -> Samples:
        """Return the sound at 22320 Hz, 120 s at most; it must not be changed.

        A bank's beginning of streamed media is not used. Raises ``NoMedia``, ``LibraryMissing``,
        ``DamagedFile`` (``UnsupportedFile`` where it needs converting).

        """
        samples = self._cache.pop(media_id, None)
        if samples is None:
            samples = self._decode(media_id, is_streamed)
            samples.flags.writeable = False
        # The last one is the newest.
        self._cache[media_id] = samples
        while sum(one.nbytes for one in self._cache.values()) > CACHE_BYTES:
            del self._cache[next(iter(self._cache))]
        return samples

    def _decode(self, media_id: int, is_streamed: bool) -> Samples:
        converted = self._converted.get(media_id)
        if converted is not None:
            try:
                return read_samples(converted, LONGEST)
            except AudioFileError as error:
                raise DamagedFile(str(converted), None, str(error)) from None
        path = self._original.get(media_id)
        bank = None if is_streamed else self._bank(media_id)
        try:
            if path is not None:
                data, source, start = read_whole(path, LARGEST_MEDIA), str(path), 0
            elif bank is not None:
                data, source = bank.media_bytes(media_id), bank.source
                start = bank.media[media_id].offset
            else:
                raise NoMedia(f"media {media_id} is in no bank and there is no file {media_id}.wem")
        except OSError as error:
            raise DamagedFile(
                str(path or media_id), None, f"cannot be read: {error.strerror}"
            ) from None
        try:
            rate, wave = decode_wem(data, source, start)
        except UnsupportedFile as error:
            if error.reason == HOW_TO_CONVERT:
                raise UnsupportedFile(
                    source, None, HOW_TO_CONVERT.replace("<media id>", str(media_id))
                ) from None
            raise
        if rate == SAMPLE_RATE:
            return quantize(wave)
        return Resampler(rate).convert(wave, last=True)

    def _bank(self, media_id: int) -> Bank | None:
        return next((bank for bank in self._banks if media_id in bank.media), None)


def converted_files(folder: str | os.PathLike[str]) -> Iterator[Path]:
    """Return the files that the user has put beside the banks."""
    return filter(_is_converted, _named_by_id(folder))


def _is_converted(path: Path) -> bool:
    return path.suffix.lower() in _CONVERTED


def _named_by_id(folder: str | os.PathLike[str]) -> Iterator[Path]:
    """Return the files of sounds that are named by a media id."""
    for path in islice(_files_below(folder), MOST_FILES):
        stem, ending = path.stem, path.suffix.lower()
        is_id = stem.isascii() and stem.isdigit() and len(stem) <= _LONGEST_ID
        if is_id and ending in (_ORIGINAL, *_CONVERTED):
            yield path


def _files_below(folder: str | os.PathLike[str]) -> Iterator[Path]:
    """Links to other folders are not followed."""
    for parent, below, names in os.walk(folder):
        below.sort()
        yield from (Path(parent, name) for name in sorted(names))
