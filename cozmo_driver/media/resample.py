"""From any common sample rate to the robot's, as the samples come (spec 05 §3)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .audio_codec import FULL_SCALE, SAMPLE_RATE, Samples
from .libraries import soxr

LOWEST_RATE, HIGHEST_RATE = 8000, 192000
"""Sample rates that are accepted, Hz."""
MAX_TUNING = 0.01
"""Largest share by which ``tune`` changes the speed."""

Wave = npt.NDArray[np.float32]
"""Samples of -1 to 1."""


def check_rate(rate: int) -> None:
    """Raise ``ValueError`` for a sample rate (Hz) that is not accepted."""
    if not LOWEST_RATE <= rate <= HIGHEST_RATE:
        raise ValueError(f"{rate} Hz is no sample rate of {LOWEST_RATE} to {HIGHEST_RATE} Hz")


class Resampler:
    """Converts one mono signal; what the robot cannot play (above 10 kHz) is filtered out.

    A tunable one can be sped up and slowed down while it runs, and holds back at most 30 ms;
    others are cheaper and hold back up to 120 ms.
    """

    def __init__(self, rate: int, *, tunable: bool = False) -> None:
        """Convert from ``rate`` Hz. Raises ``ValueError``, ``LibraryMissing``."""
        check_rate(rate)
        self.rate = rate
        # A variable-rate stream is made for the largest ratio it will ever have.
        top = rate * (1 + MAX_TUNING) if tunable else rate
        self._stream = soxr().ResampleStream(top, SAMPLE_RATE, 1, dtype="float32", vr=tunable)
        self._is_tunable = tunable
        self._speed = 0.0
        if tunable:
            self.tune(1.0)

    def tune(self, speed: float) -> None:
        """Use up the input ``speed`` times as fast, 0.99 to 1.01; only of a tunable one."""
        speed = min(max(speed, 1 - MAX_TUNING), 1 + MAX_TUNING)
        if self._is_tunable and speed != self._speed:
            self._speed = speed
            self._stream.set_io_ratio(self.rate * speed, SAMPLE_RATE)

    def convert(self, samples: Wave, *, last: bool = False) -> Samples:
        """Return what of the signal can be told by now; after ``last`` nothing may follow."""
        wave = self._stream.resample_chunk(np.ascontiguousarray(samples, np.float32), last)
        converted: Samples = np.rint(np.clip(wave, -1.0, 1.0) * FULL_SCALE).astype(np.int16)
        return converted


def to_wave(samples: Samples) -> Wave:
    """Return 16-bit samples as -1 to 1."""
    wave: Wave = np.divide(samples, FULL_SCALE, dtype=np.float32)
    return wave
