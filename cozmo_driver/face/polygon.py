"""Filling of polygons, pixel by pixel as the app's engine does it (spec 04 §5).

Every edge is drawn as a 4-connected line; then each row is filled from the left edge to the right
one, both included. A bitmap is one whole number: pixel (x, y) is its bit ``STRIDE * y + x``. So a
line between two pixels is a pattern made once, shifted to its place, and all rows between two edges
are filled by one subtraction.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

WIDTH, HEIGHT = 128, 64
STRIDE = 256
"""Wide enough that the difference of two pixels' bits is how far apart they are."""

Point = tuple[int, int]


class _Edge(NamedTuple):
    """An edge that goes down from ``start`` to ``end``, rows, and ``dx`` px to the right."""

    x: int
    start: int
    dx: int
    end: int


_HALF, _ONE = 1 << 15, 1 << 16
"""Of a pixel, in the fixed-point numbers of the edges."""


def fill(corners: npt.NDArray[np.int16]) -> int:
    """Return the bitmap of a polygon: rows of x and y, three at least, on the canvas or off it."""
    first = corners[0]
    bitmap, left, top, right, bottom = _form((corners - first).tobytes())
    x, y = int(first[0]), int(first[1])
    if x + left >= 0 and y + top >= 0 and x + right < WIDTH and y + bottom < HEIGHT:
        return bitmap << STRIDE * (y + top) + x + left
    return fill_anywhere(corners.tolist())


@lru_cache(2048)
def _form(steps: bytes) -> tuple[int, int, int, int, int]:
    """Return a polygon's bitmap in the corner of the canvas, and left, top, right and bottom.

    All places, and ``steps``, int16, count from the polygon's first corner. The bitmap of one that
    does not fit on the canvas is 0.
    """
    corners = np.frombuffer(steps, np.int16).reshape(-1, 2)
    low, high = corners.min(axis=0), corners.max(axis=0)
    (left, top), (right, bottom) = low.tolist(), high.tolist()
    bitmap = 0
    if right - left < WIDTH and bottom - top < HEIGHT:
        bitmap = _fill_inside((corners - low).tolist())
    return bitmap, left, top, right, bottom


def _fill_inside(points: Sequence[Sequence[int]]) -> int:
    places = [STRIDE * y + x for x, y in points]
    lines = down = up = rows = 0
    start = places[-1]
    for end in places:
        line, at, dy, ends = _edge(end - start)
        place = start + at
        lines |= line << place
        if dy > 0:
            down |= ends << place
            rows += dy
        elif dy:
            up |= ends << place
        start = end
    # What goes down and up again on one side cannot be filled so.
    inside = _between(down, up) if rows == max(y for _, y in points) else None
    return lines | (_inside(points) if inside is None else inside)


def _between(one: int, other: int) -> int | None:
    """Return the rows between two edges that have one bit in each; None where they cross."""
    for left, right in ((one, other << 1), (other, one << 1)):
        inside = right - left
        if inside >= 0 and not right & (inside | left):
            return inside
    return None


def _inside(points: Sequence[Sequence[int]]) -> int:
    """Return the rows that are filled of a polygon of any form that is on the canvas."""
    sides, bottom = _sides(points)
    rows_above = (1 << STRIDE * bottom) - 1
    one, other = (_ends(side) & rows_above for side in sides)
    inside = _between(one, other)
    return _rows(sides, bottom) if inside is None else inside


def _ends(side: list[_Edge]) -> int:
    """Return one bit in each row: where the edges of one side are."""
    bits = 0
    for x, start, dx, end in side:
        _, at, _, ends = _edge(STRIDE * (end - start) + dx)
        bits |= ends << STRIDE * start + x + at
    return bits


@lru_cache(8192)
def _edge(step: int) -> tuple[int, int, int, int]:
    """Return an edge between two pixels on the canvas that are ``step`` bits apart.

    It is: its line; the place of that from the edge's start; the rows it goes down; and, at the
    same place, one bit in each row but the lowest, where the area beside the edge begins.
    """
    dy = (step + WIDTH) // STRIDE
    dx = step - STRIDE * dy
    left, top = min(0, dx), min(0, dy)
    line = sum(1 << STRIDE * (y - top) + x - left for x, y in _line_pixels((0, 0), (dx, dy)))
    # An edge that goes up is looked at from its upper end.
    first, width = (0, dx) if dy > 0 else (dx, -dx)
    slope = _slope(width, abs(dy)) if dy else 0
    columns = (first - left + (slope * row + _HALF >> 16) for row in range(abs(dy)))
    ends = sum(1 << STRIDE * row + column for row, column in enumerate(columns))
    return line, STRIDE * top + left, dy, ends


def _slope(width: int, height: int) -> int:
    """Return the columns that an edge moves in a row, rounded towards 0."""
    doubled = 2 * _ONE * width + height
    quotient = abs(doubled) // (2 * height)
    return quotient if doubled >= 0 else -quotient


