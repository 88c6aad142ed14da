"""Figures of images: brightness, noise, sharpness, how far one is shifted against another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .analysis import Floats

Gray = npt.NDArray[np.uint8]

_DARK, _BRIGHT = 40, 215
"""Gray levels between which a pixel is neither clipped nor black."""
_MAD = 1.4826
"""Standard deviation of a normal distribution for its median absolute deviation."""
_MOST_SHIFT = 48
_ROWS = slice(8, 104)
"""Rows whose columns are averaged: what is far away, above the floor and the lift (spec 19)."""
_EDGE = 4
_MIDDLE = slice(60, 252)
"""Columns that are looked for in the next image: towards the sides a turn shifts by more."""
_LEAST_MATCH = 0.6
_OFFSETS = np.arange(-0.25, 0.151, 0.005)
_FEWEST_PAIRS = 6


def noise(a: Gray, b: Gray) -> float:
    """Return the noise of two images of the same scene, gray levels; NaN without mid tones."""
    is_used = (a > _DARK) & (a < _BRIGHT) & (b > _DARK) & (b < _BRIGHT)
    difference = a[is_used].astype(float) - b[is_used]
    if difference.size < 1000:
        return math.nan
    spread = float(np.median(np.abs(difference - np.median(difference))))
    # Of whole gray levels; without noise none.
    return _MAD * spread / math.sqrt(2) if spread else float(difference.std()) / math.sqrt(2)


def sharpness(image: Gray) -> float:
    """Return the standard deviation of the Laplacian, gray levels."""
    one = image.astype(float)
    laplacian = (
        one[:-2, 1:-1] + one[2:, 1:-1] + one[1:-1, :-2] + one[1:-1, 2:] - 4 * one[1:-1, 1:-1]
    )
    return float(laplacian.std())


def clipped_share(image: Gray) -> float:
    return float((image >= 250).mean())


def colorfulness(image: Gray) -> float:
    """Return by how much red, green and blue differ on average, gray levels."""
    red, green, blue = (image[..., channel].astype(float) for channel in range(3))
    return float((np.abs(red - green) + np.abs(green - blue)).mean() / 2)


def shift(a: Gray, b: Gray) -> float | None:
    """Return how far right the scene is in ``b`` of where it is in ``a``, pixels.

    None where the columns do not tell, or differ too much.
    """
    one, other = _profile(a)[_MIDDLE], _profile(b)
    x = one - one.mean()
    scores = np.full(2 * _MOST_SHIFT + 1, -1.0)
    for number in range(len(scores)):
        begin = _MIDDLE.start - _MOST_SHIFT + number
        y = other[begin : begin + len(x)] - other[begin : begin + len(x)].mean()
        size = float(np.sqrt((x @ x) * (y @ y)))
        scores[number] = float(x @ y) / size if size else -1.0
    best = int(np.argmax(scores))
    if scores[best] < _LEAST_MATCH or best in (0, len(scores) - 1):
        return None
    before, here, after = scores[best - 1 : best + 2]
    curved = before - 2 * here + after
    return best - _MOST_SHIFT + (float((before - after) / (2 * curved)) if curved else 0.0)


def _profile(image: Gray) -> Floats:
    """Return the derivative of the columns' means: light that changes has no part in it."""
    means = image[_ROWS, _EDGE:-_EDGE].astype(float).mean(axis=0)
    smooth = np.convolve(means, np.ones(3) / 3, "valid")
    return np.diff(smooth)


@dataclass(frozen=True, slots=True)
class ImageTiming:
    """How images fit to headings: they show what was ``offset`` s after their stamps."""

    offset: float
    scale: float
    """Shift that was seen for a pixel that was expected; near things move more."""
    residual: float
    """Standard deviation, pixels."""


def timing_of(
    shifts: Sequence[tuple[float, float, float]],
    times: Sequence[float],
    yaws: Sequence[float],
    focal_length: float,
) -> ImageTiming | None:
    """Return the timing of images by their shifts: (stamp, stamp of the next, pixels).

    ``yaws`` are unwrapped, at ``times``. A turn to the left moves the scene to the right. None
    of too few images.
    """
    if len(shifts) < _FEWEST_PAIRS:
        return None
    first, second, seen = np.array(shifts).T
    best: ImageTiming | None = None
    for offset in _OFFSETS:
        turns = np.interp(second + offset, times, yaws) - np.interp(first + offset, times, yaws)
        expected = focal_length * turns
        energy = float(expected @ expected)
        if energy < 1.0:
            continue
        scale = float(expected @ seen) / energy
        residual = float(np.std(seen - scale * expected))
        if best is None or residual < best.residual:
            best = ImageTiming(float(offset), scale, residual)
    return best
