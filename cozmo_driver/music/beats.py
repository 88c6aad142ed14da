"""The beat of a piece of music: onsets, tempo by autocorrelation, beats by dynamic programming.

After Ellis, "Beat Tracking by Dynamic Programming", 2007.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..media import SAMPLE_RATE, Samples

Signal = npt.NDArray[np.float64]

_HOP = 248
RATE = SAMPLE_RATE / _HOP
"""Hz of the onset strength: exactly 90."""
_WINDOW = 992
_BANDS = 32
_SLOWEST, _FASTEST = 55.0, 215.0
"""Beats per minute that are found."""
_LIKELY, _SPREAD = 120.0, 0.9
"""Beats per minute that people tap most, and the octaves around them (Ellis 2007)."""
_TIGHTNESS = 400.0
"""How even beats are (Ellis 2007: 100 to 400 for steady music)."""
_CLEAREST_NOISE = 0.2
"""Autocorrelation at the beat, as a share of that at 0, that hiss does not reach: ten seeds of 4
and 20 s have up to 0.18, the songs from 0.34 but for the Toccata, which keeps no time."""
_SMOOTHING = 9
_SHORTEST = 2.0
"""s in which a beat can be found."""


class NoBeat(ValueError):
    """A sound has no beat that could be found."""


def onset_strength(samples: Samples) -> Signal:
    """Return how much louder a sound gets, ``RATE`` times a second, in bands as ears have them."""
    padded = np.pad(samples.astype(np.float64) / 32768.0, _WINDOW // 2)
    count = max(0, (len(padded) - _WINDOW) // _HOP + 1)
    window = np.hanning(_WINDOW)
    edges = np.geomspace(2, _WINDOW // 2, _BANDS + 1).astype(int)
    edges = np.unique(edges)
    levels = np.empty((count, len(edges) - 1))
    for first in range(0, count, 512):
        rows = range(first, min(first + 512, count))
        frames = np.stack([padded[row * _HOP : row * _HOP + _WINDOW] for row in rows])
        power = np.abs(np.fft.rfft(frames * window)) ** 2
        levels[first : first + len(rows)] = np.log1p(
            100.0 * np.add.reduceat(power, edges[:-1], axis=1)
        )
    rise: Signal = np.maximum(np.diff(levels, axis=0, prepend=levels[:1]), 0.0).sum(axis=1)
    if len(rise) < _SHORTEST * RATE:
        return rise
    rise -= np.convolve(rise, np.ones(90) / 90.0, "same")
    rise = np.maximum(rise, 0.0)
    spread = float(rise.std())
    onsets: Signal = rise / spread if spread > 0.0 else rise
    return onsets


def tempo_of(onsets: Signal) -> float:
    """Return the beats per minute. Raises ``NoBeat``."""
    if len(onsets) < _SHORTEST * RATE or not onsets.any():
        raise NoBeat("no beat is heard in it: say the bpm")
    size = 1 << (2 * len(onsets) - 1).bit_length()
    spectrum = np.abs(np.fft.rfft(onsets - onsets.mean(), size)) ** 2
    correlation = np.fft.irfft(spectrum)[: len(onsets)]
    lags = np.arange(1, len(correlation))
    bpm = 60.0 * RATE / lags
    usable = (bpm >= _SLOWEST) & (bpm <= _FASTEST)
    likely = np.exp(-0.5 * (np.log2(bpm / _LIKELY) / _SPREAD) ** 2)
    scores = np.where(usable, correlation[1:] * likely, -np.inf)
    best = int(np.argmax(scores)) + 1
    if correlation[best] < _CLEAREST_NOISE * correlation[0]:
        raise NoBeat("no beat is heard in it: say the bpm")
    return 60.0 * RATE / _refined(correlation, best)


def beats_of(samples: Samples, bpm: float = 0.0) -> tuple[float, list[float]]:
    """Return the beats per minute, found unless given, and the times of the beats, s.

    Raises ``NoBeat``.
    """
    onsets = onset_strength(samples)
    period = 60.0 * RATE / (bpm or tempo_of(onsets))
    frames = _tracked(onsets, period)
    if len(frames) > 2 and not bpm:
        # The beats themselves tell it more exactly than one lag does.
        steps = np.polyfit(np.arange(len(frames)), frames, 1)[0]
        bpm = float(60.0 * RATE / steps)
    return bpm or 60.0 * RATE / period, [frame / RATE for frame in frames]


def _refined(correlation: Signal, lag: int) -> float:
    """Return the lag of a multiple's peak, which is as much more exact."""
    exact = float(lag)
    for multiple in (2, 4, 8):
        center = round(exact * multiple)
        if center + 3 >= len(correlation):
            break
        near = correlation[center - 2 : center + 3]
        exact = (center - 2 + int(np.argmax(near))) / multiple
    return exact


def _tracked(onsets: Signal, period: float) -> list[int]:
    """Return the beats that are strong and even together."""
    if len(onsets) < _SHORTEST * RATE:
        return [0] if len(onsets) else []
    kernel = np.exp(-0.5 * (np.arange(-_SMOOTHING, _SMOOTHING + 1) * 32.0 / period) ** 2)
    local = np.convolve(onsets, kernel, "same")
    gaps = np.arange(round(period / 2), round(2 * period) + 1)
    cost = -_TIGHTNESS * np.log(gaps / period) ** 2
    score, before = local.copy(), np.full(len(local), -1)
    for frame in range(len(local)):
        sources = frame - gaps
        reached = sources[sources >= 0]
        if not len(reached):
            continue
        totals = score[reached] + cost[: len(reached)]
        best = int(np.argmax(totals))
        if totals[best] > 0.0:
            score[frame] += totals[best]
            before[frame] = reached[best]
    tail = max(0, len(score) - round(period))
    frame = tail + int(np.argmax(score[tail:]))
    beats = []
    while frame >= 0:
        beats.append(frame)
        frame = int(before[frame])
    return beats[::-1]
