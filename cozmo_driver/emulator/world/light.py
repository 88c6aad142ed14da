"""How light falls on a world: from one side, in soft pools, with soft shadows; mm and rad.

The same in all pictures of a world and of all robots in it; drawn from the world's seed. Strengths
are those of real pictures (spec 19): a floor beside a lamp at three times the level of its other
end, bands on walls, soft shadows at the feet of things.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .layout import Layout, Solid, charger_wall
from .optics import Floats
from .polygons import Point, Polygon

_GRADIENT = 0.2
"""Share by which the lighter side of a wave of light is lighter than the mean: 40 % in all."""
_WAVE = (800.0, 2000.0)
"""mm from one light place to the next, as of windows and lamps in a row."""
_POOL, _POOL_RADIUS, _POOLS = 0.2, (50.0, 150.0), 8.0
"""Share by which a pool of light or shade differs, its radius in mm, and how many on 1 m²."""
_MOST_POOLS = 60
_SIDES = 0.2
"""Share by which upright sides towards the light are lighter than those across."""
_FLICKER = 0.1
"""Most that light flickers where the world does not say."""
_MAINS = (100.0, 120.0)
"""Hz."""
_ELEVATION = (math.radians(25.0), math.radians(50.0))
"""Of the light above the floor, lowest and highest."""
_FOOT, _FOOT_REACH = 0.35, 25.0
"""Share of light lost at the foot of something, and mm up to which some is."""
_SHADOW, _SHADOW_EDGE, _SHADOW_REACH = 0.25, 20.0, 60.0
"""Share lost in a shadow, mm of its soft edge, and of how far away from the light it falls."""
_LAMP = 900.0
"""mm to the lamp that stickers reflect."""
_GLOSS, _GLARE_REACH = 0.2, 2.5
"""rad by which a sticker scatters the lamp's reflection, and how many of those are looked at."""
_GLARE = 60.0
"""Gray levels of the lamp's reflection on a sticker. An estimate."""
_STEPS = 4
"""Of a shadow, from the foot of what casts it to its end."""
_CELLS, _CELL = 250_000, 6.0
"""How many cells the map of the light has at most, and how small they are at the least, mm."""
_MARGIN = 300.0
"""mm around the floors that the map reaches."""


