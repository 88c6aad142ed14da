"""The first edge of the floor from below, in strips of a picture (spec 15 §7).

Arrays are (rows, strips), and rows count upwards. A response is how much lighter or darker, in gray
levels, the picture is above a place than below it.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from .floor_lines import Floor, continued, is_certain, ranked
from .floor_shadows import in_shadow

Gray = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]
Bools = npt.NDArray[np.bool_]

STRIP = 4
"""Columns of a picture for each strip."""
MARGIN = 4
"""Rows above and below that the filters see."""
_STEP = np.array([-0.3086, -0.6914, 0.0, 0.6914, 0.3086], np.float32)
_BROAD_STEP = np.array([-0.25] * 4 + [0.0] + [0.25] * 4, np.float32)
_SLOPES = (-4, -2, 0, 2, 4)
"""Rows per strip in which edges lie."""
_REACH, _LONG_REACH = 1, 2
"""Strips to either side whose mean response places an edge, and shows a faint one."""
_SATURATION = 10.0
"""Levels that one strip adds at most to a faint edge: a strong edge of another slope is none."""
_OF_ONE, _OF_MOST = 1.55, 1.2
"""Median response of the noise in terms of the one that a third has less than: of one strip, and of
the strongest of several slopes."""
_CERTAIN, _FAINT = (6.0, 7.4), (6.0, 3.2)
"""Least response of one strip and of several, in levels and in median responses of the noise."""
_NEAR = 0.14
"""m ahead up to which the floor's tones are learnt, unless an edge ends it sooner."""
_FEW, _ROUGH = 8, 4.2
"""Rows of a strip that are too few to judge it, and standard deviation of a strip's floor in levels
from which on, in half of the strips, it has a pattern; the camera's noise makes 3.3 of it."""
_TONE, _SHARE = 4, 0.04
"""Levels by which a tone of a pattern may differ, and the floor's least share that has it."""
_PATTERN = 40.0
"""Least response that ends a floor with a pattern."""
_LOW, _SAME = 0.010, 0.25
"""m: what is lower than that, with the floor's tones above it in this share of rows, is pattern."""
_OWN, _BACK = 7.0, 0.05
"""An edge is a line on the floor if the strip's tone comes again above: within so many levels, in
this share of rows."""
_UNSURE = 1.5
"""Factor of the least response on plain floors from which on a pattern may hide an edge."""
_ROBOT = 0.056
"""m, its width."""
_PEAK = 10
"""Rows above the first strong one within which the strongest one is the edge."""
_SHADOW, _SHADOW_ROWS = 0.010, 24
"""m, and rows at most, that the soft shadow before a thing reaches."""
_FADED, _SHARP = 0.6, 2
"""A shadow goes on while the response has this share of the strongest; without one for two rows."""
_FOOT = (0.45, 3.7)
"""Of a light thing behind its shadow: in strongest responses and in those of the noise."""


@dataclass(frozen=True, slots=True, eq=False)
class Strips:
    """A picture of the floor ahead."""

    gray: Gray
    """With ``MARGIN`` rows more below and above."""
    ahead: npt.NDArray[np.float64]
    """m ahead at which each row sees the floor, without the margins."""
    is_open: Bools
    """Where nothing of the robot itself hides the floor."""
    focal_length: float
    horizon: float
    """Its row."""


@dataclass(frozen=True, slots=True, eq=False)
class StripEdges:
    """For each strip."""

    rows: npt.NDArray[np.float64]
    """Of the edge; NaN where there is none."""
    is_unclear: Bools
    """Where there may be one."""
    ends: npt.NDArray[np.intp]
    """Rows up to which floor without an edge is clear."""


