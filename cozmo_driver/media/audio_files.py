"""Sound files as the robot's samples, piece by piece."""

from __future__ import annotations

import contextlib
import math
import os
import stat
from pathlib import Path
from typing import Any

import numpy as np

from ..installation import pip_install
from .audio_codec import SAMPLE_RATE, SampleQueue, Samples, quantize
from .resampler import HIGHEST_RATE, LOWEST_RATE, Resampler, Wave

_FORMATS = frozenset({"WAV", "WAVEX", "RF64", "FLAC", "OGG"})
"""What is accepted, in the words of the library."""
MAX_CHANNELS = 8
_PIECE = 10.0
"""s of a whole file that are read at once."""


class LibraryMissing(RuntimeError):
    """A library is not installed; the text says which and how to get it."""


def soundfile() -> Any:
    try:
        import soundfile as library  # type: ignore[import-untyped]
    except (ImportError, OSError) as error:
        raise LibraryMissing(
            f"sound files need the Python package soundfile ({error}); "
            f"install it: {pip_install('soundfile')}"
        ) from error
    return library


class AudioFileError(ValueError):
    """A file that cannot be played; the text says which and why."""


class AudioFileNotFound(AudioFileError):
    """There is no such file."""


class AudioFile:
    """A WAV, FLAC or OGG file of any length; only one piece of it is in memory at a time."""

    def __init__(self, path: str | os.PathLike[str], gain: float = 1.0, speed: float = 1.0) -> None:
        """Open ``path``; ``gain`` scales the samples, 0 to 1.

        At another ``speed`` it is as much higher, too. Raises ``AudioFileError``,
        ``LibraryMissing``; ``ValueError`` for a speed that is too low or too high.
        """
        self.path = Path(path)
        self._gain = np.float32(gain)
        self._file = _open(self.path)
        try:
            self._check()
            rate = round(self._file.samplerate * speed)
            self._resampler = None if rate == SAMPLE_RATE else Resampler(rate)
        except (ValueError, LibraryMissing):
            self._file.close()
            raise
        self.duration: float = self._file.frames / rate
        """Length in s, as the file says."""
        self._is_at_end = False

    def read(self, seconds: float) -> Samples:
        """Return the next piece at 22320 Hz, empty at the end. Raises ``AudioFileError``."""
        while not self._is_at_end:
            wave = self._mono(max(1, math.ceil(seconds * self._file.samplerate)))
            self._is_at_end = not len(wave)
            if self._resampler is None:
                return quantize(wave)
            samples = self._resampler.convert(wave, last=self._is_at_end)
            if len(samples):
                return samples
        return np.zeros(0, np.int16)

    def close(self) -> None:
        """Give the file back; may be called twice."""
        self._file.close()

    # -- inside

    def _check(self) -> None:
        file = self._file
        if file.format not in _FORMATS:
            self._refuse(f"is {file.format_info}; WAV, FLAC or OGG is needed")
        if not LOWEST_RATE <= file.samplerate <= HIGHEST_RATE:
            self._refuse(
                f"has {file.samplerate} samples per second; "
                f"{LOWEST_RATE} to {HIGHEST_RATE} can be played"
            )
        if not 1 <= file.channels <= MAX_CHANNELS:
            self._refuse(f"has {file.channels} channels; up to {MAX_CHANNELS} can be played")
        if file.frames <= 0:
            self._refuse("holds no sound")

    def _refuse(self, why: str) -> None:
        raise AudioFileError(f"{self.path} {why}")

    def _mono(self, count: int) -> Wave:
        """Return the mean of the channels of the next ``count`` samples; empty at the end."""
        try:
            data = self._file.read(count, dtype="float32", always_2d=True)
        except RuntimeError as error:
            raise AudioFileError(f"{self.path} is damaged: {error}") from None
        # Floating-point files may hold anything; one NaN would silence the filter for good.
        clean = np.clip(np.nan_to_num(data, nan=0.0), -1.0, 1.0)
        wave: Wave = clean.mean(axis=1, dtype=np.float32) * self._gain
        return wave


def read_samples(path: Path, longest: float, speed: float = 1.0) -> Samples:
    """Return the first ``longest`` s of a file. Raises as ``AudioFile``."""
    most = int(longest * SAMPLE_RATE)
    samples = SampleQueue()
    with contextlib.closing(AudioFile(path, speed=speed)) as file:
        while len(samples) < most and len(piece := file.read(_PIECE)):
            samples.put(piece)
    return samples.get(most)


def _open(path: Path) -> Any:
    library = soundfile()
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            raise AudioFileError(f"{path} is no file")
        return library.SoundFile(path)
    except FileNotFoundError:
        raise AudioFileNotFound(f"there is no file {path}") from None
    except (OSError, ValueError) as error:
        if isinstance(error, AudioFileError):
            raise
        raise AudioFileError(f"{path} cannot be opened: {error}") from None
    except (RuntimeError, TypeError) as error:
        raise AudioFileError(f"{path} is no sound file that can be read: {error}") from None
