"""Convex polygons on the floor: do two overlap, how deep, and where do they touch. mm, rad."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ..body import Pose2D

Point = tuple[float, float]
_TOUCHING = 1e-6
"""mm; polygons that overlap by less only touch, and corners so near are the same."""


@dataclass(frozen=True, slots=True)
class Polygon:
    """Corners counter-clockwise, with the circle around them that rules most others out."""

    corners: tuple[Point, ...]
    x: float
    y: float
    radius: float


@dataclass(frozen=True, slots=True)
class Overlap:
    """The shortest move out: ``depth`` mm along the unit vector (x, y); about a point."""

    x: float
    y: float
    depth: float
    at: Point


def polygon(corners: Iterable[Point]) -> Polygon:
    """Return a convex polygon of corners given in either direction round it.

    A corner may be repeated, as the first one is at the end of a closed outline.
    """
    given = tuple(corners)
    points = tuple(
        a for a, b in zip(given, _shifted(given), strict=True) if math.dist(a, b) > _TOUCHING
    )
    if signed_area(points) < 0.0:
        points = points[::-1]
    x = sum(point[0] for point in points) / len(points)
    y = sum(point[1] for point in points) / len(points)
    radius = max(math.hypot(px - x, py - y) for px, py in points)
    return Polygon(points, x, y, radius)


def rectangle(pose: Pose2D, front: float, rear: float, half_width: float) -> Polygon:
    """Return what reaches ``front`` ahead, ``rear`` behind and ``half_width`` to both sides."""
    c, s = math.cos(pose.angle), math.sin(pose.angle)
    x, y, middle = pose.x, pose.y, (front - rear) / 2
    ahead_x, ahead_y, back_x, back_y = c * front, s * front, c * rear, s * rear
    left_x, left_y = -s * half_width, c * half_width
    corners = (
        (x + ahead_x - left_x, y + ahead_y - left_y),
        (x + ahead_x + left_x, y + ahead_y + left_y),
        (x - back_x + left_x, y - back_y + left_y),
        (x - back_x - left_x, y - back_y - left_y),
    )
    radius = math.hypot((front + rear) / 2, half_width)
    return Polygon(corners, x + c * middle, y + s * middle, radius)


def signed_area(points: Sequence[Point]) -> float:
    """Return the area in mm^2, negative for corners that go round clockwise."""
    return (
        sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in zip(points, _shifted(points), strict=True))
        / 2
    )


def is_convex(points: Sequence[Point]) -> bool:
    """Whether the corners make a polygon without a dent, of at least three corners."""
    sign = math.copysign(1.0, signed_area(points))
    rest = _shifted(_shifted(points))
    turns = (
        ((bx - ax) * (cy - by) - (by - ay) * (cx - bx)) * sign
        for (ax, ay), (bx, by), (cx, cy) in zip(points, _shifted(points), rest, strict=True)
    )
    return len(points) > 2 and signed_area(points) != 0.0 and all(turn >= 0.0 for turn in turns)


def contains(points: Sequence[Point], x: Any, y: Any) -> Any:
    """Whether a point, or each of an array of them, is inside a polygon (even-odd rule)."""
    inside = False
    x0, y0 = points[-1]
    for x1, y1 in points:
        if y0 != y1:
            inside = inside ^ ((y0 > y) != (y1 > y)) & (x < x0 + (y - y0) * (x1 - x0) / (y1 - y0))
        x0, y0 = x1, y1
    return inside


def overlap(a: Polygon, b: Polygon) -> Overlap | None:
    """Return the shortest move of ``a`` out of ``b``; None when they do not overlap."""
    if math.hypot(a.x - b.x, a.y - b.y) >= a.radius + b.radius:
        return None
    depth, best = math.inf, (0.0, 0.0)
    for own, other, sign in ((a, b, -1.0), (b, a, 1.0)):
        for (x0, y0), (x1, y1) in zip(own.corners, _shifted(own.corners), strict=True):
            length = math.hypot(x1 - x0, y1 - y0)
            # The outward normal of a side; nothing of ``own`` lies beyond that side.
            nx, ny = (y1 - y0) / length, (x0 - x1) / length
            reach = nx * x0 + ny * y0 - min(nx * x + ny * y for x, y in other.corners)
            if reach <= _TOUCHING:
                return None
            if reach < depth:
                depth, best = reach, (nx * sign, ny * sign)
    return Overlap(*best, depth, _between(a, b, best, depth))


def _between(a: Polygon, b: Polygon, normal: Point, depth: float) -> Point:
    """Return the middle of where two polygons touch that overlap by ``depth`` along ``normal``.

    What touches are the corners that are deeper than the other's foremost one, and the stretch
    between them; of two stretches it is what they have in common.
    """
    nx, ny = normal
    low = min(nx * x + ny * y for x, y in a.corners)
    own = [nx * y - ny * x for x, y in a.corners if nx * x + ny * y <= low + depth]
    other = [nx * y - ny * x for x, y in b.corners if nx * x + ny * y >= low]
    along = (max(min(own), min(other)) + min(max(own), max(other))) / 2
    across = low + depth / 2
    return nx * across - ny * along, ny * across + nx * along


def pushed(pose: Pose2D, hit: Overlap, reach: float) -> Pose2D:
    """Return where a thing goes that is pushed at a point just far enough out of the way.

    It slides on the floor without momentum: pushed beside its centre it also turns, the more the
    smaller its ``reach`` in mm, the radius at which friction holds it against turning.
    """
    lever = (hit.at[0] - pose.x) * hit.y - (hit.at[1] - pose.y) * hit.x
    distance = hit.depth / (1.0 + (lever / reach) ** 2)
    turn = distance * lever / reach**2
    return Pose2D(pose.x + distance * hit.x, pose.y + distance * hit.y, pose.angle + turn)


def _shifted(points: Sequence[Point]) -> tuple[Point, ...]:
    return (*points[1:], points[0])
