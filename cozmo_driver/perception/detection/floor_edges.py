"""Where the look of the floor ends in strips of an image, judged by the image's own noise.

Arrays are (rows, strips), and rows count upwards from the lowest in sight. A step is how much
lighter or darker, in gray levels, the image is above a place than below it.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Rows = npt.NDArray[np.intp]
Bools = npt.NDArray[np.bool_]

STRIP = 4
"""Columns of an image for each strip."""
_ROBOT = 0.056
"""m, its width."""
_CERTAIN = 5.0
"""Standard deviations of the noise that a step has at least: of 100 rows one in 20,000 would have
it by chance, if noise were normal."""
_LEAST = 2.5
"""Gray levels that a step has at least: the robot's JPEG rounds the mean of a block to 2."""
_GRAIN = 0.04
"""Share of the floor's light that a step has at least: the grain of a floor that looks plain."""
_FAINTEST = 0.12
"""Share of the floor's light: where so faint a step is lost in the noise nothing counts as clear.
White plastic before a white wall differs by 15 % (spec 19)."""
_CLIPPED = (6.0, 246.0)
"""Gray levels beyond which nothing can be told from anything else."""
_DRIFT = 0.4
"""Share by which the floor's light may change up to a place, as much as a gradient of 40 % over the
image; a shadow, or bands of flickering light, make more."""
_NEARER = 0.6
"""Share of the rows by which the noise is judged: farther up more than the floor is in sight."""
_THIRD = 0.43
"""Standard deviations within which a third of a normal distribution lies."""
_STRONGEST_OF_SLOPES = 2.0
"""By how much the noise of the strongest of several slopes is larger than that of one."""
_SLOPES = (-4, -2, 0, 2, 4)
"""Rows per strip in which edges lie."""
_REACH = 2
"""Strips to either side that a step goes on in."""
_ONE_ALONE = 5.0
"""Standard deviations that one strip adds at most: a strong edge of another slope is no faint
one."""
_SEED = 10
"""Rows from which the floor's tone is taken."""
_AROUND = 10
"""Strips to either side of which the floor's tone is the median: what is narrower is a mark."""
_SEAM = 0.08
"""Share of light by which the floor differs from strip to strip where something begins nearer than
the image; vignette and gradients are left out of it."""
_MARK, _ALIKE, _AGAIN = 0.020, 0.08, 12
"""m of floor that a mark on it hides at most, share by which its tone differs beyond, and rows of
that: what hides no more is lower than 5 mm."""
_BEFORE, _ROWS_BEFORE = 0.025, 10
"""m, or rows, that a soft shadow and the filters reach before an edge (a cube's: 18 mm)."""
_SKIRTING = 0.12
"""Share by which it is darker, farther before an edge than a shadow reaches, where the edge is the
upper one of a skirting board: as much as may be lost in the noise."""
_FILTER = 6
_THING = 6
_WALL = 24
"""Strips, 0.3 of the image, in which the floor never ends where a wall fills all of it: what is
seen beside them is on the wall, too. In fewer a far wall may be as light as the floor."""
_CHAIN, _JUMP = 8, 6
"""Strips of an edge at least, 27 mm at 0.25 m, and rows between two of them. Of shorter ones came
three quarters of what was clear too far in the emulator's worlds, and 1 in 70 of what was found."""
_SLOPE = 4
"""Strips by which the slope of an edge is measured."""
_FARTHER = 0.02
"""m by which what is seen beside an edge may be farther away than that goes on."""
_BROAD = np.array([-0.125] * 8 + [0.0] + [0.125] * 8, np.float32)
_SHARP = np.array([-0.3086, -0.6914, 0.0, 0.6914, 0.3086], np.float32)
_ALONG = np.full(3, 1 / 3, np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Strips:
    """An image from the lowest row in sight up to above the horizon, where that is in it."""

    gray: Floats
    ahead: npt.NDArray[np.float64]
    """m ahead at which each row sees the floor, for the rows that are judged."""
    start: Rows
    end: Rows
    """First and last row of each strip in sight."""
    is_known: Bools
    """Strips in sight from near."""
    sees_horizon: bool
    across: float
    """Strips per m at a distance of 1 m."""


@dataclass(frozen=True, slots=True, eq=False)
class StripEdges:
    """For each strip; where there is neither an edge nor clear floor nothing is known."""

    rows: npt.NDArray[np.float64]
    """Of the edge; NaN where there is none."""
    is_clear: Bools
    """Where the floor goes on as far as is judged."""


def strip_edges(strips: Strips) -> StripEdges:
    """Return where floors end."""
    gray, start = strips.gray, strips.start
    (count, width), limit = gray.shape, len(strips.ahead)
    at = np.arange(count)[:, None]
    part = ((at >= start) & (at <= strips.end) & strips.is_known)[: round(_NEARER * limit)]
    sharp = _filtered(gray, _SHARP, _ALONG)
    tones = cv2.blur(gray, (3, 3), borderType=cv2.BORDER_REPLICATE)
    lowest = np.minimum(start, count - _SEED) + np.arange(_SEED)[:, None]
    seeds = np.partition(tones[lowest, np.arange(width)], _SEED // 2, axis=0)[_SEED // 2]
    # What is seen from farther up only, beside the lift, may be in another light.
    is_near = strips.is_known & (start < np.min(start[strips.is_known], initial=count) + _SEED)
    floor, has_seam = _floor(_filled(seeds, is_near))
    grain = max(_GRAIN * float(np.median(floor)), _LEAST)
    steps, least = _steps(gray, part, grain)
    least_sharp = _least(sharp[: len(part)], part, grain)
    is_odd = (np.abs(steps) > least) | (np.abs(sharp) > least_sharp)
    is_odd |= np.abs(tones - floor) > _DRIFT * floor
    is_odd |= (tones < _CLIPPED[0]) | (tones > _CLIPPED[1])
    is_odd[at < start] = False
    first = np.where(is_odd.any(axis=0), is_odd.argmax(axis=0), count)
    rows, chain = _edges(np.abs(sharp), least_sharp, first, strips.ahead)
    wide = round(_ROBOT / 2 * strips.across / strips.ahead[0])
    is_floor = strips.is_known & ~_widened(has_seam & strips.is_known, wide)
    is_mark = _is_mark(tones, floor, first, strips.ahead)
    rows[is_mark | (rows > strips.end)] = np.nan
    rows[_is_above_skirting(rows, sharp, tones, floor, strips)] = np.nan
    is_hidden = _hidden(rows, chain, first, is_mark, strips)
    is_floor &= ~is_hidden
    # Where the floor never ends, a wall fills the image.
    ends = (first < count) | (not strips.sees_horizon)
    is_floor &= not _runs(strips.is_known & ~ends, _WALL).any()
    is_visible = least < _FAINTEST * floor
    is_clear = is_floor & (first >= limit) & (strips.end >= limit - 1) & ends & is_visible
    return StripEdges(np.where(is_floor, rows, np.nan), is_clear)


def _filtered(gray: Floats, up: Floats, along: Floats | None = None) -> Floats:
    along = np.ones(1, np.float32) if along is None else along
    found = cv2.sepFilter2D(gray, cv2.CV_32F, along, up, borderType=cv2.BORDER_REFLECT_101)
    return np.asarray(found, np.float32)


def _steps(gray: Floats, part: Bools, grain: float) -> tuple[Floats, float]:
    """Return faint steps that go on in several strips, and what they have at least."""
    broad = _filtered(gray, _BROAD)
    if part[::4].any():
        # Of a gradient over all of it.
        broad -= np.median(broad[: len(part) : 4][part[::4]])
    most = max(_ONE_ALONE * _noise(broad[: len(part)], part), 2.0 * grain)
    steps = _along_slopes(np.clip(broad, -most, most))
    return steps, _least(steps[: len(part)] / _STRONGEST_OF_SLOPES, part, grain)


def _along_slopes(response: Floats) -> Floats:
    """Return the mean over strips to either side, along the slope in which it is strongest."""
    (height, width), room = response.shape, _REACH * max(_SLOPES)
    padded = cv2.copyMakeBorder(response, room, room, _REACH, _REACH, cv2.BORDER_REPLICATE)
    most, least, total = (np.zeros_like(response) for _ in range(3))
    for slope in _SLOPES:
        np.copyto(total, response)
        for step in (*range(-_REACH, 0), *range(1, _REACH + 1)):
            low, left = room + slope * step, _REACH + step
            total += padded[low : low + height, left : left + width]
        np.maximum(most, total, out=most)
        np.minimum(least, total, out=least)
    strongest = np.where(most > -least, most, least)
    return np.asarray(strongest / (2 * _REACH + 1), np.float32)


def _noise(response: Floats, part: Bools) -> float:
    """Return the standard deviation of what is not an edge: by the weakest third, normal or not.

    Of every third row, which suffices. Texture of the floor is noise, too.
    """
    found = np.abs(response[::3][part[::3]])
    third = len(found) // 3
    return float(np.partition(found, third)[third]) / _THIRD if len(found) else 1e3


def _least(response: Floats, part: Bools, grain: float) -> float:
    return max(_CERTAIN * _noise(response, part), grain)


def _floor(seeds: Floats) -> tuple[Floats, Bools]:
    """Return the tone of the floor before each strip, and where it differs from one to another."""
    size = 2 * _AROUND + 1
    room = size + _AROUND
    # On from the image's sides as it rises there.
    left, right = 2.0 * seeds[0] - seeds[room:0:-1], 2.0 * seeds[-1] - seeds[-2 : -room - 2 : -1]
    padded = np.concatenate((left, seeds, right))
    windows = np.lib.stride_tricks.sliding_window_view(padded, size)
    medians = np.partition(windows, _AROUND, axis=1)[:, _AROUND]
    # Medians to the left and right of a place, less what they differ by farther on either side.
    width = len(seeds)
    at = np.arange(width) + size
    jump = 2.0 * (medians[at + _AROUND] - medians[at - _AROUND])
    jump -= medians[at + size] - medians[at] + medians[at] - medians[at - size]
    floor = medians[at]
    return floor, np.abs(jump) > 2.0 * _SEAM * floor


def _filled(values: Floats, is_known: Bools) -> Floats:
    """Return values with those of the nearest that are known instead of others."""
    known, at = np.flatnonzero(is_known), np.arange(len(values))
    return np.asarray(np.interp(at, known, values[known]) if len(known) else values, np.float32)


def _widened(where: Bools, strips: int) -> Bools:
    kernel = np.ones((1, 2 * strips + 1), np.uint8)
    return np.asarray(cv2.dilate(where.astype(np.uint8)[None], kernel)[0] > 0)


def _edges(
    sharp: Floats, least: float, first: Rows, ahead: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], Rows]:
    """Return the row of each strip's edge, NaN for none, and numbers of what hangs together."""
    limit, strips = len(ahead), np.arange(len(first))
    low = np.minimum(first, limit - 1)
    count = int(np.max(np.searchsorted(ahead, ahead[low] + _BEFORE) - low, initial=_ROWS_BEFORE))
    rows = np.minimum(low + np.arange(-1, count + 2)[:, None], limit - 1)
    values = sharp[rows, strips]
    is_sharp = values > least
    peak = is_sharp.argmax(axis=0)
    for _ in range(_JUMP):
        next_one = np.minimum(peak + 1, len(rows) - 1)
        peak = np.where(values[next_one, strips] > values[peak, strips], next_one, peak)
    row = rows[peak, strips]
    is_edge = is_sharp.any(axis=0) & (first < limit) & (row < limit - 1)
    is_edge &= (row - low <= _ROWS_BEFORE) | (ahead[row] - ahead[low] < _BEFORE)
    found = np.where(is_edge, row, np.nan)
    with np.errstate(invalid="ignore"):
        breaks = ~(np.abs(np.diff(found)) <= _JUMP)
    chain = np.concatenate(([0], np.cumsum(breaks)))
    return np.where(np.bincount(chain)[chain] >= _CHAIN, found, np.nan), chain


def _is_mark(tones: Floats, floor: Floats, first: Rows, ahead: npt.NDArray[np.float64]) -> Bools:
    """Return which strips show but a mark: soon after it the floor has its tone again."""
    limit, strips = len(ahead), np.arange(len(first))
    before = np.where(first > _ROWS_BEFORE, tones[np.maximum(first - 2, 0), strips], floor)
    is_alike = (np.abs(tones[:limit] - before) < _ALIKE * before).astype(np.uint8)
    run = cv2.erode(is_alike, np.ones((_AGAIN, 1), np.uint8), anchor=(0, 0)) > 0
    run &= np.arange(limit)[:, None] > first + _FILTER
    back = np.where(run.any(axis=0), run.argmax(axis=0), limit - 1)
    low = np.minimum(first + _FILTER, limit - 1)
    return np.asarray(run.any(axis=0) & (ahead[back] - ahead[low] < _MARK))


def _is_above_skirting(
    rows: npt.NDArray[np.float64], sharp: Floats, tones: Floats, floor: Floats, strips: Strips
) -> Bools:
    """Return which edges are between something that is dark for long and something lighter."""
    row, places = np.nan_to_num(rows).astype(int), np.arange(len(rows))
    before = np.searchsorted(strips.ahead, strips.ahead[row] - _BEFORE)
    is_dark = tones[before, places] < (1.0 - _SKIRTING) * floor
    is_dark &= before > strips.start
    return np.asarray(is_dark & (sharp[row, places] > 0.0))


def _hidden(
    rows: npt.NDArray[np.float64], chain: Rows, first: Rows, is_mark: Bools, strips: Strips
) -> Bools:
    """Return where something goes on within the robot's width, perhaps unseen.

    So a wall's foot that is in part as light as the floor ends it there, too.
    """
    limit, places = len(strips.ahead), np.arange(len(rows))
    begins, is_edge = np.minimum(first, limit), np.isfinite(rows)
    reached = np.where(is_edge, rows, begins)
    is_something = strips.is_known & _runs((first < limit) & ~is_mark, _THING)
    slope = np.zeros(len(rows))
    slope[_SLOPE:-_SLOPE] = _slopes(rows, chain)
    wide = _ROBOT * strips.across / strips.ahead[np.minimum(reached, limit - 1).astype(int)]
    apart = places[:, None] - places
    goes_on = (np.abs(apart) <= wide) & (chain[:, None] != chain) & is_something
    there = reached + slope * apart
    before_edges, before_begins = (
        np.searchsorted(strips.ahead, strips.ahead[np.minimum(one, limit - 1)] - _FARTHER)
        for one in (reached.astype(int), begins)
    )
    # What has no edge, as a shadow, is compared with where something begins.
    is_before = there < np.where(is_edge, before_edges[:, None], before_begins[:, None])
    return np.asarray((goes_on & is_before).any(axis=1))


def _runs(where: Bools, least: int) -> Bools:
    """Return which are enough side by side to be something."""
    number = np.concatenate(([0], np.cumsum(where[1:] != where[:-1])))
    return np.asarray(where & (np.bincount(number)[number] >= least))


def _slopes(rows: npt.NDArray[np.float64], chain: Rows) -> npt.NDArray[np.float64]:
    """Return by how many rows per strip edges rise, of all but the outermost strips."""
    best = np.zeros(len(rows) - 2 * _SLOPE)
    for low, high in ((-_SLOPE, 0), (0, _SLOPE), (-_SLOPE // 2, _SLOPE // 2)):
        a, b = (slice(_SLOPE + one, len(rows) - _SLOPE + one) for one in (low, high))
        rise = (rows[b] - rows[a]) / (high - low)
        best = np.where((chain[a] == chain[b]) & np.isfinite(rise), rise, best)
    return best
