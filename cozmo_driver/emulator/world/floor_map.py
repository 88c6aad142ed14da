"""The floor as one picture from above, in several sizes, so that far floor is smooth."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from ..body import Pose2D
from .layout import Floor, Layout, Pattern, Tint, charger_plate
from .light import Light
from .optics import Floats, Gray
from .polygons import Point, contains

_LARGEST = 2_000_000
"""Pixels of the finest size; a larger world is painted coarser."""
_LEVELS = 5
_BAND = 128
"""Rows that are painted at a time, which bounds the memory that this takes."""
_LIP, _TONGUE = 8.0, 14.5
"""mm of the charger's lip, and of the tongue to either side."""
_CHECK = 50.0
"""mm, side of a square of a chequered floor."""
_PLANK = (70.0, 400.0)
"""mm, width and length of a plank."""
TINTS = tuple(Tint)
NOTHING = 0
"""Gray of where there is no floor; floor itself is never that dark."""


class FloorMap:
    """Looks up the gray of many points at once."""

    def __init__(self, layout: Layout, seed: int, light: Light | None = None) -> None:
        """Paint the floors of a layout that has some, as ``light`` falls on them."""
        corners = np.array([corner for floor in layout.floors for corner in floor.corners])
        self._low = corners.min(axis=0)
        size = corners.max(axis=0) - self._low
        self.pixel = max(1.0, float(np.sqrt(size[0] * size[1] / _LARGEST)))
        """mm, edge of a pixel of the finest size."""
        columns, rows = (int(np.ceil(v / self.pixel)) + 1 for v in size)
        picture = np.zeros((rows, columns), np.uint8)
        self._tints = np.zeros((rows, columns), np.uint8)
        for floor in layout.floors:
            self._paint(picture, floor, seed)
        for hole in layout.holes:
            for band, _, _, inside in self._bands(hole, picture.shape):
                picture[band][inside] = NOTHING
        if layout.charger is not None:
            self._paint_charger(picture, layout.charger)
        if light is not None and light.strength:
            self._shine(picture, light)
        self._sizes = _halved(picture)
        self._flat = np.concatenate([level.ravel() for level in self._sizes])
        shapes = np.array([level.shape for level in self._sizes])
        self._offsets = np.concatenate([[0], np.cumsum(shapes.prod(axis=1))[:-1]]).astype(np.int32)
        self._widths = shapes[:, 1].astype(np.int32)
        self._shape = (rows, columns)

    def sample(self, x: Floats, y: Floats, footprint: Floats) -> Gray:
        """Return the gray of points, mm; ``footprint`` is how many mm of floor each stands for.

        ``footprint`` may be one for each row, (rows, 1).
        """
        rows, columns = self._shape
        scale = np.float32(1.0 / self.pixel)
        column = (x - np.float32(self._low[0])) * scale
        row = (y - np.float32(self._low[1])) * scale
        inside = (column >= 0) & (column < columns) & (row >= 0) & (row < rows)
        level = np.log2(np.maximum(footprint * scale, 1.0)).astype(np.int32)
        np.minimum(level, len(self._sizes) - 1, out=level)
        column_at = np.where(inside, column, 0).astype(np.int32) >> level
        row_at = np.where(inside, row, 0).astype(np.int32) >> level
        index = self._offsets[level] + row_at * self._widths[level] + column_at
        found: Gray = np.where(inside, self._flat[index], NOTHING)
        return found

    def tints(self, x: Floats, y: Floats) -> Gray:
        """Return the index in ``TINTS`` of points on the floor, mm."""
        rows, columns = self._shape
        column = np.clip((x - self._low[0]) / self.pixel, 0, columns - 1).astype(np.int32)
        row = np.clip((y - self._low[1]) / self.pixel, 0, rows - 1).astype(np.int32)
        found: Gray = self._tints[row, column]
        return found

    def _bands(
        self, corners: Sequence[Point], shape: tuple[int, ...]
    ) -> Iterator[tuple[tuple[slice, slice], Floats, Floats, npt.NDArray[np.bool_]]]:
        """Return the pixels around a polygon in bands, where they are, and which are inside."""
        at = (np.array(corners) - self._low) / self.pixel
        low = np.maximum(np.floor(at.min(axis=0)).astype(int), 0)
        high = np.minimum(np.ceil(at.max(axis=0)).astype(int) + 1, shape[::-1])
        for first in range(low[1], high[1], _BAND):
            rows = slice(first, min(first + _BAND, high[1]))
            x, y = np.meshgrid(
                (np.arange(low[0], high[0]) + 0.5) * self.pixel + self._low[0],
                (np.arange(rows.start, rows.stop) + 0.5) * self.pixel + self._low[1],
            )
            yield (rows, slice(low[0], high[0])), x, y, contains(corners, x, y)

    def _paint(self, picture: Gray, floor: Floor, seed: int) -> None:
        for band, x, y, inside in self._bands(floor.corners, picture.shape):
            tones = np.maximum(floor_tones(floor, x, y, seed), NOTHING + 1)
            picture[band][inside] = tones[inside]
            self._tints[band][inside] = TINTS.index(floor.tint)

    def _paint_charger(self, picture: Gray, charger: Pose2D) -> None:
        """The charger's plate is flat: white, with a dark tongue between the treads' lanes."""
        c, s = math.cos(charger.angle), math.sin(charger.angle)
        for band, x, y, inside in self._bands(charger_plate(charger).corners, picture.shape):
            along = c * (x - charger.x) + s * (y - charger.y)
            across = -s * (x - charger.x) + c * (y - charger.y)
            tones = np.where(np.abs(across) < _TONGUE, 50, 230)
            tones = np.where(along < _LIP, 190, tones)
            picture[band][inside] = tones[inside]
            self._tints[band][inside] = TINTS.index(Tint.WHITE)

    def _shine(self, picture: Gray, light: Light) -> None:
        """Make floor lighter and darker; what is nothing stays so."""
        x = (np.arange(picture.shape[1])[None, :] + 0.5) * self.pixel + self._low[0]
        for first in range(0, len(picture), _BAND):
            band = picture[first : first + _BAND]
            y = (np.arange(first, first + len(band))[:, None] + 0.5) * self.pixel + self._low[1]
            lit = np.clip(band * light.at(x, y), NOTHING + 1, 255).astype(np.uint8)
            np.copyto(band, lit, where=band > NOTHING)


