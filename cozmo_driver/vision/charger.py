"""The charger's marker: a thin ring, 1.37 : 1, round a battery of two light cells (spec 15 §4).

Its ring is too thin to be outlined, and its sticker is on a black wall. So our drawing is looked
for where something is dark, in several sizes, and then fitted as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np

from ..media.signs import CHARGER_CODE, draw_sign
from .quads import Floats, Gray, homographies, sampled

_QUARTER = 4
_SURROUNDINGS = 15
"""Quarter pixels across which light is averaged."""
_DARK = 0.5
"""Of the light around; the wall behind the sticker is darker."""
_WALL_WIDTHS, _WALL_HEIGHTS = (4, 48), (3, 30)
"""Quarter pixels."""
_MOST_WALLS = 4
_HEIGHTS = tuple(10.5 * 1.17**step for step in range(8))
"""Of the marker, pixels: 500 to 170 mm away."""
_RATIOS = (1.35, 1.05)
"""Of width and height: seen squarely and from 40 degrees aside."""
_SHARES = (0.15, 1.0)
"""Of the marker's width in that of the dark wall."""
_SPREAD = 0.75
"""Pixels over which the camera blurs an edge."""
_FOUND, _FITTED = 0.5, 0.76
"""Correlation with the drawing where it is found, and after it is fitted."""
_COLUMNS, _ROWS = 24, 18
_FINE = 16
_GRID = (
    np.stack(
        np.meshgrid((np.arange(_COLUMNS) + 0.5) / _COLUMNS, (np.arange(_ROWS) + 0.5) / _ROWS), -1
    )
    .reshape(-1, 2)
    .astype(np.float32)
)
_CELLS, _DIVIDER, _MIDDLE = (0.35, 0.59), 0.47, (0.44, 0.5, 0.56)
"""Where it is light, and dark between, in widths and heights."""
_DIVISION, _FAINT_DIVISION, _FAINT = 0.08, -0.05, 15.0
"""By how much, in parts of the contrast; and below a width in pixels, where cells blur together."""
_LEAST_CONTRAST = 8.0
"""Gray levels; in grain there is anything, a little of it."""
_ROUNDS, _TRIES, _BEST = 3, 64, 8
_STEPS = np.array([0.08, 0.08, 0.12, 0.12, 0.08, 0.06], np.float32)
"""Spread of the first tries: place across and down, width, height, slope, and how much higher the
right side is than the left one; in heights."""
_DESCENTS, _SLIGHT, _FAR = 3, 0.02, 0.05
"""Then steps of Gauss-Newton, their differences and their largest; in heights."""
_MARGIN, _BLACK = 0.04, 3
"""White around the ring, in its widths, and pixels of the black wall that blur into it."""


@dataclass(frozen=True, slots=True, eq=False)
class ChargerSign:
    """The charger's marker in a picture."""

    corners: Floats
    """Of the ring's outer edge, (4, 2) pixels: upper left, upper right, lower right, lower left."""
    score: float
    """Correlation with our drawing, to 1."""


def find_charger(gray: Gray) -> ChargerSign | None:
    """Return the charger's marker in a picture, None if there is none."""
    best: ChargerSign | None = None
    for part in _walls(gray):
        start = _matched(gray, part)
        if start is None:
            continue
        found = _fitted(gray, start)
        if found is not None and (best is None or found.score > best.score):
            best = found
    return best


_Part = tuple[int, int, int, int]


