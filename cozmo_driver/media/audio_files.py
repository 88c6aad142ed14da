"""Sound files, read piece by piece as the robot's samples; their content is not trusted."""

from __future__ import annotations

import math
import os
import stat
from pathlib import Path
from typing import Any

import numpy as np

from .audio_codec import SAMPLE_RATE, Samples, quantize
from .libraries import LibraryMissing, soundfile
from .resample import HIGHEST_RATE, LOWEST_RATE, Resampler, Wave

FORMATS = {"WAV": "WAV", "WAVEX": "WAV", "RF64": "WAV", "FLAC": "FLAC", "OGG": "OGG"}
"""Names of the library for the formats that are accepted."""
MAX_CHANNELS = 8


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
        """Return the next piece at 22320 Hz, made of about ``seconds``; empty at the end.

        Raises ``AudioFileError`` where the file is damaged.
        """
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
        if file.format not in FORMATS:
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


def _open(path: Path) -> Any:
    """Return the opened file. Raises ``AudioFileError``, ``LibraryMissing``."""
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
