"""World files: YAML in metres and degrees, read into a ``Layout`` (docs/simulation.md)."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path
from typing import NamedTuple

from ...plain_yaml import YamlError, load_yaml
from ..body import Pose2D
from ..ground import ON_GROUND
from .entries import Entry, WorldFileError
from .geometry import Point, Polygon, is_convex, overlap, polygon, rectangle, signed_area
from .layout import (
    CubePlace,
    Floor,
    Layout,
    Pattern,
    Solid,
    Tint,
    charger_plate,
    cube_shape,
    dock_pose,
    robot_shape,
)

LARGEST_FILE = 256 * 1024
_LIMIT = 10.0
"""m; nothing is farther from the world's origin."""
_MOST_FLOORS = 32
_MOST = 128
_MOST_CORNERS = 64
_MOST_ROBOTS = 8
_MOST_OUTLINES = 400
_MM = 1000.0


class _Outline(NamedTuple):
    entry: Entry
    shape: Polygon
    what: str


def load_layout(path: Path) -> Layout:
    """Read a world file. Raises ``WorldFileError`` for what is wrong in it, and ``OSError``."""
    name = str(path)
    with path.open("rb") as file:
        data = file.read(LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        raise WorldFileError(f"{name}: it has more than {LARGEST_FILE // 1024} kB: simplify it")
    try:
        value = load_yaml(data)
    except YamlError as error:
        raise WorldFileError(f"{name}: it is no YAML: {error}") from error
    return layout_of(value, name)


def layout_of(value: object, file: str) -> Layout:
    """Return the layout that a world file's content means. Raises ``WorldFileError``."""
    top = Entry(value, file)
    standing: list[_Outline] = []
    taken: set[int] = set()
    layout = Layout(
        name=top.text("name", 40),
        floors=tuple(_floor(entry) for entry in top.entries("floor", _MOST_FLOORS)),
        holes=tuple(_hole(entry) for entry in top.entries("holes", _MOST_FLOORS)),
        solids=(
            *(solid for entry in top.entries("walls", _MOST) for solid in _wall(entry, standing)),
            *(_box(entry, standing) for entry in top.entries("boxes", _MOST)),
        ),
        cubes=tuple(_cube(entry, standing, taken) for entry in top.entries("cubes", 3)),
        charger=_charger(top.entry("charger"), standing) if top.has("charger") else None,
    )
    robots = tuple(_robot(e, layout, standing) for e in top.entries("robots", _MOST_ROBOTS))
    top.done()
    if not layout.floors:
        raise top.refuse("floor is missing or empty: write at least one piece of floor")
    if not robots:
        standing.append(_Outline(top, robot_shape(Pose2D()), "robot"))
    _check_places(layout, standing)
    return replace(layout, robots=robots or (Pose2D(),))


def _check_places(layout: Layout, standing: list[_Outline]) -> None:
    """Refuse a world in which things stand in each other or in the air."""
    if len(standing) > _MOST_OUTLINES:
        raise standing[-1].entry.refuse(
            f"with it there are more than {_MOST_OUTLINES} things and stretches of wall: simplify"
        )
    for outline in standing:
        is_on_floor = layout.floor_at(outline.shape.x, outline.shape.y) is not None
        if outline.what not in ("wall", "box") and not is_on_floor:
            raise outline.entry.refuse(f"there is no floor under the {outline.what}: move it")
    for a, b in combinations(standing, 2):
        if (a.what, b.what) not in _MAY_OVERLAP and overlap(a.shape, b.shape) is not None:
            raise b.entry.refuse(f"the {b.what} stands in a {a.what}: move one of them")


_MAY_OVERLAP = {("wall", "wall"), ("wall", "box"), ("box", "box"), ("charger", "robot")}


def _polygon(entry: Entry) -> tuple[Point, ...]:
    if entry.has("rectangle"):
        x0, y0, x1, y1 = entry.numbers("rectangle", 4, -_LIMIT, _LIMIT)
        corners: tuple[Point, ...] = ((x0, y0), (x1, y0), (x1, y1), (x0, y1))
    else:
        corners = entry.points("polygon", 3, _MOST_CORNERS, _LIMIT)
    if abs(signed_area(corners)) < 1e-4:
        raise entry.refuse("its corners enclose less than 1 cm²: give them in their order around")
    return tuple((x * _MM, y * _MM) for x, y in corners)


def _floor(entry: Entry) -> Floor:
    corners = _polygon(entry)
    floor = Floor(
        corners,
        entry.integer("reflectance", 0, 1023, ON_GROUND),
        entry.integer("gray", 0, 255, 170),
        entry.choice("pattern", Pattern, Pattern.CHECKER),
        entry.choice("tint", Tint, Tint.WHITE),
    )
    entry.done()
    return floor


def _hole(entry: Entry) -> tuple[Point, ...]:
    corners = _polygon(entry)
    entry.done()
    return corners


def _wall(entry: Entry, standing: list[_Outline]) -> list[Solid]:
    """Return a solid for each stretch; they overlap at the corners, so that no gap is left."""
    points = entry.points("points", 2, _MOST_CORNERS, _LIMIT)
    height = entry.number("height", 0.01, 3.0, 0.1) * _MM
    half = entry.number("thickness", 0.002, 1.0, 0.01) * _MM / 2
    gray = entry.integer("gray", 0, 255, 150)
    tint = entry.choice("tint", Tint, Tint.WHITE)
    entry.done()
    solids = []
    for (x0, y0), (x1, y1) in pairwise(points):
        length = math.hypot(x1 - x0, y1 - y0) * _MM
        if length < 1.0:
            raise entry.refuse("two points that follow each other are the same: drop one")
        middle = Pose2D((x0 + x1) / 2 * _MM, (y0 + y1) / 2 * _MM, math.atan2(y1 - y0, x1 - x0))
        shape = rectangle(middle, length / 2 + half, length / 2 + half, half)
        standing.append(_Outline(entry, shape, "wall"))
        solids.append(Solid(shape, height, gray, tint))
    return solids


def _box(entry: Entry, standing: list[_Outline]) -> Solid:
    """A box by its place and size, or a convex prism by its corners."""
    if entry.has("polygon"):
        corners = _polygon(entry)
        if not is_convex(corners):
            raise entry.refuse("its polygon has a dent: make two boxes of it")
        shape = polygon(corners)
        height = entry.number("height", 0.01, 3.0) * _MM
    else:
        pose = _pose(entry)
        length, width, height = (v * _MM for v in entry.numbers("size", 3, 0.005, 10.0))
        shape = rectangle(pose, length / 2, length / 2, width / 2)
    gray = entry.integer("gray", 0, 255, 120)
    solid = Solid(shape, height, gray, entry.choice("tint", Tint, Tint.WHITE))
    entry.done()
    standing.append(_Outline(entry, shape, "box"))
    return solid


def _cube(entry: Entry, standing: list[_Outline], taken: set[int]) -> CubePlace:
    cube = CubePlace(entry.integer("number", 1, 3), _pose(entry))
    entry.done()
    if cube.number in taken:
        raise entry.refuse(f"there is another cube {cube.number}: give each one its own number")
    taken.add(cube.number)
    standing.append(_Outline(entry, cube_shape(cube.pose), "cube"))
    return cube


def _charger(entry: Entry, standing: list[_Outline]) -> Pose2D:
    pose = _pose(entry)
    entry.done()
    standing.append(_Outline(entry, charger_plate(pose), "charger"))
    return pose


def _robot(entry: Entry, layout: Layout, standing: list[_Outline]) -> Pose2D:
    if entry.has("on_charger"):
        if not entry.flag("on_charger"):
            raise entry.refuse("on_charger is false: leave it out and give x, y and yaw")
        if layout.charger is None:
            raise entry.refuse("there is no charger in this world: give the robot x, y and yaw")
        pose = dock_pose(layout.charger)
    else:
        pose = _pose(entry)
    entry.done()
    standing.append(_Outline(entry, robot_shape(pose), "robot"))
    return pose


def _pose(entry: Entry) -> Pose2D:
    """Metres and degrees to mm and rad."""
    return Pose2D(
        entry.number("x", -_LIMIT, _LIMIT) * _MM,
        entry.number("y", -_LIMIT, _LIMIT) * _MM,
        math.radians(entry.number("yaw", -360.0, 360.0, 0.0)),
    )