def strip_edges(strips: Strips) -> StripEdges:
    """Return the first edges of a floor."""
    tones = np.asarray(cv2.blur(strips.gray, (1, 3))[MARGIN:-MARGIN], np.uint8)
    is_open = strips.is_open
    fine, broad = (_filtered(strips.gray, kernel) * is_open for kernel in (_STEP, _BROAD_STEP))
    faint = np.maximum(np.minimum(broad, _SATURATION), -_SATURATION)
    placed, integrated = _along_slopes(fine, _REACH), _along_slopes(faint, _LONG_REACH)
    noise, faint_noise = (_noise(one, is_open, _OF_ONE) for one in (fine, faint))
    placed_noise, integrated_noise = (
        _noise(one, is_open, _OF_MOST) for one in (placed, integrated)
    )
    strength = np.maximum(
        np.abs(fine) / _least(noise, *_CERTAIN),
        np.abs(integrated) / _least(integrated_noise, *_FAINT),
    )
    strength[~is_open] = 0.0
    ends = np.full(tones.shape[1], len(tones) - 1)
    usual = _usual_tones(tones, strips, strength > 1.0)
    if usual is not None:
        hides = strength > _UNSURE
        ends = np.where(hides.any(axis=0), hides.argmax(axis=0), ends)
        strength = np.abs(placed) / _PATTERN
        strength[~is_open | _is_pattern(usual[tones], strips)] = 0.0
    weight = np.abs(placed) / placed_noise + np.abs(integrated) / integrated_noise
    weight[~is_open] = 0.0
    rows = _placed_rows(strength, weight, placed, placed_noise, strips.ahead)
    certain = is_certain(rows, strength)
    is_unclear = np.isfinite(rows) & ~certain
    rows[~certain] = np.nan
    if usual is None:
        robot = _ROBOT * strips.focal_length / strips.ahead / STRIP
        rows = continued(rows, Floor(broad, faint, is_open, faint_noise, robot, strips.horizon))
        is_shadow = in_shadow(rows, tones, strips.ahead, strips.focal_length, STRIP)
        rows[is_shadow] = np.nan
        is_unclear = (is_unclear & np.isnan(rows)) | is_shadow
    return StripEdges(rows, is_unclear, ends)


def _filtered(gray: Gray, kernel: Floats) -> Floats:
    response = cv2.sepFilter2D(gray, cv2.CV_32F, np.ones(1, np.float32), kernel)
    return np.asarray(response[MARGIN:-MARGIN], np.float32)


def _along_slopes(response: Floats, reach: int) -> Floats:
    """Return the mean over strips to either side, along the slope in which it is strongest."""
    (height, width), room = response.shape, reach * max(_SLOPES)
    padded = cv2.copyMakeBorder(response, room, room, reach, reach, cv2.BORDER_REPLICATE)
    most, least, total = (np.zeros_like(response) for _ in range(3))
    for slope in _SLOPES:
        np.copyto(total, response)
        for step in (*range(-reach, 0), *range(1, reach + 1)):
            low, left = room + slope * step, reach + step
            total += padded[low : low + height, left : left + width]
        np.maximum(most, total, out=most)
        np.minimum(least, total, out=least)
    strongest = np.where(most > -least, most, least)
    return np.asarray(strongest / (2 * reach + 1), np.float32)


def _noise(response: Floats, is_open: Bools, factor: float) -> float:
    """Return the median response of the noise, by the weaker ones in the lower part.

    A third of all, of every other row and strip, so that things close by count little.
    """
    part = slice(0, round(0.6 * len(response)), 2), slice(None, None, 2)
    found = np.abs(response[part][is_open[part]])
    return max(factor * ranked(found, 1 / 3), 0.1) if len(found) else 1.0


def _least(noise: float, levels: float, factor: float) -> float:
    return max(levels, factor * noise)


