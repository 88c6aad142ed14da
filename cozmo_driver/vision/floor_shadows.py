"""Shadows beside things, which look like edges of the floor but lie on it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

_BELOW = slice(5, 10)
"""Rows below an edge that show the floor's own tone."""
_HEIGHT, _MOST_ROWS = 0.009, 30
"""m that a thing stands up at least, and rows at most within which a shadow ends."""
_ALIKE, _AGAIN = 6.0, 4
"""Levels by which the floor's tone may differ beyond a shadow, and rows of it that show that."""
_DARKER, _DARKEST = 2.0, 0.5
"""Levels by which a shadow is darker at least, and share of its light that the floor keeps."""
_WIDE = 0.03
"""m that a shadow reaches beside a thing; what is wider lies there by itself, like a cable."""
_IN_LINE = 4.0
"""Rows within which an edge goes on from one neighbour to the other."""


def in_shadow(
    rows: Floats, tones: npt.NDArray[np.uint8], ahead: Floats, focal_length: float, strip: int
) -> Bools:
    """Return which strips' edges are probably but a shadow's.

    Beyond it, lower than a thing would stand, the floor has its tone again; it is narrow and begins
    beside another edge, but does not link two in a line as a light part of a wall does.
    ``strip``: its columns.
    """
    found = np.zeros(len(rows), np.bool_)
    strips = np.flatnonzero(rows >= _BELOW.stop)
    if not len(strips):
        return found
    at = rows[strips].astype(int)
    found[strips] = _is_dip(tones, strips, at, _HEIGHT * focal_length / ahead[at])
    around = np.concatenate(([np.nan], rows, [np.nan]))
    bounds = np.flatnonzero(np.diff(np.concatenate(([0], found, [0]))))
    for first, end in bounds.reshape(-1, 2):
        steps = around[[first, end + 1]] - rows[[first, end - 1]]
        reach = _WIDE * focal_length / ahead[int(rows[first])] / strip
        is_alone = np.isnan(steps).all()
        if is_alone or end - first > reach + 1 or (np.abs(steps) < _IN_LINE).all():
            found[first:end] = False
    return found


def _is_dip(
    tones: npt.NDArray[np.uint8],
    strips: npt.NDArray[np.intp],
    at: npt.NDArray[np.intp],
    height: Floats,
) -> Bools:
    """Return where the tone falls and comes back within a height, in rows."""
    steps = np.arange(_MOST_ROWS + _AGAIN)[:, None]
    below = np.arange(_BELOW.start, _BELOW.stop)[:, None]
    own = tones[at - below, strips].mean(axis=0, dtype=np.float32)
    change = tones[np.minimum(at + steps, len(tones) - 1), strips] - own
    is_same = np.abs(change) < _ALIKE
    is_same[:3] = False
    is_same[at + steps >= len(tones)] = False
    again = is_same[: 1 - _AGAIN].copy()
    for step in range(1, _AGAIN):
        again &= is_same[step : step + len(again)]
    back = again.argmax(axis=0)
    darkest = np.where(steps <= back, change, 0.0).min(axis=0)
    is_dark = (darkest < -_DARKER) & (darkest > -_DARKEST * own)
    return np.asarray(again.any(axis=0) & (back <= height) & is_dark)
