"""Sound of other sample rates at the robot's, piece by piece: by soxr, else by numpy."""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from .audio_codec import FULL_SCALE, SAMPLE_RATE, Samples

LOWEST_RATE, HIGHEST_RATE = 8000, 192000
"""Sample rates that are accepted, Hz."""
MAX_TUNING = 0.012
"""Largest share by which ``tune`` changes the speed, a fifth of a semitone: robots were measured to
play 0.65 % slower than they should (spec 18)."""

Wave = npt.NDArray[np.float32]
"""Samples of -1 to 1."""


def check_rate(rate: int) -> None:
    """Raise ``ValueError`` for a sample rate (Hz) that is not accepted."""
    if not LOWEST_RATE <= rate <= HIGHEST_RATE:
        raise ValueError(f"{rate} Hz is no sample rate of {LOWEST_RATE} to {HIGHEST_RATE} Hz")


def to_wave(samples: Samples) -> Wave:
    wave: Wave = np.divide(samples, FULL_SCALE, dtype=np.float32)
    return wave


class Resampler:
    """Converts one mono signal; what the robot cannot play (above 10 kHz) is filtered out.

    A tunable one can be sped up and slowed down while it runs, and holds back at most 30 ms;
    others are cheaper and hold back up to 120 ms.
    """

    def __init__(self, rate: int, *, tunable: bool = False) -> None:
        """Convert from ``rate`` Hz. Raises ``ValueError``."""
        check_rate(rate)
        self.rate = rate
        self._stream = _stream(rate, tunable)
        self._is_tunable = tunable
        self._speed = 0.0
        if tunable:
            self.tune(1.0)

    def tune(self, speed: float) -> None:
        """Use up the input ``speed`` times as fast, 0.988 to 1.012; only of a tunable one."""
        speed = min(max(speed, 1 - MAX_TUNING), 1 + MAX_TUNING)
        if self._is_tunable and speed != self._speed:
            self._speed = speed
            self._stream.set_io_ratio(self.rate * speed, SAMPLE_RATE)

    def convert(self, samples: Wave, *, last: bool = False) -> Samples:
        """Return the samples known by now; after ``last`` nothing may follow."""
        wave = self._stream.resample_chunk(np.ascontiguousarray(samples, np.float32), last)
        converted: Samples = np.rint(np.clip(wave, -1.0, 1.0) * FULL_SCALE).astype(np.int16)
        return converted


class _Stream(Protocol):
    """What is used of soxr's ``ResampleStream``."""

    def set_io_ratio(self, in_rate: float, out_rate: float) -> None: ...

    def resample_chunk(self, x: Wave, last: bool = False) -> Wave: ...


def _stream(rate: int, tunable: bool) -> _Stream:
    try:
        import soxr  # type: ignore[import-untyped]
    except ImportError:
        return _SincStream(rate)
    # A variable-rate stream is made for the largest ratio it will ever have.
    top = rate * (1 + MAX_TUNING) if tunable else rate
    stream: Any = soxr.ResampleStream(top, SAMPLE_RATE, 1, dtype="float32", vr=tunable)
    return stream  # type: ignore[no-any-return]


class _SincStream:
    """Interpolation by a windowed sinc: flat to 10 kHz, 90 dB down from 12.3 kHz on.

    For signals below the robot's rate the edges are as much lower. The kernel is tabulated
    between the samples, and interpolated linearly there.
    """

    REACH = 28
    """Zero crossings of the kernel on each side."""
    BETA = 8.96
    """Kaiser's shape for 90 dB."""
    PHASES = 128
    """Rows of the table for each sample of the input."""
    BLOCK = 256
    """Samples that are computed at once."""

    def __init__(self, rate: int) -> None:
        band = min(1.0, SAMPLE_RATE / rate)
        self._reach = math.ceil(self.REACH / band)
        self._kernel = self._tabulated(band)
        self._ahead = np.zeros(self._reach, np.float32)
        self._next = float(self._reach)
        """Place of the next sample of the output, in those of ``_ahead``."""
        self.set_io_ratio(rate, SAMPLE_RATE)

    def _tabulated(self, band: float) -> Wave:
        """Return a row of weights for each phase, and one more to interpolate with."""
        taps = np.arange(1 - self._reach, self._reach + 1)
        phases = np.arange(self.PHASES + 1) / self.PHASES
        places = (taps - phases[:, np.newaxis]) * band
        inside = np.clip(1 - (places / self.REACH) ** 2, 0, 1)
        weights = np.sinc(places) * np.i0(self.BETA * np.sqrt(inside))
        rows: Wave = (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)
        return rows

    def set_io_ratio(self, in_rate: float, out_rate: float) -> None:
        self._step = in_rate / out_rate

    def resample_chunk(self, x: Wave, last: bool = False) -> Wave:
        rest = np.zeros(self._reach if last else 0, np.float32)
        wave = np.concatenate([self._ahead, x, rest])
        count = max(0, math.ceil((len(wave) - self._reach - self._next) / self._step))
        places = self._next + self._step * np.arange(count)
        blocks = range(0, count, self.BLOCK)
        pieces = [self._at(wave, places[start : start + self.BLOCK]) for start in blocks]
        following = self._next + self._step * count
        used = max(0, math.floor(following) - self._reach)
        self._ahead, self._next = wave[used:].copy(), following - used
        return np.concatenate(pieces) if pieces else np.zeros(0, np.float32)

    def _at(self, wave: Wave, places: npt.NDArray[np.floating[Any]]) -> Wave:
        whole = places.astype(np.intp)
        windows = np.lib.stride_tricks.sliding_window_view(wave, 2 * self._reach)
        around = windows[whole - self._reach + 1]
        phase = (places - whole) * self.PHASES
        row = phase.astype(np.intp)
        below, above = (
            np.einsum("ij,ij->i", around, self._kernel[rows]) for rows in (row, row + 1)
        )
        mixed: Wave = below + (above - below) * (phase - row).astype(np.float32)
        return mixed