def _line_pixels(start: Point, end: Point) -> list[Point]:
    """Return the pixels of a 4-connected line; it is drawn from its left end."""
    (x, y), (end_x, end_y) = (start, end) if start[0] <= end[0] else (end, start)
    dx, dy = end_x - x, abs(end_y - y)
    down = 1 if end_y >= y else -1
    long, short = ((1, 0), (0, down)) if dx >= dy else ((0, down), (1, 0))
    long_length, short_length = max(dx, dy), min(dx, dy)
    pixels, error = [], 0
    for _ in range(dx + dy + 1):
        pixels.append((x, y))
        if error < 0:
            error += 2 * long_length
            x, y = x + short[0], y + short[1]
        else:
            error -= 2 * short_length
            x, y = x + long[0], y + long[1]
    return pixels


def fill_anywhere(points: Sequence[Sequence[int]]) -> int:
    """Return the bitmap of a polygon with corners anywhere."""
    bitmap = 0
    x1, y1 = points[-1]
    for x2, y2 in points:
        clipped = _clip((x1, y1), (x2, y2))
        if clipped is not None:
            place, end = (STRIDE * y + x for x, y in clipped)
            line, at, _, _ = _edge(end - place)
            bitmap |= line << place + at
        x1, y1 = x2, y2
    return bitmap | _rows(*_sides(points))


def _sides(points: Sequence[Sequence[int]]) -> tuple[tuple[list[_Edge], list[_Edge]], int]:
    """Return the edges met on the two paths down from the top corner, and the row they end at.

    That row, and those below, are not filled. What goes up is passed over, so that no form of the
    polygon matters.
    """
    count = left_over = len(points)
    heights = [y for _, y in points]
    y, bottom = min(heights), max(heights)
    top = heights.index(y)
    sides: tuple[list[_Edge], list[_Edge]] = ([], [])
    at, ends = [top, top], [y, y]
    while y <= bottom:
        for side, direction in ((0, 1), (1, -1)):
            if y < ends[side]:
                continue
            before = at[side]
            while left_over > 0:
                left_over -= 1
                following = (before + direction) % count
                x, end = points[following]
                if end > y:
                    start_x = points[before][0]
                    sides[side].append(_Edge(start_x, y, x - start_x, end))
                    at[side], ends[side] = following, end
                    break
                before = following
            else:
                return sides, y
        y = min(ends)
    return sides, y


def _rows(sides: tuple[list[_Edge], list[_Edge]], bottom: int) -> int:
    """Return what is between the edges of two sides, in the rows above ``bottom``."""
    bitmap = 0
    columns = [_columns(side, min(bottom, HEIGHT)) for side in sides]
    for row, x in columns[0].items():
        left, right = sorted((x, columns[1][row]))
        left, right = left + _HALF >> 16, right + _HALF >> 16
        if right >= 0 and left < WIDTH:
            left, right = max(left, 0), min(right, WIDTH - 1)
            bitmap |= (2 << right) - (1 << left) << STRIDE * row
    return bitmap


def _columns(side: list[_Edge], bottom: int) -> dict[int, int]:
    """Return where the edges are in each row of the canvas, in fixed-point numbers."""
    columns = {}
    for x, start, dx, end in side:
        slope = _slope(dx, end - start)
        for row in range(max(start, 0), min(end, bottom)):
            columns[row] = x * _ONE + slope * (row - start)
    return columns


def _outside(x: int, y: int) -> int:
    """Return the sides of the canvas that a point is beyond: left 1, right 2, top 4, bottom 8."""
    return (x < 0) | (x >= WIDTH) << 1 | (y < 0) << 2 | (y >= HEIGHT) << 3


def _clip(start: Point, end: Point) -> tuple[Point, Point] | None:
    """Return the part of a line on the canvas; where it is cut its ends are rounded towards 0."""
    (x1, y1), (x2, y2) = start, end
    a, b = _outside(x1, y1), _outside(x2, y2)
    if a | b and not a & b:
        if a & 12:
            to = 0 if a < 8 else HEIGHT - 1
            x1, y1 = x1 + int((to - y1) * (x2 - x1) / (y2 - y1)), to
            a = _outside(x1, y1)
        if b & 12:
            to = 0 if b < 8 else HEIGHT - 1
            x2, y2 = x2 + int((to - y2) * (x2 - x1) / (y2 - y1)), to
            b = _outside(x2, y2)
        if a | b and not a & b:
            if a:
                to = 0 if a == 1 else WIDTH - 1
                x1, y1 = to, y1 + int((to - x1) * (y2 - y1) / (x2 - x1))
                a = 0
            if b:
                to = 0 if b == 1 else WIDTH - 1
                x2, y2 = to, y2 + int((to - x2) * (y2 - y1) / (x2 - x1))
                b = 0
    return None if a | b else ((x1, y1), (x2, y2))
