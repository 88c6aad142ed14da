"""Edges of the floor from strip to strip: what hangs together, and straight edges followed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import cv2
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_STEP, _CHAIN = 5, 4
"""Rows between the edges of two strips that hang together, and least strips that do."""
_SURE = 1.5
"""Factor of the least response from which on a narrower edge is no noise."""
_STRAIGHT, _LEAST = 1.5, 5
"""Rows by which a straight edge may bend, and least strips of it."""
_RUN, _EVIDENCE = 5, 4.4
"""Strips side by side whose median response shows a straight edge to go on: in median responses of
the noise, divided by the root of their number."""
_PAUSE = 1
"""Strips without a sign of it after which it ends, unless it goes on within the robot's width."""
_ON, _APART = 2.0, 7.0
"""Rows within which an edge lies on a line, and beyond which it is another one, higher up."""
_GAP, _BEYOND = 3, 3.0
"""Strips of a gap in a line, and rows within which an edge beyond it lies on the line."""
_MOST = 30.0
"""Levels at the foot of what may be as light as the floor elsewhere."""


def is_certain(rows: Floats, strength: npt.NDArray[np.float32]) -> npt.NDArray[np.bool_]:
    """Return which strips have an edge that continues in others or is strong enough alone."""
    found = np.isfinite(rows)
    around = np.where(found, rows, 0.0).astype(int) + np.arange(-2, 3)[:, None]
    around = np.clip(around, 0, len(strength) - 1)
    is_strong = strength[around, np.arange(len(rows))].max(axis=0) > _SURE
    chain = _chains(rows)
    has_strong = np.bincount(chain, weights=is_strong & found)[chain] > 0
    return np.asarray(found & ((np.bincount(chain)[chain] >= _CHAIN) | has_strong))


def _chains(rows: Floats) -> npt.NDArray[np.intp]:
    with np.errstate(invalid="ignore"):
        breaks = ~(np.abs(np.diff(rows)) <= _STEP)
    return np.concatenate(([0], np.cumsum(breaks)))


def ranked(values: npt.NDArray[np.floating], share: float) -> float:
    """Return the value that is exceeded by all but a share, in less time than ``np.quantile``."""
    at = int(share * len(values))
    return float(np.partition(values, at)[at])


@dataclass(frozen=True, slots=True, eq=False)
class Floor:
    """What is seen of a floor without a pattern."""

    steps: npt.NDArray[np.float32]
    """Gray levels by which it is lighter or darker above."""
    response: npt.NDArray[np.float32]
    """The same, saturated: a strong edge of another slope is no faint one."""
    is_open: npt.NDArray[np.bool_]
    noise: float
    """Median response of the noise."""
    robot: Floats
    """Its width in strips, for each row."""
    horizon: float
    """Its row."""

    @property
    def least(self) -> float:
        """Response of strips side by side that shows a line."""
        return _EVIDENCE * self.noise / _RUN**0.5


def continued(rows: Floats, floor: Floor) -> Floats:
    """Return edges with straight ones followed to where they are too faint to be seen in a strip.

    So a wall's foot ends the floor, too, where the wall is nearly as light as the floor.
    """
    lines: list[_Line] = []
    found, chain = rows.copy(), _chains(rows)
    for number in np.flatnonzero(np.bincount(chain) >= _LEAST):
        strips = np.flatnonzero(chain == number)
        points = np.column_stack((strips, rows[strips])).astype(np.float32)
        corners = cv2.approxPolyDP(points[:, None], _STRAIGHT, False)[:, 0, 0].astype(int)
        for first, last in pairwise(corners.tolist()):
            if last - first + 1 >= _LEAST:
                lines.append(_line(rows, first, last, floor))
    for line in lines:
        _continue(found, line, floor, by_tops=False)
    # What is seen of the lines themselves says more than what is seen above them.
    for line in lines:
        if line.contrast < _MOST:
            _continue(found, line, floor, by_tops=True)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Line:
    """Through a straight piece, for each strip; lists where Python reads them one by one."""

    first: int
    last: int
    """Strips of the piece."""
    rows: Floats
    is_in: list[bool]
    """Whether it is in the picture and in sight."""
    is_seen: npt.NDArray[np.bool_]
    """Though perhaps faint."""
    robot: list[float]
    """The robot's width there, in strips."""
    contrast: float
    """Gray levels, of the piece."""


