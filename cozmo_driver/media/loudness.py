"""How loud a sound is to people: ITU-R BS.1770-4, for one channel at the robot's rate."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from .audio_codec import SAMPLE_RATE

_RATE = 48000.0
"""Hz for which the standard gives its filters."""
_SHELF = (
    (1.53512485958697, -2.69169618940638, 1.19839281085285),
    (-1.69065929318241, 0.73248077421585),
)
_HIGH_PASS = ((1.0, -2.0, 1.0), (-1.99004745483398, 0.99007225036621))
_OFFSET = -0.691
_BLOCK, _STEP = 0.4, 0.1
"""s."""
_SILENCE, _QUIET = -70.0, -10.0
"""Blocks below this many LUFS do not count, nor those so many LU below the mean of the others."""


def weight(frequencies: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the factors by which ears weight amplitudes at these Hz (K-weighting)."""
    delay = np.exp(-2j * np.pi * np.minimum(frequencies, _RATE / 2) / _RATE)
    response = np.ones(len(frequencies), complex)
    for (b0, b1, b2), (a1, a2) in (_SHELF, _HIGH_PASS):
        response *= (b0 + b1 * delay + b2 * delay**2) / (1.0 + a1 * delay + a2 * delay**2)
    factors: npt.NDArray[np.float64] = np.abs(response)
    return factors


def loudness(wave: npt.NDArray[np.floating]) -> float:
    """Return the LUFS of samples of -1 to 1, -inf for silence or next to nothing.

    A sound shorter than a block counts as one.
    """
    if not len(wave):
        return -math.inf
    frequency = np.fft.rfftfreq(len(wave), 1 / SAMPLE_RATE).astype(np.float64)
    weighted = np.fft.irfft(np.fft.rfft(wave) * weight(frequency), len(wave))
    total = np.concatenate(([0.0], np.cumsum(weighted**2)))
    block = min(round(_BLOCK * SAMPLE_RATE), len(wave))
    starts = np.arange(0, len(wave) - block + 1, round(_STEP * SAMPLE_RATE))
    power = (total[starts + block] - total[starts]) / block
    power = power[power > _power_of(_SILENCE)]
    if not len(power):
        return -math.inf
    power = power[power > _power_of(_level_of(float(power.mean())) + _QUIET)]
    return _level_of(float(power.mean()))


def _level_of(power: float) -> float:
    return _OFFSET + 10.0 * math.log10(power)


def _power_of(level: float) -> float:
    return float(10.0 ** ((level - _OFFSET) / 10.0))
