"""Meshes of the light cube and the charger, each in the frame of its link (millimetres).

The signs on them are our own: the printed markers of the real ones are not copied.
"""

from __future__ import annotations

import math

from manifold3d import CrossSection, Manifold
from shapes import (
    both_sides,
    box,
    disc,
    front,
    grow,
    hull,
    polygon,
    rounded_rectangle,
    side,
    soft_side,
    union,
)

CUBE_EDGE = 44.0
MARKER_EDGE = 25.0

CHARGER_LENGTH = 96.0
CHARGER_WIDTH = 80.0
CHARGER_HEIGHT = 31.0
CHARGER_WALL = 86.0
CHARGER_MARKER = (27.0, 20.0)
CHARGER_MARKER_HEIGHT = 22.0

_FACE_TURNS = [(0, 0, 0), (0, 90, 0), (0, 180, 0), (0, -90, 0), (0, 0, 90), (0, 0, -90)]


def _on_every_face(piece: Manifold) -> Manifold:
    """A piece made for the +x face repeated on all six."""
    return union(*(piece.rotate(turn) for turn in _FACE_TURNS))


def _cube_block() -> Manifold:
    half = CUBE_EDGE / 2
    return box((-half, half), (-half, half), (-half, half), 3.0)


def _cube_core() -> Manifold:
    """An octahedron that leaves the cube's eight corners outside."""
    reach = 53.0
    points = [
        tuple(sign * reach if axis == index else 0.0 for index in range(3))
        for axis in range(3)
        for sign in (-1, 1)
    ]
    return Manifold.hull_points(points)


def cube_body() -> Manifold:
    """Grey cube, 44 on edge, without its corners, a shallow field on each face."""
    field = front(rounded_rectangle(31, 31, 7), CUBE_EDGE / 2 - 1.2, CUBE_EDGE)
    return (_cube_block() ^ _cube_core()) - _on_every_face(field)


def cube_corners(top: bool) -> Manifold:
    """The four translucent corners that hold the lights (top) or stand on the table."""
    corners = _cube_block() - _cube_core()
    return corners.trim_by_plane((0, 0, 1 if top else -1), 0.0)


def _dots(count: int, spread: float, radius: float) -> CrossSection:
    if count == 1:
        return disc(0, 0, radius)
    marks = CrossSection.compose([])
    for index in range(count):
        angle = 2 * math.pi * index / count + math.pi / 2
        marks += disc(spread * math.cos(angle), spread * math.sin(angle), radius)
    return marks


def cube_marker(number: int) -> Manifold:
    """White frame, 25 on edge, around as many dots as the cube's number, on each face."""
    frame = rounded_rectangle(MARKER_EDGE, MARKER_EDGE, 5) - rounded_rectangle(
        MARKER_EDGE - 4, MARKER_EDGE - 4, 3.4
    )
    depth = CUBE_EDGE / 2 - 1.2
    return _on_every_face(front(frame + _dots(number, 4.6, 2.9), depth - 0.4, depth + 0.5))


def charger_base() -> Manifold:
    """White tray: ramp lip, two lanes for the treads, a tongue between and rails outside."""
    half = CHARGER_WIDTH / 2
    floor = side(
        polygon([(0, 0), (3, 0.8), (CHARGER_LENGTH, 0.8), (CHARGER_LENGTH, 0)]), -half, half
    )
    rail_section = grow(polygon([(7, 1), (26, 8.5), (92, 8.5), (92, 1)]), 1.0)
    rail = soft_side(rail_section, 31.5, half, 1.4)
    wall_section = grow(polygon([(88, 1), (88, 29), (93, 29), (94, 1)]), 2.0)
    wall = soft_side(wall_section, -half, half, 2.0)
    corner = soft_side(grow(polygon([(64, 2), (88, 27), (92, 27), (92, 2)]), 1.5), 32.5, half, 1.4)
    solid = union(floor, both_sides(union(rail, corner)), wall)
    return solid.trim_by_plane((0, 0, 1), 0.0)


def charger_tongue() -> Manifold:
    """Dark tongue between the lanes, in front of the wall."""
    section = grow(polygon([(6, 0.5), (14, 3.5), (CHARGER_WALL, 3.5), (CHARGER_WALL, 0.5)]), 0.5)
    return soft_side(section, -14.5, 14.5, 0.5)


def charger_contacts() -> Manifold:
    """The two contact springs at the tongue's inner end."""
    strip = soft_side(hull(disc(72, 3.6, 1.2), disc(80, 3.6, 1.2)), 4.0, 7.5, 0.5)
    return both_sides(strip)


def charger_marker_plate() -> Manifold:
    """Dark plate on the wall that carries the sign."""
    return front(
        rounded_rectangle(40, 24, 4).translate((0, 17.8)), CHARGER_WALL - 0.5, CHARGER_WALL
    )


def charger_marker() -> Manifold:
    """White sign, 27 wide, on the wall; its upper edge ends with the plate's."""
    width, height = CHARGER_MARKER
    frame = rounded_rectangle(width, height - 3, 3.5) - rounded_rectangle(width - 4, height - 7, 2)
    bolt = polygon([(-1, 0.8), (2.4, 5), (3.6, 5), (1.2, -0.4)]) + polygon(
        [(1, -0.8), (-2.4, -5), (-3.6, -5), (-1.2, 0.4)]
    )
    sign = (frame + bolt).translate((0, CHARGER_MARKER_HEIGHT - 2.2))
    return front(sign, CHARGER_WALL - 0.9, CHARGER_WALL)
