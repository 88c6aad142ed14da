"""Where the robot drove and what it met: a grid of its surroundings that fades (spec 15 §7)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from .frames import ORIGIN_X, Matrix, moved, pose
from .objects import CHARGER_MARKER, Kind, LocatedObject

RESOLUTION = 0.010
FREE, SEEN_EDGE, OCCUPIED, UNKNOWN = 0, 80, 100, -1
"""An edge that the camera sees may be but a joint or a pattern of the floor."""
_START, _LARGEST = 128, 2048
"""Cells of a side; it grows as the robot gets about, and what is beyond is not remembered."""
_ROBOT = (0.005, 0.0559, 0.030)
"""Ahead of its own origin, behind and to either side; what is ahead of its cliff sensor may be over
an edge."""
_CLIFF = (0.005, 0.030)
"""The cliff sensor, ahead of the robot's own origin, and half of the edge that is marked."""
_CROSSED = 0.012
"""m beyond an edge within which a robot that drives across it is found: the way of two states at
full speed. One that stops at an edge has its drive center some 12 mm before it or more, however it
turns then; one whose drive center is beyond has tipped over, unless there is floor."""
_MARGIN = 16
"""Cells that are added beyond what does not fit."""
_EDGE_VOTES, _MOST_VOTES = 3, 6
"""Images more that show an edge than clear ground: for an edge, and at most. What a joint or a
pattern of the floor looks like changes with each image."""


class Cell(IntEnum):
    """What was found in a place."""

    UNKNOWN = 0
    SEEN = 1
    """The camera saw ground, or that something begins there."""
    DRIVEN = 2
    """The robot stood there."""


_REMEMBERED = {Cell.UNKNOWN: 0.0, Cell.SEEN: 60.0, Cell.DRIVEN: 600.0}
"""s for which what was found is."""
_LIMITS = np.array([_REMEMBERED[cell] for cell in Cell])


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """An occupancy grid: rows upwards from ``origin``, the lower left corner, in odom."""

    cells: npt.NDArray[np.int8]
    origin: tuple[float, float]
    resolution: float = RESOLUTION

    def is_same_as(self, other: Grid) -> bool:
        return self.origin == other.origin and np.array_equal(self.cells, other.cells)


