"""A map of tags as an occupancy grid for Nav2: the room is what lies between the tags."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from ..emulator import Floor, Layout, Pose2D, Solid, rectangle
from ..localization import CHARGER, MapTag, TagMap
from ..perception import Matrix

Corner = tuple[float, float]
_MM = 1000.0
_ON_WALL = 0.06
"""m from the edge of the room within which a tag hangs on its wall."""
_DEEP = 0.08
"""m of whatever carries a tag that stands in the room: how deep that is, the map does not tell."""
_WHITE = 1.25
"""Width of a card, in sizes of its tag."""
_SMALLEST = 0.01
"""m², of a room."""


def room_of(known: TagMap, outline: Sequence[Corner] = ()) -> Layout:
    """Return the room of a map of tags; ``outline`` are its corners in their order, m.

    Without them it is the smallest convex one that holds all tags: right where tags hang on all
    its walls and no corner points inwards. Raises ``ValueError``.
    """
    tags = [one for one in known.tags.values() if one.name != CHARGER]
    corners = list(outline) or _hull([(one.pose[0, 3], one.pose[1, 3]) for one in tags])
    charger = known.tags.get(CHARGER)
    return Layout(
        known.name,
        (Floor(tuple((_MM * x, _MM * y) for x, y in corners)),),
        solids=tuple(_carrier(one) for one in tags if _away(one, corners) > _ON_WALL),
        charger=None if charger is None else _place(charger.pose, charger.pose[:2, 0]),
    )


def corners_of(texts: Sequence[str]) -> list[Corner]:
    """Return corners that are given as ``X,Y``, m, repeated ones once. Raises ``ValueError``."""
    corners: list[Corner] = []
    for text in texts:
        x, _, y = text.partition(",")
        try:
            corners.append((float(x), float(y)))
        except ValueError:
            raise ValueError(f"{text} is no corner: X,Y in metres, as 1.5,-1") from None
    # A closed outline ends with its first corner.
    corners = [a for a, b in zip(corners, corners[1:] + corners[:1], strict=True) if a != b]
    if texts and len(corners) < 3:
        raise ValueError("a room has at least three corners, such as 0,0 3,0 3,2 0,2")
    return corners


def _hull(places: Iterable[Corner]) -> list[Corner]:
    """Return the corners of the smallest convex polygon around some places."""
    known = sorted({(float(x), float(y)) for x, y in places})
    hull = [*_chain(known), *_chain(known[::-1])]
    pairs = zip(hull, hull[1:] + hull[:1], strict=True)
    area = sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in pairs)
    if area / 2 < _SMALLEST:
        raise ValueError(
            "the tags enclose no room: map tags on at least three walls, or give its --corners"
        )
    return hull


def _chain(places: Sequence[Corner]) -> list[Corner]:
    """Return one side of the hull of places in order, without its end (Andrew's algorithm)."""
    chain: list[Corner] = []
    for x, y in places:
        while len(chain) > 1:
            (x0, y0), (x1, y1) = chain[-2:]
            if (x1 - x0) * (y - y0) > (y1 - y0) * (x - x0):
                break
            chain.pop()
        chain.append((x, y))
    return chain[:-1]


def _away(one: MapTag, corners: Sequence[Corner]) -> float:
    """Return how far a tag is from the nearest edge of the room, m."""
    starts = np.array(corners)
    edges = np.roll(starts, -1, axis=0) - starts
    beside = one.pose[:2, 3] - starts
    shares = np.clip((beside * edges).sum(axis=1) / (edges**2).sum(axis=1), 0.0, 1.0)
    return float(np.linalg.norm(beside - shares[:, None] * edges, axis=1).min())


def _carrier(one: MapTag) -> Solid:
    """Return the box that a tag in the room is on; the second axis of the tag leads into it."""
    width = _MM * _WHITE * one.size
    shape = rectangle(_place(one.pose, one.pose[:2, 1]), _MM * _DEEP, 0.0, width / 2)
    return Solid(shape, width)


def _place(pose: Matrix, ahead: Matrix) -> Pose2D:
    x, y = (_MM * float(part) for part in pose[:2, 3])
    return Pose2D(x, y, math.atan2(ahead[1], ahead[0]))
