"""What a robot can do from a place of the lattice: cells of 10 mm, 16 headings (spec 16 §5)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from .obstacles import TREAD

CELL = 0.010
HEADINGS = 16
_QUADRANT = ((1, 0), (2, 1), (1, 1), (1, 2))
SPEED, _REVERSE_SPEED = 0.060, 0.025
"""m/s that paths are compared with."""
_SPIN_FACTOR, _REVERSE_FACTOR = 2.0, 1.2
_LONG = 0.045
_RADII = {1: 0.090, 2: 0.034}
"""Smallest radius of a turn by so many headings, m."""
_FARTHEST = 8
"""Cells to where a turn may lead; its line and its arc end in the middle of one."""


class Kind(Enum):
    LINE = "line"
    ARC = "arc"
    SPIN = "spin"


def directions() -> Iterator[tuple[int, int]]:
    """Return the cell to which each heading points."""
    for quarter in range(4):
        for x, y in _QUADRANT:
            for _ in range(quarter):
                x, y = -y, x
            yield x, y


DIRECTIONS = tuple(directions())
ANGLES = tuple(math.atan2(y, x) % (2 * math.pi) for x, y in DIRECTIONS)


def angle_of(level: int) -> float:
    """Return the heading of a level: twice a heading's number, or odd for the middle of two."""
    here, there = ANGLES[level // 2 % HEADINGS], ANGLES[(level + 1) // 2 % HEADINGS]
    return here + math.remainder(there - here, 2 * math.pi) / 2


@dataclass(frozen=True, slots=True)
class Sample:
    """A pose on the path: the heading's level, and the offset from the start, m."""

    level: int
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Primitive:
    """One move from a heading to another; an arc has a line before or after it."""

    kind: Kind
    start: int
    end: int
    cells: tuple[int, int]
    cost: float
    """s."""
    length: float
    """m that the outer tread goes."""
    samples: tuple[Sample, ...]
    is_reverse: bool = False
    radius: float = 0.0
    line: float = 0.0
    is_line_first: bool = True

    @property
    def sweep(self) -> float:
        return math.remainder(ANGLES[self.end] - ANGLES[self.start], 2 * math.pi)


def drive_cost(length: float, *, is_reverse: bool = False) -> float:
    if is_reverse:
        return _REVERSE_FACTOR * length / _REVERSE_SPEED
    return length / SPEED


def spin_cost(angle: float) -> float:
    return _SPIN_FACTOR * spin_length(angle) / SPEED


def spin_length(angle: float) -> float:
    return TREAD * abs(angle)


def _straight(heading: int, steps: int, *, is_reverse: bool = False) -> Primitive:
    sign = -1 if is_reverse else 1
    dx, dy = DIRECTIONS[heading]
    path = [(sign * dx * n, sign * dy * n) for n in range(1, steps + 1)]
    samples = tuple(Sample(2 * heading, x * CELL, y * CELL) for x, y in path)
    length = math.hypot(dx, dy) * steps * CELL
    cost = drive_cost(length, is_reverse=is_reverse)
    return Primitive(Kind.LINE, heading, heading, path[-1], cost, length, samples, is_reverse)


def _spin(heading: int, by: int) -> Primitive:
    end = (heading + by) % HEADINGS
    angle = math.remainder(ANGLES[end] - ANGLES[heading], 2 * math.pi)
    samples = (Sample((2 * heading + by) % 32, 0.0, 0.0), Sample(2 * end, 0.0, 0.0))
    cost, length = spin_cost(angle), spin_length(angle)
    return Primitive(Kind.SPIN, heading, end, (0, 0), cost, length, samples)


def _turn(heading: int, by: int) -> Primitive:
    """Return the shortest line and arc, in either order, that end in the middle of a cell."""
    end = (heading + by) % HEADINGS
    here, there = ANGLES[heading], ANGLES[end]
    sweep = math.remainder(there - here, 2 * math.pi)
    sign = math.copysign(1.0, sweep)
    # Where an arc of radius 1 ends.
    ax = sign * (math.sin(there) - math.sin(here))
    ay = sign * (math.cos(here) - math.cos(there))
    found = []
    cells = range(-_FARTHEST, _FARTHEST + 1)
    for cx in cells:
        for cy in cells:
            for is_first in (True, False):
                ux, uy = (math.cos(a := here if is_first else there), math.sin(a))
                determinant = ux * ay - uy * ax
                line = (cx * ay - cy * ax) / determinant * CELL
                radius = (ux * cy - uy * cx) / determinant * CELL
                if line >= -1e-9 and radius >= _RADII[abs(by)]:
                    length = line + radius * abs(sweep)
                    found.append((length, line, radius, is_first, (cx, cy)))
    length, line, radius, is_first, cell = min(found)
    samples = tuple(_bend(heading, by, line, radius, is_first))
    cost = (line + abs(sweep) * (radius + TREAD)) / SPEED
    return Primitive(
        Kind.ARC, heading, end, cell, cost, length, samples, False, radius, line, is_first
    )


def _bend(heading: int, by: int, line: float, radius: float, is_first: bool) -> Iterator[Sample]:
    """Return samples at the start of the arc and wherever it passes a level."""
    here, sign = ANGLES[heading], math.copysign(1.0, by)
    x, y = (line * math.cos(here), line * math.sin(here)) if is_first else (0.0, 0.0)
    for step in range(2 * abs(by) + 1):
        level = (2 * heading + int(sign) * step) % (2 * HEADINGS)
        angle = angle_of(level)
        yield Sample(
            level,
            x + sign * radius * (math.sin(angle) - math.sin(here)),
            y + sign * radius * (math.cos(here) - math.cos(angle)),
        )
    if not is_first:
        end = (heading + by) % HEADINGS
        last = angle_of(2 * end)
        yield Sample(
            2 * end,
            sign * radius * (math.sin(last) - math.sin(here)) + line * math.cos(last),
            sign * radius * (math.cos(here) - math.cos(last)) + line * math.sin(last),
        )


def _moves(heading: int) -> Iterator[Primitive]:
    yield _straight(heading, 1)
    yield _straight(heading, math.ceil(_LONG / CELL / math.hypot(*DIRECTIONS[heading])))
    for by in (1, -1, 2, -2):
        yield _turn(heading, by)
    yield _spin(heading, 1)
    yield _spin(heading, -1)
    yield _straight(heading, 1, is_reverse=True)


PRIMITIVES = tuple(tuple(_moves(heading)) for heading in range(HEADINGS))
REACH = max(abs(n) for moves in PRIMITIVES for move in moves for n in move.cells)
"""Cells that one move goes at most."""