class MemoryMap:
    """Cells of 10 mm in odom, each with what was found there and when."""

    def __init__(self) -> None:
        self._kinds = np.zeros((_START, _START), np.uint8)
        self._stamps = np.zeros((_START, _START))
        self._votes = np.zeros((_START, _START), np.int8)
        """How many more images show an edge than clear ground."""
        self._cliffs = np.empty((0, 4, 4))
        """Poses of the cliff sensor where it met edges: a camera sees no edge from above, so they
        stay until the robot drives across."""
        self._low = np.array([-_START // 2, -_START // 2])
        """Column and row in the world of the array's first cell."""

    def clear(self) -> None:
        """Forget everything, as when the robot was carried."""
        self._kinds[:] = Cell.UNKNOWN
        self._cliffs = self._cliffs[:0]

    def on_robot(self, base: Matrix, stamp: float) -> None:
        """Mark the ground under the robot, where it cannot be unless it is free."""
        front, rear, half = _ROBOT
        step = RESOLUTION / 2
        x, y = np.meshgrid(
            ORIGIN_X + np.arange(step - rear, front, step), np.arange(step - half, half, step)
        )
        points = moved(base, np.column_stack((x.ravel(), y.ravel())))
        self._make_room(points)
        at = np.unravel_index(self._inside(points), self._kinds.shape)
        self._kinds[at], self._stamps[at], self._votes[at] = Cell.DRIVEN, stamp, -_MOST_VOTES
        way = base[:2, 3] - self._cliffs[:, :2, 3]
        beyond, aside = ((way * self._cliffs[:, :2, axis]).sum(axis=1) for axis in (0, 1))
        is_crossed = (beyond >= 0.0) & (beyond <= _CROSSED) & (abs(aside) <= _CLIFF[1])
        self._cliffs = self._cliffs[~is_crossed]

    def on_cliff(self, base: Matrix) -> None:
        """Mark the edge that the cliff sensor met, until the robot drives across it."""
        sensor = base @ pose(ORIGIN_X + _CLIFF[0], 0.0)
        edge = _edges(sensor[None])
        self._make_room(edge)
        if not np.isin(self._inside(edge), self._inside(_edges(self._cliffs))).all():
            self._cliffs = np.concatenate((self._cliffs, sensor[None]))

    def on_ground(
        self,
        start: npt.NDArray[np.float64],
        ends: npt.NDArray[np.float64],
        is_edge: npt.NDArray[np.bool_],
        stamp: float,
    ) -> None:
        """Let an image vote for clear ground from ``start`` to each of ``ends``, and for edges.

        ``start`` (2,) or (n, 2) and ``ends`` (n, 2) in odom; without an edge the ground is clear
        to the end. What is not finite is left out.
        """
        starts = np.broadcast_to(np.asarray(start, np.float64), ends.shape)
        good = np.isfinite(ends).all(axis=1) & np.isfinite(starts).all(axis=1)
        starts, ends, is_edge = starts[good], ends[good], np.asarray(is_edge, bool)[good]
        if not len(ends):
            return
        longest = float(np.linalg.norm(ends - starts, axis=1).max())
        steps = min(int(longest / RESOLUTION * 1.5) + 2, 4 * _LARGEST)
        shares = np.linspace(0.0, 1.0, steps)[:, None, None]
        path = (starts + shares * (ends - starts)).reshape(-1, 2)
        self._make_room(path)
        edges = np.unique(self._inside(ends[is_edge]))
        self._vote(np.setdiff1d(self._inside(path), edges), -1, stamp)
        self._vote(edges, 1, stamp)

    def grid(self, now: float, objects: Iterable[LocatedObject] = ()) -> Grid:
        """Return what is known now; objects are drawn where they are, and leave no trace."""
        kinds = self._faded(now)
        cells = np.full(kinds.shape, UNKNOWN, np.int8)
        is_seen = kinds == Cell.SEEN
        cells[(is_seen & (self._votes < 0)) | (kinds == Cell.DRIVEN)] = FREE
        cells[is_seen & (self._votes >= _EDGE_VOTES)] = SEEN_EDGE
        cells.ravel()[self._inside(_edges(self._cliffs))] = OCCUPIED
        for thing in objects:
            if thing.pose is not None and not thing.is_carried:
                cells.ravel()[self._inside(_outline(thing))] = OCCUPIED
        low_x, low_y = (float(v) * RESOLUTION for v in self._low)
        return Grid(cells, (low_x, low_y))

    def _faded(self, now: float, at: Any = ...) -> npt.NDArray[np.uint8]:
        """Return what is still known of cells, all or those ``at`` an index."""
        kinds = self._kinds[at]
        is_old = now - self._stamps[at] > _LIMITS[kinds]
        return np.where(is_old, Cell.UNKNOWN, kinds).astype(np.uint8)

    def _vote(self, at: npt.NDArray[np.intp], vote: int, stamp: float) -> None:
        """Count what an image shows in cells."""
        index = np.unravel_index(at, self._kinds.shape)
        old = self._faded(stamp, index)
        votes = np.where(old == Cell.UNKNOWN, 0, self._votes[index]) + vote
        votes = votes.clip(-_MOST_VOTES, _MOST_VOTES)
        self._votes[index] = votes
        stays = (old == Cell.DRIVEN) & (votes < _EDGE_VOTES)
        index = tuple(one[~stays] for one in index)
        self._kinds[index], self._stamps[index] = Cell.SEEN, stamp

    def _inside(self, points: npt.NDArray[np.float64]) -> npt.NDArray[np.intp]:
        """Return the cells, as places in the raveled arrays, of points that there is room for."""
        at = np.floor(points / RESOLUTION + 1e-9).astype(np.intp) - self._low
        height, width = self._kinds.shape
        is_in = (at >= 0).all(axis=1) & (at < (width, height)).all(axis=1)
        inside: npt.NDArray[np.intp] = at[is_in] @ [1, width]
        return inside

    def _make_room(self, points: npt.NDArray[np.float64]) -> None:
        if not len(points):
            return
        at = np.floor(points / RESOLUTION).astype(np.int64)
        size = np.array(self._kinds.shape[::-1])
        low, high = at.min(axis=0), at.max(axis=0) + 1
        if (low >= self._low).all() and (high <= self._low + size).all():
            return
        low = np.where(low < self._low, low - _MARGIN, self._low)
        high = np.where(high > self._low + size, high + _MARGIN, self._low + size)
        if (high - low > _LARGEST).any():
            return
        (left, bottom), (right, top) = self._low - low, high - self._low - size
        around = ((bottom, top), (left, right))
        self._kinds, self._stamps = np.pad(self._kinds, around), np.pad(self._stamps, around)
        self._votes = np.pad(self._votes, around)
        self._low = low


def _edges(cliffs: Matrix) -> npt.NDArray[np.float64]:
    """Return points of the edges, (n, 2), that the cliff sensor met at poses, (n, 4, 4)."""
    half = _CLIFF[1]
    y = np.arange(-half, half + RESOLUTION / 4, RESOLUTION / 2)
    points: npt.NDArray[np.float64] = cliffs[:, None, :2, 3] + y[:, None] * cliffs[:, None, :2, 1]
    return points.reshape(-1, 2)


def _outline(thing: LocatedObject) -> npt.NDArray[np.float64]:
    """Return points that fill what an object takes of the ground; of the charger its wall."""
    assert thing.pose is not None
    size = np.array(thing.size)
    low, high = -size / 2, size / 2
    if thing.kind is Kind.CHARGER:
        # The robot drives onto its plate.
        low = np.array([CHARGER_MARKER[0], low[1], 0.0])
        high = np.array([size[0], high[1], size[2]])
    spans = zip(low, high, strict=True)
    axes = [np.linspace(a, b, int((b - a) / RESOLUTION * 2) + 2) for a, b in spans]
    points = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 3)
    return moved(thing.pose, points)[:, :2]