def _usual_tones(tones: Gray, strips: Strips, is_strong: Bools) -> Bools | None:
    """Return for each gray level whether the floor has it; None for a floor without a pattern.

    What begins near is floor only where the tone below it comes again farther away, in its strip:
    a wall or cube near by has tones of its own.
    """
    count = len(tones)
    first = np.where(is_strong.any(axis=0), is_strong.argmax(axis=0), count)
    near = np.searchsorted(strips.ahead, _NEAR)
    at = np.arange(count)[:, None]
    is_floor = strips.is_open[:near] & (at[:near] < first - 1)
    below, seen = _count(is_floor), tones[:near]
    own = np.float32((seen * is_floor).sum(axis=0) / np.maximum(below, 1))
    is_above = strips.is_open & (at > first + 4)
    again = _count((np.abs(tones - own) < _OWN) & is_above)
    comes_back = (below > 0) & (again > _BACK * np.maximum(_count(is_above), 1))
    is_floor |= strips.is_open[:near] & comes_back
    long = _count(is_floor)
    is_long = long > _FEW
    if not is_long.any():
        return None
    values, long = (seen * is_floor)[:, is_long].astype(np.float32), long[is_long]
    mean = values.sum(axis=0) / long
    deviation = ranked(np.maximum((values**2).sum(axis=0) / long - mean**2, 0.0), 0.5) ** 0.5
    return _common(seen[is_floor]) if deviation > _ROUGH else None


def _count(where: Bools) -> npt.NDArray[np.uint16]:
    """Return how many rows of each strip, in a third of the time of a plain sum."""
    return np.add.reduce(where.view(np.uint8), axis=0, dtype=np.uint16)


def _common(tones: Gray) -> Bools:
    counts = np.bincount(tones, minlength=256)
    around = np.convolve(counts, np.ones(2 * _TONE + 1), "same")
    return np.asarray(around > _SHARE * len(tones))


def _is_pattern(is_usual: Bools, strips: Strips) -> Bools:
    """Return where what lies above has the floor's tones again lower than anything stands."""
    count = len(is_usual)
    sums = np.vstack((np.zeros(is_usual.shape[1], np.int32), is_usual.cumsum(axis=0)))
    height = np.clip(strips.focal_length * _LOW / strips.ahead, 4, 40).astype(int)
    low = np.minimum(np.arange(count) + 2, count - 1)
    high = np.minimum(low + height, count)
    return np.asarray(sums[high] - sums[low] > _SAME * (high - low)[:, None])


def _placed_rows(
    strength: Floats,
    weight: npt.NDArray[np.floating],
    placed: Floats,
    noise: float,
    ahead: npt.NDArray[np.float64],
) -> npt.NDArray[np.float64]:
    """Return the row of each strip's first edge; NaN for none.

    The soft shadow before a thing is none: the edge is where it ends.
    """
    count, width = strength.shape
    strips, is_strong = np.arange(width), strength > 1.0
    above = np.minimum(is_strong.argmax(axis=0) + np.arange(_PEAK + 1)[:, None], count - 1)
    peak = above[weight[above, strips].argmax(axis=0), strips]
    step = np.arange(_SHADOW_ROWS + 1)[:, None]
    length = np.searchsorted(ahead, ahead + _SHADOW) - np.arange(count)
    is_within = (step <= np.maximum(length, 3)[peak]) & (peak + step < count)
    strongest = placed[peak, strips]
    above = placed[np.minimum(peak + step, count - 1), strips] * np.sign(strongest)
    above[~is_within] = 0.0
    faded = (above < _FADED * np.abs(strongest)).argmax(axis=0)
    rows = peak + np.maximum(0, faded - _SHARP)
    foot = (-above).argmax(axis=0)
    lighter = -above[foot, strips]
    share, factor = _FOOT
    is_foot = (strongest < 0.0) & (lighter > share * -strongest) & (lighter > factor * noise)
    rows = np.where(is_foot, peak + foot, rows)
    return np.where(is_strong.any(axis=0), _refined(rows, np.abs(placed)), np.nan)


def _refined(rows: npt.NDArray[np.intp], response: Floats) -> npt.NDArray[np.float64]:
    """Return rows to a part of one where they are at a peak of the response."""
    inner = np.clip(rows, 1, len(response) - 2)
    before, at, after = response[inner + np.array([[-1], [0], [1]]), np.arange(len(rows))]
    is_peak = (inner == rows) & (at >= before) & (at > after)
    bend = np.where(is_peak, before - 2.0 * at + after, -1.0)
    return rows + np.where(is_peak, 0.5 * (before - after) / bend, 0.0)