class Light:
    """Factors by which things are lighter than in even light; 1 everywhere without ``strength``."""

    def __init__(self, layout: Layout, seed: int, strength: float) -> None:
        """``strength`` is 1 for light as it is in real rooms."""
        random = np.random.default_rng([seed, 0x11647])
        self.strength = strength
        azimuth, self._elevation = random.uniform(-math.pi, math.pi), random.uniform(*_ELEVATION)
        self.towards: Floats = np.array([math.cos(azimuth), math.sin(azimuth)])
        """Horizontally towards the light, a unit vector."""
        self.flicker = layout.flicker or _FLICKER * strength * random.uniform()
        """Share of the light that comes and goes with the mains."""
        self.mains = _MAINS[0] if layout.flicker else float(random.choice(_MAINS))
        if strength:
            self._paint(layout, random)

    @property
    def lean(self) -> Floats:
        """Where shadows fall: mm on the floor for each mm of height, away from the light."""
        return -self.towards * (self.strength and 1.0 / math.tan(self._elevation))

    @property
    def lamp(self) -> Floats:
        """Towards the lamp that stickers reflect, mm, from what it lights."""
        up, flat = math.sin(self._elevation), math.cos(self._elevation)
        return np.array([*(self.towards * flat), up]) * _LAMP

    def at(self, x: Floats, y: Floats) -> Floats:
        """Return the factors of points on the floor."""
        if not self.strength:
            return np.ones(np.broadcast(x, y).shape, np.float32)
        rows, columns = self._map.shape
        across = np.clip((x - self._low[0]) / self._cell, 0, columns - 1.001)
        down = np.clip((y - self._low[1]) / self._cell, 0, rows - 1.001)
        column, row = across.astype(np.int32), down.astype(np.int32)
        s, t = (across - column).astype(np.float32), (down - row).astype(np.float32)
        upper = self._map[row, column] * (1 - s) + self._map[row, column + 1] * s
        lower = self._map[row + 1, column] * (1 - s) + self._map[row + 1, column + 1] * s
        found: Floats = upper * (1 - t) + lower * t
        return found

    def even(self, x: Floats, y: Floats) -> Floats:
        """Return the factors of points without any shadow, as above the floor."""
        if not self.strength:
            return np.ones(np.broadcast(x, y).shape)
        along = (x * self.towards[0] + y * self.towards[1]) * (2.0 * math.pi / self._wave)
        light: Floats = 1.0 + _GRADIENT * self.strength * np.sin(along + self._phase)
        most = _POOL * self.strength
        pools = np.zeros(light.shape)
        for middle_x, middle_y, radius, sign in self._pools:
            # A product of two is cheap on a grid.
            across = np.exp(-((x - middle_x) ** 2) / (2.0 * radius**2))
            pools += sign * most * across * np.exp(-((y - middle_y) ** 2) / (2.0 * radius**2))
        return np.maximum(light * (1.0 + np.clip(pools, -most, most)), 0.1)

    def facing(self, normal: Floats) -> float:
        """Return the factor of a surface by where it faces; ``normal`` is a unit vector."""
        return 1.0 + _SIDES * self.strength * float(self.towards @ normal[:2])

    def glare(
        self, corner: Floats, right: Floats, down: Floats, eye: Floats, s: Floats, t: Floats
    ) -> Floats | np.float32:
        """Return by how much the lamp's reflection brightens points of a parallelogram.

        ``s`` and ``t`` are where those are, in its edges.
        """
        normal = unit_normal(right, down)
        middle = corner + (right + down) / 2
        lamp = middle + self.lamp
        above_lamp, above_eye = float((lamp - middle) @ normal), float((eye - middle) @ normal)
        if not self.strength or above_lamp <= 0.0 or above_eye <= 0.0:
            return np.float32(0.0)
        mirrored = lamp - 2.0 * above_lamp * normal
        spot = eye + above_eye / (above_eye + above_lamp) * (mirrored - eye)
        width = 2.0 * _GLOSS / (1.0 / float(np.linalg.norm(eye - middle)) + 1.0 / _LAMP)
        if float(np.linalg.norm(spot - middle)) > _GLARE_REACH * width:
            return np.float32(0.0)
        off = [
            (at - np.float32((spot - corner) @ edge / (edge @ edge)))
            * np.float32(np.linalg.norm(edge) / width)
            for at, edge in ((s, right), (t, down))
        ]
        level = np.float32(_GLARE * self.strength)
        bright: Floats = level * np.exp(-(off[0] ** 2 + off[1] ** 2) / 2)
        return bright

    def _paint(self, layout: Layout, random: np.random.Generator) -> None:
        corners = np.array([corner for floor in layout.floors for corner in floor.corners])
        low, high = corners.min(axis=0) - _MARGIN, corners.max(axis=0) + _MARGIN
        area = float(np.prod(high - low))
        self._low, self._cell = low, max(_CELL, math.sqrt(area / _CELLS))
        self._wave, self._phase = random.uniform(*_WAVE), random.uniform(0.0, 2.0 * math.pi)
        self._pools = [
            (*random.uniform(low, high), random.uniform(*_POOL_RADIUS), random.choice((-1.0, 1.0)))
            for _ in range(min(round(_POOLS * area * 1e-6), _MOST_POOLS))
        ]
        columns, rows = (int(v) + 2 for v in (high - low) / self._cell)
        x = low[0] + self._cell * np.arange(columns)[None, :]
        y = low[1] + self._cell * np.arange(rows)[:, None]
        solids = list(layout.solids)
        if layout.charger is not None:
            solids.append(charger_wall(layout.charger))
        self._map = (self.even(x, y) * self._shaded(solids, x, y)).astype(np.float32)

    def _shaded(self, solids: Sequence[Solid], x: Floats, y: Floats) -> Floats:
        """Return the share of light that what stands there leaves to points of a grid."""
        foot, cast = np.zeros((y.size, x.size)), np.zeros((y.size, x.size))
        for solid in solids:
            shift = self.lean * min(solid.height, _SHADOW_REACH / np.linalg.norm(self.lean))
            window = self._window(solid.shape, x, y)
            part = x[:, window[1]], y[window[0], :]
            near = _outside(solid.shape.corners, *part)
            foot[window] = np.maximum(foot[window], np.clip(1.0 - near / _FOOT_REACH, 0.0, 1.0))
            for share in np.arange(1, _STEPS + 1) / _STEPS:
                moved = [
                    (px + share * shift[0], py + share * shift[1]) for px, py in solid.shape.corners
                ]
                near = np.minimum(near, _outside(moved, *part))
            cast[window] = np.maximum(cast[window], np.clip(1.0 - near / _SHADOW_EDGE, 0.0, 1.0))
        foot, cast = _FOOT * self.strength * foot**2, _SHADOW * self.strength * cast
        left: Floats = np.maximum(1.0 - foot, 0.1) * np.maximum(1.0 - cast, 0.1)
        return left

    def _window(self, shape: Polygon, x: Floats, y: Floats) -> tuple[slice, slice]:
        reach = shape.radius + _SHADOW_REACH + _SHADOW_EDGE + _FOOT_REACH
        low, high = (
            (np.array([shape.x, shape.y]) + sign * reach - self._low) / self._cell
            for sign in (-1.0, 1.0)
        )
        start, stop = np.maximum(low, 0).astype(int), np.maximum(high, 0).astype(int) + 1
        return slice(start[1], stop[1]), slice(start[0], stop[0])


def unit_normal(right: Floats, down: Floats) -> Floats:
    """Return where a surface with these edges faces. Faster than ``np.cross``."""
    (a, b, c), (d, e, f) = down.tolist(), right.tolist()
    x, y, z = b * f - c * e, c * d - a * f, a * e - b * d
    return np.array([x, y, z]) / (math.sqrt(x * x + y * y + z * z) or 1.0)


def _outside(corners: Sequence[Point], x: Floats, y: Floats) -> Floats:
    """Return how far points are from a convex polygon, counter-clockwise; a little less at corners.

    0 inside.
    """
    away: Floats = np.zeros(np.broadcast(x, y).shape)
    for (x0, y0), (x1, y1) in zip(corners, (*corners[1:], corners[0]), strict=True):
        length = math.hypot(x1 - x0, y1 - y0) or 1.0
        away = np.maximum(away, ((y1 - y0) * (x - x0) - (x1 - x0) * (y - y0)) / length)
    return away
