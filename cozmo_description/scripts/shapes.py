"""Solid-modelling helpers for the model's own meshes.

Lengths are millimetres while a shape is built; `write_stl` writes metres.
"Side" sections lie in the robot's x-z plane and are extruded along y.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from manifold3d import CrossSection, JoinType, Manifold, OpType

SEGMENTS = 36
METRES_PER_MILLIMETRE = 0.001

STL_TRIANGLE = np.dtype(
    [("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")],
)


def disc(x: float, y: float, radius: float) -> CrossSection:
    """A filled circle."""
    return CrossSection.circle(radius, SEGMENTS).translate((x, y))


def polygon(points: Iterable[tuple[float, float]]) -> CrossSection:
    """The convex hull of points."""
    return CrossSection.hull_points(np.array(list(points), dtype=np.float64))


def hull(*sections: CrossSection) -> CrossSection:
    """The convex hull of sections."""
    return CrossSection.batch_hull(list(sections))


def grow(section: CrossSection, distance: float) -> CrossSection:
    """A section with every edge moved outwards (inwards when negative), corners round."""
    return section.offset(distance, JoinType.Round, circular_segments=SEGMENTS)


def rounded_rectangle(width: float, height: float, radius: float) -> CrossSection:
    """A rectangle about the origin with round corners."""
    inner = CrossSection.square((width - 2 * radius, height - 2 * radius), center=True)
    return grow(inner, radius)


def union(*solids: Manifold) -> Manifold:
    """All solids as one."""
    return Manifold.batch_boolean(list(solids), OpType.Add)


def side(section: CrossSection, y_from: float, y_to: float) -> Manifold:
    """A side section (x, z) extruded from one y to another."""
    return section.extrude(y_to - y_from).rotate((90, 0, 0)).translate((0, y_to, 0))


def soft_side(section: CrossSection, y_from: float, y_to: float, radius: float) -> Manifold:
    """Like `side` for a convex section, the edges of both ends rounded."""
    steps = 3
    rings = []
    for step in range(steps + 1):
        angle = math.pi / 2 * step / steps
        inset = radius * (1 - math.cos(angle))
        depth = radius * (1 - math.sin(angle))
        ring = grow(section, -inset) if inset else section
        rings.append(side(ring, y_from + depth, y_to - depth))
    return Manifold.batch_hull(rings)


def front(section: CrossSection, x_from: float, x_to: float) -> Manifold:
    """A front section (y, z) extruded from one x to another."""
    return section.extrude(x_to - x_from).rotate((90, 0, 90)).translate((x_from, 0, 0))


def box(
    x: tuple[float, float], y: tuple[float, float], z: tuple[float, float], radius: float = 0.0
) -> Manifold:
    """A box between bounds, its edges rounded by `radius`."""
    low = np.array([x[0], y[0], z[0]]) + radius
    high = np.array([x[1], y[1], z[1]]) - radius
    core = Manifold.cube(tuple(high - low)).translate(tuple(low))
    if radius == 0.0:
        return core
    ball = Manifold.sphere(radius, SEGMENTS // 2)
    corners = [
        ball.translate((cx, cy, cz))
        for cx in (low[0], high[0])
        for cy in (low[1], high[1])
        for cz in (low[2], high[2])
    ]
    return Manifold.batch_hull(corners)


def both_sides(solid: Manifold) -> Manifold:
    """A solid together with its mirror image across the x-z plane."""
    return union(solid, solid.mirror((0, 1, 0)))


def pitched(solid: Manifold, pitch: float, about: tuple[float, float]) -> Manifold:
    """A solid turned by `pitch` (rad, positive = nose down) about a point (x, z)."""
    x, z = about
    return solid.translate((-x, 0, -z)).rotate((0, math.degrees(pitch), 0)).translate((x, 0, z))


def write_stl(solid: Manifold, path: Path) -> None:
    """Write a solid as a binary STL in metres.

    Raises:
        ValueError: the solid is empty, so a boolean operation before it went wrong.
    """
    if solid.is_empty():
        raise ValueError(f"{path.name}: the solid is empty")
    mesh = solid.simplify(0.02).to_mesh()
    vertices = np.asarray(mesh.vert_properties)[:, :3] * METRES_PER_MILLIMETRE
    corners = vertices[np.asarray(mesh.tri_verts)]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    triangles = np.zeros(len(corners), dtype=STL_TRIANGLE)
    triangles["normal"] = normals / np.where(lengths > 0, lengths, 1.0)
    triangles["corners"] = corners
    header = b"cozmo_description mesh, metres".ljust(80, b"\0")
    path.write_bytes(header + np.uint32(len(triangles)).tobytes() + triangles.tobytes())