def _halved(picture: Gray) -> list[Gray]:
    """Return a picture in its own size, half of it, and so on; edges stay sharp."""
    levels = [picture]
    for _ in range(_LEVELS - 1):
        rows, columns = (side // 2 * 2 for side in levels[-1].shape)
        if rows < 4 or columns < 4:
            break
        quarter = levels[-1][:rows, :columns].astype(np.uint16).reshape(rows // 2, 2, -1, 2)
        mean = quarter.sum(axis=(1, 3)) // 4
        is_floor = (quarter > NOTHING).sum(axis=(1, 3)) >= 2
        level = np.zeros(((levels[-1].shape[0] + 1) // 2, (levels[-1].shape[1] + 1) // 2), np.uint8)
        level[: rows // 2, : columns // 2] = np.where(is_floor, np.maximum(mean, 1), NOTHING)
        levels.append(level)
    return levels


def floor_tones(floor: Floor, x: Floats, y: Floats, seed: int) -> Gray:
    """Return the gray of points of a floor, mm in the world."""
    tone = np.full(x.shape, float(floor.gray))
    if floor.pattern is Pattern.CHECKER:
        column, row = np.floor(x / _CHECK), np.floor(y / _CHECK)
        tone += np.where((column + row) % 2 == 0, 22.0, -22.0)
        tone += 14.0 * (_scatter(column, row, seed) - 0.5)
    elif floor.pattern is Pattern.WOOD:
        row = np.floor(y / _PLANK[0])
        along = x + 137.0 * (row % 3)
        column = np.floor(along / _PLANK[1])
        tone += 34.0 * (_scatter(column, row, seed) - 0.5)
        tone += 9.0 * np.sin(y * 0.9 + 3.0 * np.sin(along * 0.011 + row))
        is_joint = (y / _PLANK[0] - row < 0.03) | (along / _PLANK[1] - column < 0.006)
        tone -= np.where(is_joint, 45.0, 0.0)
    else:
        tone += 6.0 * (_scatter(np.floor(x / 4), np.floor(y / 4), seed) - 0.5)
    return np.clip(tone, 0, 255).astype(np.uint8)


def _scatter(a: Floats, b: Floats, seed: int) -> Floats:
    """Return numbers from 0 to 1 that look random and are the same for the same place."""
    mixed = np.sin(a * 12.9898 + b * 78.233 + seed * 0.618) * 43758.5453
    fraction: Floats = mixed - np.floor(mixed)
    return fraction
