"""Edges of the floor from strip to strip: what hangs together, and straight edges followed."""

from __future__ import annotations

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


def continued(
    rows: Floats,
    response: npt.NDArray[np.float32],
    is_open: npt.NDArray[np.bool_],
    noise: float,
    robot: Floats,
) -> Floats:
    """Return edges with straight ones followed to where they are too faint to be seen in a strip.

    So a wall's foot ends the floor, too, where the wall is nearly as light as the floor. ``robot``:
    its width in strips, for each row, and how far lines go on unseen.
    """
    least = _EVIDENCE * noise / _RUN**0.5
    found, chain = rows.copy(), _chains(rows)
    for number in np.flatnonzero(np.bincount(chain) >= _LEAST):
        strips = np.flatnonzero(chain == number)
        points = np.column_stack((strips, rows[strips])).astype(np.float32)
        corners = cv2.approxPolyDP(points[:, None], _STRAIGHT, False)[:, 0, 0].astype(int)
        for first, last in pairwise(corners):
            if last - first + 1 >= _LEAST:
                _continue(found, rows[first : last + 1], first, response, is_open, least, robot)
    return found


def _continue(
    found: Floats,
    piece: Floats,
    first: int,
    response: npt.NDArray[np.float32],
    is_open: npt.NDArray[np.bool_],
    least: float,
    robot: Floats,
) -> None:
    """Write the line through a straight piece from strip ``first`` on into ``found``."""
    height, count = response.shape
    last = first + len(piece) - 1
    strips = np.arange(count)
    off_middle = np.arange(len(piece)) - (len(piece) - 1) / 2
    slope = (off_middle @ piece) / (off_middle @ off_middle)
    line = piece.mean() + slope * (strips - (first + last) / 2)
    at = np.maximum(np.minimum(np.rint(line), height - 1), 0).astype(int)
    is_in = (at > 1) & (at < height - 2) & is_open[at, strips]
    # Of one row, repeated at its sides, this is the median of strips side by side.
    middles = cv2.medianBlur((response[at, strips] * is_in)[None], _RUN)[0]
    off = np.where(np.isfinite(found), found - line, np.inf)
    has_evidence = ((np.abs(middles) > least) & (off > _APART)).tolist()
    # Python's own lists are read several times faster.
    offs, is_line, width = off.tolist(), is_in.tolist(), robot[at].tolist()
    for start, step in ((last, 1), (first, -1)):
        end = _followed(start, step, offs, is_line, has_evidence, width)
        added = np.arange(start, end, step) + step
        added = added[off[added] > _APART]
        found[added] = line[added]


def _followed(
    start: int,
    step: int,
    offs: list[float],
    is_line: list[bool],
    has_evidence: list[bool],
    robot: list[float],
) -> int:
    """Return the last strip of a line that goes on from ``start``.

    ``offs``: rows by which other edges are above it. Where it is not seen it goes on if a low thing
    is, as high in rows as the robot is wide in strips: the upper edge of a skirting board.
    """
    end, strip, on_line, low = start, start + step, 0, 0
    while 0 <= strip < len(offs) and is_line[strip] and abs(strip - end) <= robot[strip]:
        gap = abs(strip - end) - 1 - on_line
        is_gap = gap >= _GAP
        near = _BEYOND if is_gap else _ON
        if offs[strip] < -near:
            # Something nearer hides the line.
            break
        on_line = on_line + 1 if offs[strip] <= near else 0
        low += offs[strip] <= robot[strip]
        is_seen = on_line >= 2 and (not is_gap or low - on_line >= gap / 2)
        if is_seen or (has_evidence[strip] and abs(strip - end) <= _PAUSE):
            end, low = strip, 0
        strip += step
    return end
