"""What ears make of samples: the pitch of a note by YIN, and when it begins."""

from __future__ import annotations

import math

import numpy as np

from cozmo_driver.media.audio_codec import SAMPLE_RATE

_HIGHEST = 1200.0
_LOWEST = 110.0
_ENVELOPE = 0.003
_SEARCH = 0.06


def pitch_of(samples: np.ndarray, highest: float = _HIGHEST) -> float:
    """Hz up to ``highest``, by YIN (de Cheveigné and Kawahara, 2002), refined by a parabola."""
    wave = samples.astype(float)
    longest = int(SAMPLE_RATE / _LOWEST)
    size = min(len(wave) - longest, 4 * longest)
    assert size > longest, "too short to hear its pitch"
    lags = np.arange(longest)
    delayed = np.lib.stride_tricks.sliding_window_view(wave, size)[:longest]
    difference = ((wave[:size] - delayed) ** 2).sum(axis=1)
    mean = difference[1:] * lags[1:] / np.maximum(np.cumsum(difference[1:]), 1e-12)
    first = int(SAMPLE_RATE / highest)
    (low,) = np.nonzero(mean[first:] < 0.15)
    start = first + (int(low[0]) if len(low) else int(np.argmin(mean[first:])))
    while start + 1 < len(mean) and mean[start + 1] < mean[start]:
        start += 1
    left, middle, right = difference[start : start + 3]
    bend = left - 2 * middle + right
    return SAMPLE_RATE / (start + 1 + 0.5 * (left - right) / bend)


def cents(heard: float, wanted: float) -> float:
    return 1200.0 * math.log2(heard / wanted)


def middle(samples: np.ndarray, start: float, duration: float) -> np.ndarray:
    """The held part of a note: without attack, mouth opening and release."""
    first = round((start + min(0.06, 0.2 * duration)) * SAMPLE_RATE)
    last = round((start + duration - min(0.03, 0.2 * duration)) * SAMPLE_RATE)
    return samples[first:last]


def onset_near(samples: np.ndarray, start: float, duration: float) -> float:
    """When a note begins, s: a third of its loudness, after the faintest moment near ``start``."""
    hop = round(_ENVELOPE * SAMPLE_RATE)
    low = max(0, round((start - _SEARCH) * SAMPLE_RATE))
    high = round((start + min(duration, 0.5)) * SAMPLE_RATE)
    near = np.abs(samples[low:high].astype(float))
    rows = len(near) // hop
    envelope = near[: rows * hop].reshape(rows, hop).max(axis=1)
    window = round(2 * _SEARCH * SAMPLE_RATE / hop)
    faintest = int(np.argmin(envelope[:window])) if low else 0
    loud = float(envelope[faintest:].max()) / 3.0
    rising = faintest + int(np.argmax(envelope[faintest:] >= loud))
    return (low + rising * hop) / SAMPLE_RATE
