"""The charger's marker: a thin ring, 1.37 : 1, round a battery of two light cells (spec 15 §4).

Its ring is too thin to be outlined, and its sticker is on a black wall. So our template is looked
for where something is dark, in several sizes, and then fitted as a whole.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np

from ...media import CHARGER_CODE, CHARGER_MARKER_SIZE, CHARGER_RING, draw_marker
from .quads import Floats, Gray, homographies, sampled

_QUARTER = 4
_SURROUNDINGS = 15
"""Quarter pixels across which light is averaged."""
_DARK = 0.5
"""Of the light around; the wall behind the sticker is darker."""
_WALL_WIDTHS, _WALL_HEIGHTS = (4, 60), (3, 40)
"""Quarter pixels."""
_MOST_WALLS = 8
_HEIGHTS = tuple(10.5 * 1.17**step for step in range(8))
"""Of the marker, pixels: 500 to 170 mm away."""
_RATIOS = (1.35, 1.05)
"""Of width and height: seen squarely and from 40 degrees aside."""
_LARGE = 18.0
"""Height from which it is looked for in an image of half the size."""
_SHARES = (0.15, 1.0)
"""Of the marker's width in that of the dark wall."""
_SPREAD = 0.75
"""Pixels over which the camera blurs an edge."""
_FOUND, _FITTED, _FITTED_FAINT = 0.5, 0.76, 0.66
"""Correlation with the template where it is found, and after it is fitted; a small one has more of
the image's grain. Cubes in dim rooms reach 0.73 where they are large."""
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
_DIVISION, _FAINT = 0.08, 20.0
"""By how much, in parts of the contrast; and the width below which they blur together, pixels."""
_AROUND, _ON_WALL = (-0.22, 1.22, 1.3), 1.1
"""Left and right of a small one, in its widths, and below, in its heights, there is the black wall,
and by how much of the contrast that is darker than the sticker: by 1.3 and more, what is around
frames on anything else by 0.7 at most."""
_LEAST_CONTRAST = 8.0
"""Gray levels; in grain there is anything, a little of it."""
_ROUNDS, _TRIES, _BEST = 3, 64, 8
_STEPS = np.array([0.08, 0.08, 0.12, 0.12, 0.08, 0.06], np.float32)
"""Spread of the first tries: place across and down, width, height, slope, and how much higher the
right side is than the left one; in heights."""
_DESCENTS, _SLIGHT, _FAR = 4, 0.02, 0.05
"""Then steps of Gauss-Newton, their differences and their largest; in heights."""
_ALONG, _ACROSS = np.linspace(0.14, 0.86, 12), np.linspace(-0.03, 0.14, 9)
"""Where the ring is fitted: along its sides, and across in its widths, inwards from its edge."""
_WHITE = 0.06
"""Around the ring, in its widths; of stickers with 0.03 to 0.07 sizes are right to 2 %."""
_SIZES = np.linspace(0.90, 1.20, 16)
"""Of the ring in those of the whole template; real ones seemed 9 % too far away by the latter."""
_MARGIN, _BLACK = 0.04, 3
"""White around the ring, in its widths, and pixels of the black wall that blur into it."""


@dataclass(frozen=True, slots=True, eq=False)
class ChargerMarker:
    """The charger's marker in an image."""

    corners: Floats
    """Of the ring's outer edge, (4, 2) pixels: upper left, upper right, lower right, lower left."""
    score: float
    """Correlation with our template, to 1."""