def _line(rows: Floats, first: int, last: int, floor: Floor) -> _Line:
    height, count = floor.response.shape
    piece, strips = rows[first : last + 1], np.arange(count)
    off_middle = np.arange(len(piece)) - (len(piece) - 1) / 2
    slope = (off_middle @ piece) / (off_middle @ off_middle)
    line = piece.mean() + slope * (strips - (first + last) / 2)
    at = np.maximum(np.minimum(np.rint(line), height - 1), 0).astype(int)
    is_in = (at > 1) & (at < height - 2) & floor.is_open[at, strips]
    # Of one row, repeated at its sides, this is the median of strips side by side.
    middles = cv2.medianBlur((floor.response[at, strips] * is_in)[None], _RUN)[0]
    is_seen = np.abs(middles) > floor.least
    contrast = float(np.median(np.abs(floor.steps[at, strips][first : last + 1])))
    return _Line(first, last, line, is_in.tolist(), is_seen, floor.robot[at].tolist(), contrast)


def _continue(found: Floats, line: _Line, floor: Floor, by_tops: bool) -> None:
    """Write a line into ``found`` beyond its piece."""
    off = np.where(np.isfinite(found), found - line.rows, np.inf)
    offs, is_seen = off.tolist(), (line.is_seen & (off > _APART)).tolist()
    for start, step in ((line.last, 1), (line.first, -1)):
        top = partial(_top, floor, line.rows, off, step) if by_tops else None
        end = _followed(start, step, offs, line, is_seen, top)
        added = np.arange(start, end, step) + step
        added = added[off[added] > _APART]
        found[added] = line.rows[added]


def _top(floor: Floor, line: Floats, off: Floats, step: int, strip: int) -> list[float] | None:
    """Return by how many rows something low, whose top is a strip's edge, stands above a line.

    That is for each strip; None unless its top is seen from there on and above the line before.
    """
    height, count = floor.response.shape
    before, beyond = strip - step * np.arange(1, _RUN + 1), strip + step * np.arange(_RUN)
    if min(before[-1], beyond[-1]) < 0 or max(before[-1], beyond[-1]) >= count:
        return None
    high = off[strip] * (floor.horizon - line) / (floor.horizon - line[strip])
    if (np.abs(off[beyond] - high[beyond]) > _BEYOND).any():
        return None
    top = np.clip(np.rint(line + high), 0, height - 1).astype(int)
    earlier, later = (np.median(floor.response[top[at], at]) for at in (before, beyond))
    return high.tolist() if abs(earlier) > floor.least and earlier * later > 0.0 else None


def _followed(
    start: int,
    step: int,
    offs: list[float],
    line: _Line,
    has_evidence: list[bool],
    top: Callable[[int], list[float] | None] | None,
) -> int:
    """Return the last strip of a line that goes on from ``start``.

    ``offs``: rows by which other edges are above it. Where it is not seen it goes on if a low thing
    is, as high in rows as the robot is wide in strips: the upper edge of a skirting board.
    """
    end, strip, on_line, low = start, start + step, 0, 0
    robot = line.robot
    high: list[float] | None = None
    while 0 <= strip < len(offs) and line.is_in[strip] and abs(strip - end) <= robot[strip]:
        is_next = abs(strip - end) <= _PAUSE
        gap = abs(strip - end) - 1 - on_line
        is_gap = gap >= _GAP
        near = _BEYOND if is_gap else _ON
        if offs[strip] < -near:
            # Something nearer hides the line.
            break
        on_line = on_line + 1 if offs[strip] <= near else 0
        low += offs[strip] <= robot[strip]
        is_seen = on_line >= 2 and (not is_gap or low - on_line >= gap / 2)
        if top and is_next and high is None and _APART < offs[strip] <= robot[strip]:
            high = top(strip)
        if high and abs(offs[strip] - high[strip]) > _BEYOND:
            high = None
        if is_seen or high or (is_next and (on_line or has_evidence[strip])):
            end, low = strip, 0
        strip += step
    return end
