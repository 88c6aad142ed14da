"""Clearance of every heading and cell of the lattice, and the distances to the goals."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from .lattice import CELL, HEADINGS, REACH, Primitive, Sample, angle_of
from .obstacles import HARD, SOFT, Box, Floats, Footprint, box_distances, columns

_LEVELS = 2 * HEADINGS
_LEVEL_ANGLES = np.array([angle_of(level) for level in range(_LEVELS)])
_OCTILE = 1.09
"""A path over eight neighbours is at most so much longer than the straight one."""


class ConfigurationSpace:
    """A rectangle of cells around start and goals; the start is in the middle of one."""

    def __init__(
        self,
        low: tuple[float, float],
        high: tuple[float, float],
        boxes: Sequence[Box],
        footprint: Footprint,
        check: Callable[[], object],
    ) -> None:
        """Cover ``low`` to ``high``, m, about the start at (0, 0); it is closed all around.

        ``check`` is called again and again; what it raises ends the work.
        """
        left, bottom = (math.floor(v / CELL) for v in low)
        right, top = (math.ceil(v / CELL) for v in high)
        self.left, self.bottom = left - REACH, bottom - REACH
        self.columns = right - left + 1 + 2 * REACH
        self.rows = top - bottom + 1 + 2 * REACH
        self.cells = self.rows * self.columns
        self._x = (self.left + np.arange(self.columns)) * CELL
        self._y = (self.bottom + np.arange(self.rows)) * CELL
        hard = self._distances_to([box for box in boxes if not box.is_soft], footprint, check)
        soft = self._distances_to([box for box in boxes if box.is_soft], footprint, check)
        for edge in (slice(0, REACH), slice(-REACH, None)):
            hard[:, edge, :] = hard[:, :, edge] = -1.0
        self.clearance = hard.ravel()
        """The distance to the nearest obstacle, m, by level and cell."""
        depth = np.clip((SOFT - hard[::2]) / (SOFT - HARD), 0.0, 1.0)
        depth[soft[::2] < 0.0] = 1.0
        self.depths = np.ascontiguousarray(depth, np.float32).ravel()
        """How deep each heading and cell is in what costs more, 0 to 1."""
        self._is_open = (hard[::2] >= HARD).any(axis=0)
        """Cells where some heading is free."""

    def cell(self, x: float, y: float) -> int:
        """Return the number of the cell around a point."""
        column = min(max(round(x / CELL) - self.left, 0), self.columns - 1)
        row = min(max(round(y / CELL) - self.bottom, 0), self.rows - 1)
        return row * self.columns + column

    def place(self, cell: int) -> tuple[float, float]:
        row, column = divmod(cell, self.columns)
        return (self.left + column) * CELL, (self.bottom + row) * CELL

    def around(self, x: float, y: float, radius: float) -> Iterator[int]:
        """Return the cells whose middle is that near to a point in each direction."""
        for row in range(round((y - radius) / CELL), round((y + radius) / CELL) + 1):
            for column in range(round((x - radius) / CELL), round((x + radius) / CELL) + 1):
                yield self.cell(column * CELL, row * CELL)

    def offset(self, move: Primitive) -> int:
        """Return by how much a primitive changes the number of the cell."""
        return move.cells[1] * self.columns + move.cells[0]

    def check(self, sample: Sample) -> tuple[int, float]:
        """Return a sample's index of ``clearance``, less that of its cell, and the least there.

        A sample beside the middle of its cell must be as much farther from everything.
        """
        column, row = round(sample.x / CELL), round(sample.y / CELL)
        beside = math.hypot(sample.x - column * CELL, sample.y - row * CELL)
        return sample.level * self.cells + row * self.columns + column, HARD + beside

    def distances(self, goals: Sequence[tuple[float, float]]) -> npt.NDArray[np.float32]:
        """Return how far each cell is from the nearest goal around obstacles, m, at most.

        A wave over cells of double the size: one is free where any heading is, in any part of it.
        """
        rows, columns = (self.rows + 1) // 2, (self.columns + 1) // 2
        is_open = np.zeros((2 * rows, 2 * columns), bool)
        is_open[: self.rows, : self.columns] = self._is_open
        free = is_open.reshape(rows, 2, columns, 2).any(axis=(1, 3))
        far = np.full((rows + 2, columns + 2), np.inf, np.float32)
        for goal in goals:
            row, column = divmod(self.cell(*goal), self.columns)
            far[row // 2 + 1, column // 2 + 1] = 0.0
        _spread(far, np.where(free, np.float32(0.0), np.float32(np.inf)))
        whole = np.repeat(np.repeat(far[1:-1, 1:-1], 2, axis=0), 2, axis=1)
        # What is left over: the path within the first and the last cell.
        within = np.float32(4 * CELL)
        nearest = np.maximum(whole[: self.rows, : self.columns] / _OCTILE - within, 0.0)
        return np.ascontiguousarray(nearest, np.float32).ravel()

    def _distances_to(
        self, boxes: Sequence[Box], footprint: Footprint, check: Callable[[], object]
    ) -> npt.NDArray[np.float32]:
        """Return the distance to the nearest box for each level, row and column, as far as SOFT."""
        nearest = np.full((_LEVELS, self.rows, self.columns), 2 * SOFT, np.float32)
        yaw = _LEVEL_ANGLES[:, None, None]
        for box in boxes:
            check()
            reach = footprint.reach + math.hypot(box.length, box.width) / 2 + 2 * SOFT
            across = _span(self._x, box.x, reach)
            rows = _span(self._y, box.y, reach)
            x, y = self._x[None, None, across], self._y[None, rows, None]
            if x.size and y.size:
                part = nearest[:, rows, across]
                distance = box_distances(x, y, yaw, columns([box])[:, 0], footprint)
                np.minimum(part, distance, out=part, casting="same_kind")
        return nearest


def _span(axis: Floats, middle: float, reach: float) -> slice:
    return slice(
        int(np.searchsorted(axis, middle - reach)), int(np.searchsorted(axis, middle + reach))
    )


def _spread(far: npt.NDArray[np.float32], wall: npt.NDArray[np.float32]) -> None:
    """Let distances grow over free cells until nothing changes; ``far`` has a border of one."""
    inner = far[1:-1, 1:-1]
    straight, diagonal = np.float32(2 * CELL), np.float32(2 * CELL * math.sqrt(2.0))
    while True:
        before = inner.copy()
        for _ in range(16):
            beside = np.minimum(far[:, :-2], far[:, 2:])
            nearest = np.minimum(beside[:-2], beside[2:])
            nearest += diagonal
            near = np.minimum(far[:-2, 1:-1], far[2:, 1:-1])
            np.minimum(near, beside[1:-1], out=near)
            near += straight
            np.minimum(nearest, near, out=nearest)
            nearest += wall
            np.minimum(inner, nearest, out=inner)
        if np.array_equal(before, inner):
            return
