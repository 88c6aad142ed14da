"""How loud sounds are (spec 05 §5)."""

from __future__ import annotations

import math

import numpy as np

from ...media.audio_codec import FULL_SCALE, Samples

LIMIT = round(FULL_SCALE * 10 ** (-1.0 / 20.0))
"""Largest sample of a mix: 1 dB below full scale."""


def gain_of_decibels(decibels: float) -> float:
    """Return the factor for a volume in dB."""
    return float(10.0 ** (decibels / 20.0))


def gain_of_volume(volume: float) -> float:
    """Return the factor for the volume of a RobotAudio keyframe, 0 to 1: sin(v·π/2)."""
    if not volume > 0.0:
        return 0.0
    return math.sin(min(volume, 1.0) * math.pi / 2.0)


def scaled(samples: Samples, gain: float) -> Samples:
    """Return the samples times ``gain``, cut off at full scale."""
    if gain == 1.0:
        return samples
    wide = np.rint(samples * np.float64(gain))
    louder: Samples = np.clip(wide, -FULL_SCALE, FULL_SCALE).astype(np.int16)
    return louder
