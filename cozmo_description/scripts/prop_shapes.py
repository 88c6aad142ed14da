"""Meshes of the light cube and the charger, each in the frame of its link (millimetres).

The markers on them are our own: those of the real ones are not copied. They are drawn
as `cozmo_driver.media.printed_markers` does.
"""

from __future__ import annotations

from itertools import product

import cv2
import numpy as np
from manifold3d import CrossSection, FillRule, JoinType, Manifold
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

from cozmo_driver.media.printed_markers import (
    CHARGER_CODE,
    CHARGER_MARKER_SIZE,
    SIDE_AXES,
    code_of,
    draw_marker,
)

CUBE_EDGE = 44.0
MARKER_EDGE = 25.0

CHARGER_LENGTH = 96.0
CHARGER_WIDTH = 80.0
CHARGER_HEIGHT = 31.0
CHARGER_WALL = 86.0
CHARGER_STICKER = (27.0, 18.0)
CHARGER_MARKER_HEIGHT = 21.6
"""Of its middle: lower than the frame by 0.4, so that it does not stand over the wall."""

CUBE_CAP = 9.0
STICKER_EDGE = 26.5
_FIELD_DEPTH, _PANEL_DEPTH = 0.4, 1.5
_PIXEL = 0.1
"""Of a drawn marker."""


def _on_side(piece: Manifold, side_name: str) -> Manifold:
    """A piece made for the +x face, z up, moved to a side of the cube."""
    normal, up = (np.array(v, float) for v in SIDE_AXES[side_name])
    rotation = np.column_stack((normal, np.cross(up, normal), up))
    return piece.transform(np.column_stack((rotation, np.zeros(3))))


def _on_every_side(piece: Manifold) -> Manifold:
    return union(*(_on_side(piece, name) for name in SIDE_AXES))


def _cube_block() -> Manifold:
    half = CUBE_EDGE / 2
    return box((-half, half), (-half, half), (-half, half), 2.0)


def _cube_caps(heights: tuple[int, ...]) -> Manifold:
    """The corners that the caps take, below (-1) or above (1) the middle."""
    low, high = CUBE_EDGE / 2 - CUBE_CAP, CUBE_EDGE
    spans = {1: (low, high), -1: (-high, -low)}
    corners = product((1, -1), (1, -1), heights)
    return union(*(box(spans[x], spans[y], spans[z]) for x, y, z in corners))


def cube_body() -> Manifold:
    """Light cube, 44 on edge, without its corners; panels around each sticker are recessed."""
    half = CUBE_EDGE / 2
    field = rounded_rectangle(STICKER_EDGE, STICKER_EDGE, 2)
    panel = CrossSection.square((6.0, 2 * (half - CUBE_CAP - 3.0)), center=True)
    reach = half - 5.0
    panels = panel.translate((reach, 0)) + panel.translate((-reach, 0))
    panels += panels.rotate(90)
    dents = front(field, half - _FIELD_DEPTH, CUBE_EDGE) + front(
        panels, half - _PANEL_DEPTH, CUBE_EDGE
    )
    return _cube_block() - _cube_caps((1, -1)) - _on_every_side(dents)


def cube_corners(top: bool) -> Manifold:
    """The four black caps that hold the lights (top) or stand on the table."""
    return _cube_block() ^ _cube_caps((1,) if top else (-1,))


def cube_stickers() -> Manifold:
    """The white sticker of each side."""
    sticker = rounded_rectangle(STICKER_EDGE, STICKER_EDGE, 2)
    depth = CUBE_EDGE / 2 - _FIELD_DEPTH
    return _on_every_side(front(sticker, depth - 0.1, depth + 0.1))


def cube_marker(number: int) -> Manifold:
    """The dark ring, 25 on edge, and the marker in it, on each side."""
    depth = CUBE_EDGE / 2 - _FIELD_DEPTH
    markers = (
        _on_side(front(_marker(code_of(number, name), MARKER_EDGE), depth, depth + 0.3), name)
        for name in SIDE_AXES
    )
    return union(*markers)


def _marker(code: int, width: float) -> CrossSection:
    """What is dark of a marker, about the origin, as seen from outside."""
    pixels = round(width / _PIXEL)
    drawn = np.pad(draw_marker(code, pixels), 1, constant_values=255)
    dark = (drawn < 128).astype(np.uint8)
    outlines, _ = cv2.findContours(dark, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
    # Contours go through the middles of dark pixels.
    smooth = [cv2.approxPolyDP(outline, 0.6, True)[:, 0].astype(float) for outline in outlines]
    rows, columns = dark.shape
    points = [
        np.column_stack((line[:, 0] - (columns - 1) / 2, (rows - 1) / 2 - line[:, 1])) * _PIXEL
        for line in smooth
        if len(line) > 2
    ]
    return CrossSection(points, FillRule.EvenOdd).offset(_PIXEL / 2, JoinType.Miter)


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
    """Black plate on the wall that carries the sticker."""
    return front(
        rounded_rectangle(46, 27, 3).translate((0, 16.5)), CHARGER_WALL - 0.5, CHARGER_WALL
    )


def charger_sticker() -> Manifold:
    """Light sticker on the plate."""
    width, height = CHARGER_STICKER
    sticker = rounded_rectangle(width, height, 1.5).translate((0, CHARGER_MARKER_HEIGHT))
    return front(sticker, CHARGER_WALL - 0.7, CHARGER_WALL - 0.4)


def charger_marker() -> Manifold:
    """Dark ring and the marker in it; it faces the entrance, -x."""
    # As seen from the entrance, right is -y.
    marker = _marker(CHARGER_CODE, CHARGER_MARKER_SIZE[0] * 1000.0).mirror((1, 0))
    marker = marker.translate((0, CHARGER_MARKER_HEIGHT))
    return front(marker, CHARGER_WALL - 0.9, CHARGER_WALL - 0.6)