def _walls(gray: Gray) -> Iterator[_Part]:
    """Yield parts of a picture, left, top, right and bottom, that are dark, the largest first."""
    height, width = gray.shape
    small = cv2.resize(gray, (width // _QUARTER, height // _QUARTER), interpolation=cv2.INTER_AREA)
    light = cv2.blur(small, (_SURROUNDINGS, _SURROUNDINGS))
    dark = cv2.compare(small, cv2.convertScaleAbs(light, alpha=_DARK), cv2.CMP_LT)
    _, _, boxes, _ = cv2.connectedComponentsWithStats(dark, 8, cv2.CV_16U)
    boxes = boxes[1:]
    is_wall = (boxes[:, 2] >= _WALL_WIDTHS[0]) & (boxes[:, 2] <= _WALL_WIDTHS[1])
    is_wall &= (boxes[:, 3] >= _WALL_HEIGHTS[0]) & (boxes[:, 3] <= _WALL_HEIGHTS[1])
    is_wall &= boxes[:, 2] < 4 * boxes[:, 3]
    walls = boxes[is_wall]
    for x, y, w, h, _ in walls[np.argsort(-walls[:, 4])][:_MOST_WALLS].tolist():
        # The sticker reaches above the wall.
        left, top = _QUARTER * (x - 1), _QUARTER * (y - h // 2 - 2)
        right, bottom = _QUARTER * (x + w + 1), _QUARTER * (y + h + 1)
        yield max(left, 0), max(top, 0), min(right, width), min(bottom, height)


def _matched(gray: Gray, part: _Part) -> tuple[float, float, float, float] | None:
    """Return where the drawing is most likely: its middle, width and height in pixels."""
    left, top, right, bottom = part
    picture = gray[top:bottom, left:right]
    best, found = _FOUND, None
    for height in _HEIGHTS:
        for ratio in _RATIOS:
            drawing = _template(round(height * ratio), round(height))
            rows, columns = drawing.shape
            share = columns / (right - left - 2 * _QUARTER)
            if rows > picture.shape[0] or not _SHARES[0] <= share <= _SHARES[1]:
                continue
            if columns > picture.shape[1]:
                continue
            scores = cv2.matchTemplate(picture, drawing, cv2.TM_CCOEFF_NORMED)
            _, score, _, (x, y) = cv2.minMaxLoc(scores)
            if score > best:
                best = score
                found = left + x + (columns - 1) / 2, top + y + (rows - 1) / 2, columns, rows
    return found


@lru_cache(maxsize=32)
def _template(width: int, height: int) -> Gray:
    """Return our drawing as it looks in a picture, so many pixels wide and high."""
    sign = draw_sign(CHARGER_CODE, width * _FINE)
    sign = cv2.resize(sign, (width * _FINE, height * _FINE), interpolation=cv2.INTER_AREA)
    white, black = round(_MARGIN * width * _FINE), _BLACK * _FINE
    sign = np.pad(np.pad(sign, white, constant_values=255), black, constant_values=0)
    edge = white + black
    blurred = cv2.GaussianBlur(sign, (0, 0), _SPREAD * _FINE)[edge:-edge, edge:-edge]
    return cv2.resize(blurred, (width, height), interpolation=cv2.INTER_AREA)


@lru_cache(maxsize=32)
def _wanted(width: int, height: int) -> Floats:
    small = cv2.resize(_template(width, height), (_COLUMNS, _ROWS), interpolation=cv2.INTER_LINEAR)
    return _unit(small.astype(np.float32).ravel())


def _fitted(gray: Gray, start: tuple[float, float, float, float]) -> ChargerSign | None:
    """Return the marker near a place: the best of many tries, then of some near these, fitted."""
    x, y, width, height = start
    wanted = _wanted(round(width), round(height))

    def seen(tries: Floats) -> tuple[Floats, Floats]:
        quads = _quads(tries * height, x, y, width, height)
        return quads, sampled(gray, homographies(quads), _GRID)

    random = np.random.default_rng(0)
    middle, spread = np.zeros(6, np.float32), _STEPS
    for _ in range(_ROUNDS):
        tries = middle + spread * random.standard_normal((_TRIES, 6)).astype(np.float32)
        tries[0] = middle
        best = np.argsort(-(_unit(seen(tries)[1]) @ wanted))[:_BEST]
        middle, spread = tries[best].mean(axis=0), np.maximum(tries[best].std(axis=0), 1e-3)
    fitted = middle
    for _ in range(_DESCENTS):
        steps = _SLIGHT * np.eye(6, dtype=np.float32)
        _, levels = seen(np.concatenate((fitted[None], fitted + steps, fitted - steps)))
        slopes = (levels[1:7] - levels[7:]).T / (2 * _SLIGHT)
        # Light and contrast of the picture are unknown, too.
        unknown = np.column_stack((slopes, -wanted, -np.ones_like(wanted)))
        step = np.linalg.lstsq(unknown, -levels[0], rcond=None)[0][:6]
        fitted = fitted + np.clip(step, -_FAR, _FAR)
    quads, levels = seen(np.stack((tries[best[0]], fitted)))
    scores = _unit(levels) @ wanted
    corners, score = quads[scores.argmax()], float(scores.max())
    rows, columns = gray.shape
    is_inside = (corners >= 1.0).all() and (corners <= (columns - 2.0, rows - 2.0)).all()
    if not is_inside or score < _FITTED or not _has_two_cells(gray, corners):
        return None
    return ChargerSign(corners, score)


def _has_two_cells(gray: Gray, corners: Floats) -> bool:
    """Return whether it is darker between two light cells, unlike in any frame of a frame."""
    matrices = homographies(corners[None])
    levels = np.sort(sampled(gray, matrices, _GRID)[0])
    contrast = float(levels[-len(levels) // 6] - levels[len(levels) // 12])
    points = np.array([(x, y) for x in (*_CELLS, _DIVIDER) for y in _MIDDLE], np.float32)
    left, right, between = sampled(gray, matrices, points)[0].reshape(3, -1).mean(axis=1).tolist()
    is_faint = float(np.linalg.norm(corners[1] - corners[0])) < _FAINT
    least = _FAINT_DIVISION if is_faint else _DIVISION
    return contrast > _LEAST_CONTRAST and min(left, right) - between > least * contrast


def _quads(tries: Floats, x: float, y: float, width: float, height: float) -> Floats:
    """Return quadrilaterals, (n, 4, 2), from upper left, by how they differ from a rectangle."""
    across, down, wider, higher, slope, growth = tries.T
    left, right = x + across - (width + wider) / 2, x + across + (width + wider) / 2
    half = (height + higher) / 2
    rows = (
        y + down - slope / 2 - half + growth / 2,
        y + down + slope / 2 - half - growth / 2,
        y + down + slope / 2 + half + growth / 2,
        y + down - slope / 2 + half - growth / 2,
    )
    columns = (left, right, right, left)
    return np.stack([np.stack(pair, -1) for pair in zip(columns, rows, strict=True)], 1).astype(
        np.float32
    )


def _unit(values: Floats) -> Floats:
    centered = values - values.mean(axis=-1, keepdims=True)
    unit: Floats = centered / np.maximum(np.linalg.norm(centered, axis=-1, keepdims=True), 1e-3)
    return unit