def find_charger(gray: Gray) -> ChargerMarker | None:
    """Return the charger's marker in an image, None if there is none."""
    best: ChargerMarker | None = None
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
    """Yield parts of an image, left, top, right and bottom, that are dark, the largest first."""
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
        # The sticker reaches above the wall, and what is dark above the wall may hide it here.
        left, top = _QUARTER * (x - 1), _QUARTER * (y - h // 2 - 2)
        right, bottom = _QUARTER * (x + w + 1), _QUARTER * (y + h + h // 2 + 2)
        yield max(left, 0), max(top, 0), min(right, width), min(bottom, height)


def _matched(gray: Gray, part: _Part) -> tuple[float, float, float, float] | None:
    """Return where the template is most likely: its middle, width and height in pixels."""
    left, top, right, bottom = part
    image = gray[top:bottom, left:right]
    half = cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    best, found = _FOUND, None
    for height in _HEIGHTS:
        scale, searched = (2, half) if height >= _LARGE else (1, image)
        for ratio in _RATIOS:
            template = _template(round(height * ratio / scale), round(height / scale), scale)
            rows, columns = template.shape
            share = scale * columns / (right - left - 2 * _QUARTER)
            if rows > searched.shape[0] or not _SHARES[0] <= share <= _SHARES[1]:
                continue
            if columns > searched.shape[1]:
                continue
            scores = cv2.matchTemplate(searched, template, cv2.TM_CCOEFF_NORMED)
            _, score, _, (x, y) = cv2.minMaxLoc(scores)
            if score > best:
                best = score
                found = (
                    left + scale * (x + columns / 2) - 0.5,
                    top + scale * (y + rows / 2) - 0.5,
                    scale * columns,
                    scale * rows,
                )
    return found


@lru_cache(maxsize=32)
def _template(width: int, height: int, scale: int = 1) -> Gray:
    """Return our template as it looks in an image, so many pixels wide and high.

    The image is ``scale`` times smaller than the camera's.
    """
    marker = draw_marker(CHARGER_CODE, width * _FINE)
    marker = cv2.resize(marker, (width * _FINE, height * _FINE), interpolation=cv2.INTER_AREA)
    white, black = round(_MARGIN * width * _FINE), _BLACK * _FINE
    marker = np.pad(np.pad(marker, white, constant_values=255), black, constant_values=0)
    edge = white + black
    blurred = cv2.GaussianBlur(marker, (0, 0), _SPREAD / scale * _FINE)[edge:-edge, edge:-edge]
    return cv2.resize(blurred, (width, height), interpolation=cv2.INTER_AREA)


@lru_cache(maxsize=32)
def _wanted(width: int, height: int) -> Floats:
    small = cv2.resize(_template(width, height), (_COLUMNS, _ROWS), interpolation=cv2.INTER_LINEAR)
    return _unit(small.astype(np.float32).ravel())


@lru_cache(maxsize=64)
def _ring_wanted(width: int) -> Floats:
    """Return how ring and sticker look at the points of ``_RING_GRID``, so many pixels wide."""

    def beyond(edge: float) -> Floats:
        steps = (_ACROSS - edge) * width / (_SPREAD * math.sqrt(2.0))
        return np.array([0.5 + 0.5 * math.erf(step) for step in steps])

    profile = beyond(-_WHITE) - beyond(0.0) + beyond(CHARGER_RING)
    return _unit(np.tile(profile, 4 * len(_ALONG)).astype(np.float32))


def _ring_grid() -> Floats:
    a, b = np.meshgrid(_ALONG, _ACROSS, indexing="ij")
    down = b * CHARGER_MARKER_SIZE[0] / CHARGER_MARKER_SIZE[1]
    sides = ((a, down), (1 - b, a), (1 - a, 1 - down), (b, 1 - a))
    return np.stack([np.stack(side, -1) for side in sides]).reshape(-1, 2).astype(np.float32)


_RING_GRID = _ring_grid()


def _fitted(gray: Gray, start: tuple[float, float, float, float]) -> ChargerMarker | None:
    """Return the marker near a place: the best of many tries, as large as its ring."""
    _, _, width, height = start
    whole = _wanted(round(width), round(height))
    fit = _Fit(gray, start)
    random = np.random.default_rng(0)
    middle, spread = np.zeros(6, np.float32), _STEPS
    for _ in range(_ROUNDS):
        tries = middle + spread * random.standard_normal((_TRIES, 6)).astype(np.float32)
        tries[0] = middle
        best = np.argsort(-(_unit(fit.seen(tries)) @ whole))[:_BEST]
        middle, spread = tries[best].mean(axis=0), np.maximum(tries[best].std(axis=0), 1e-3)
    fitted = fit.descended(middle, whole)
    both = np.stack((tries[best[0]], fitted))
    scores = _unit(fit.seen(both)) @ whole
    score, near = float(scores.max()), both[scores.argmax()]
    outline = fit.quads(near[None])[0]
    is_faint = float(np.linalg.norm(outline[1] - outline[0])) < _FAINT
    if score < (_FITTED_FAINT if is_faint else _FITTED):
        return None
    if not (_is_on_wall(gray, outline) if is_faint else _has_two_cells(gray, outline)):
        return None
    corners = fit.on_ring(near)
    rows, columns = gray.shape
    is_inside = (corners >= 1.0).all() and (corners <= (columns - 2.0, rows - 2.0)).all()
    return ChargerMarker(corners, score) if is_inside else None


@dataclass(frozen=True, slots=True)
class _Fit:
    """A marker's outline, as six differences from an upright rectangle, in its heights."""

    gray: Gray
    start: tuple[float, float, float, float]
    """Middle, width and height of the rectangle, pixels."""

    def quads(self, tries: Floats) -> Floats:
        x, y, width, height = self.start
        return _quads(tries * height, x, y, width, height)

    def seen(self, tries: Floats) -> Floats:
        return sampled(self.gray, homographies(self.quads(tries)), _GRID)

    def descended(self, at: Floats, wanted: Floats) -> Floats:
        """Return where the image is most like what is wanted."""
        steps = _SLIGHT * np.eye(6, dtype=np.float32)
        for _ in range(_DESCENTS):
            levels = self.seen(np.concatenate((at[None], at + steps, at - steps)))
            slopes = (levels[1:7] - levels[7:]).T / (2 * _SLIGHT)
            # Light and contrast of the image are unknown, too.
            unknown = np.column_stack((slopes, -wanted, -np.ones_like(wanted)))
            step = np.linalg.lstsq(unknown, -levels[0], rcond=None)[0][:6]
            at = at + np.clip(step, -_FAR, _FAR)
        return at

    def on_ring(self, at: Floats) -> Floats:
        """Return the corners by the whole template, as large as the ring alone says.

        What is drawn in it has another size on each print; but the ring alone, a pixel wide, does
        not say well how it is turned.
        """
        corners = self.quads(at[None])[0]
        middle = corners.mean(axis=0)
        width = float(np.linalg.norm(corners[[1, 2]] - corners[[0, 3]], axis=1).mean())
        sizes = middle + _SIZES[:, None, None] * (corners - middle)
        seen = _unit(sampled(self.gray, homographies(sizes.astype(np.float32)), _RING_GRID))
        scores = np.array(
            [
                levels @ _ring_wanted(round(width * size))
                for levels, size in zip(seen, _SIZES, strict=True)
            ]
        )
        best = int(scores.argmax())
        if not 0 < best < len(_SIZES) - 1:
            return corners
        below, here, above = scores[best - 1 : best + 2].tolist()
        step = 0.5 * (below - above) / (below - 2.0 * here + above)
        size = _SIZES[best] + step * (_SIZES[1] - _SIZES[0])
        scaled: Floats = (middle + size * (corners - middle)).astype(np.float32)
        return scaled


def _has_two_cells(gray: Gray, corners: Floats) -> bool:
    """Return whether it is darker between two light cells, unlike in any frame of a frame."""
    points = np.array([(x, y) for x in (*_CELLS, _DIVIDER) for y in _MIDDLE], np.float32)
    levels = sampled(gray, homographies(corners[None]), points)[0]
    left, right, between = levels.reshape(3, -1).mean(axis=1).tolist()
    return bool(min(left, right) - between > _DIVISION * _contrast(gray, corners)[1])


def _is_on_wall(gray: Gray, corners: Floats) -> bool:
    """Return whether a small one is on black: its cells blur together, as in many a frame."""
    left, right, below = _AROUND
    points = [(x, y) for x in (left, right) for y in np.linspace(0.3, 0.9, 5)]
    points += [(x, below) for x in np.linspace(0.1, 0.9, 5)]
    levels = sampled(gray, homographies(corners[None]), np.array(points, np.float32))[0]
    light, contrast = _contrast(gray, corners)
    return bool(light - levels.reshape(3, -1).mean(axis=1).max() > _ON_WALL * contrast)


def _contrast(gray: Gray, corners: Floats) -> tuple[float, float]:
    """Return the level of what is light in a marker, and by how much what is dark is darker."""
    levels = np.sort(sampled(gray, homographies(corners[None]), _GRID)[0])
    light = float(levels[-len(levels) // 6])
    contrast = light - float(levels[len(levels) // 12])
    return light, contrast if contrast > _LEAST_CONTRAST else math.inf


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
