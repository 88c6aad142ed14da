"""World files: YAML in metres and degrees, read into a ``Layout`` (docs/simulation.md).

Every value is checked, and what is wrong is refused with its place.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path
from typing import NamedTuple

from ...installation import find_shared
from ...media import SIDE_AXES
from ...plain_yaml import YamlError, load_yaml
from ...whole_files import read_whole
from ..body import Pose2D
from ..hardware import ON_GROUND
from .entry import Entry, WorldFileError
from .layout import (
    Floor,
    Layout,
    Pattern,
    Solid,
    Tint,
    charger_plate,
    dock_pose,
    robot_shape,
)
from .polygons import (
    Point,
    Polygon,
    contains,
    is_convex,
    overlap,
    polygon,
    rectangle,
    signed_area,
)
from .prints import PrintError, photograph, tag
from .things import CubePlace, Form, Moving, Print

LARGEST_FILE = 256 * 1024
_LIMIT = 10.0
"""m; nothing is farther from the world's origin."""
_MOST_FLOORS = 32
_MOST = 128
_MOST_CORNERS = 64
_MOST_ROBOTS = 8
_MOST_OUTLINES = 400
_MOST_PRINTS, _MOST_MOVING = 16, 8
_TALLEST = 3000.0
_BOARD, _BOARD_GRAY = 5.0, 90
"""Thickness in mm and gray of the board that carries a picture."""
_MM = 1000.0
_FOLDER = Path("config") / "worlds"


class _Outline(NamedTuple):
    entry: Entry
    shape: Polygon
    what: str


def load_layout(path: Path) -> Layout:
    """Read a world file. Raises ``WorldFileError`` for what is wrong in it, and ``OSError``."""
    name = str(path)
    try:
        value = load_yaml(read_whole(path, LARGEST_FILE))
    except YamlError as error:
        raise WorldFileError(f"{name}: it is no YAML: {error}") from error
    return layout_of(value, name)


def layout_of(value: object, file: str) -> Layout:
    """Return the layout that a world file's content means. Raises ``WorldFileError``."""
    top = Entry(value, file)
    standing: list[_Outline] = []
    folder = Path(file).parent
    layout = Layout(
        name=_name(top),
        floors=tuple(_floor(entry) for entry in top.entries("floor", _MOST_FLOORS)),
        holes=tuple(_polygon(entry) for entry in top.entries("holes", _MOST_FLOORS)),
        solids=(
            *(solid for entry in top.entries("walls", _MOST) for solid in _wall(entry, standing)),
            *(_box(entry, standing) for entry in top.entries("boxes", _MOST)),
            *(_stand(entry, folder, standing) for entry in top.entries("pictures", _MOST_PRINTS)),
        ),
        cubes=_cubes(top, standing),
        charger=_charger(top.entry("charger"), standing) if top.has("charger") else None,
        moving=tuple(_moving(entry) for entry in top.entries("moving", _MOST_MOVING)),
        light=top.number("light", 0.0, 10.0, 1.0),
        flicker=top.number("flicker", 0.0, 1.0, 0.0),
    )
    if top.has("slope"):
        slope = top.entry("slope")
        degrees, uphill = slope.number("degrees", 0.0, 10.0), slope.number("uphill", -360.0, 360.0)
        layout = replace(layout, slope=math.radians(degrees), uphill=math.radians(uphill))
        slope.done()
    robots = tuple(_robot(e, layout, standing) for e in top.entries("robots", _MOST_ROBOTS))
    top.done()
    if not layout.floors:
        raise top.refuse("floor is missing or empty: write at least one piece of floor")
    if not robots:
        standing.append(_Outline(top, robot_shape(Pose2D()), "robot"))
    _check_places(layout, standing)
    return replace(layout, robots=robots or (Pose2D(),))


def _name(top: Entry) -> str:
    """Return the name of the world, of which names of files are made."""
    name = top.text("name", 40)
    if "/" in name or name.startswith(".") or not name.isprintable():
        raise top.refuse(
            f"name is {name!r}: write printable characters, no / and no . at its start"
        )
    return name


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
    return Floor(
        _polygon(entry),
        entry.integer("reflectance", 0, 1023, ON_GROUND),
        entry.integer("gray", 0, 255, 170),
        entry.choice("pattern", Pattern, Pattern.CHECKER),
        entry.choice("tint", Tint, Tint.WHITE),
        entry.number("track", 0.046, 0.2) * _MM if entry.has("track") else None,
    )


def _wall(entry: Entry, standing: list[_Outline]) -> list[Solid]:
    """Return a solid for each stretch; they overlap at the corners, so that no gap is left."""
    points = entry.points("points", 2, _MOST_CORNERS, _LIMIT)
    height = entry.number("height", 0.01, 3.0, 0.1) * _MM
    half = entry.number("thickness", 0.002, 1.0, 0.01) * _MM / 2
    gray = entry.integer("gray", 0, 255, 150)
    tint = entry.choice("tint", Tint, Tint.WHITE)
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
    prints = _tags(entry)
    if prints and entry.has("polygon"):
        raise entry.refuse("tags are for boxes with x, y and size: drop them or give those")
    gray = entry.integer("gray", 0, 255, 120)
    standing.append(_Outline(entry, shape, "box"))
    return Solid(shape, height, gray, entry.choice("tint", Tint, Tint.WHITE), prints)


def _tags(thing: Entry) -> tuple[Print, ...]:
    """Return the tags on a box or cube; ``size`` is that of the dark square."""
    prints = []
    for entry in thing.entries("tags", _MOST_PRINTS):
        side = entry.text("side", 10, "front")
        if side not in SIDE_AXES:
            raise entry.refuse(f"there is no side {side}; there are: {', '.join(SIDE_AXES)}")
        size = entry.number("size", 0.005, 1.0, 0.025) * _MM
        right, up = (entry.number(key, -1.0, 1.0, 0.0) * _MM for key in ("right", "up"))
        try:
            pictures, margin = tag(entry.text("tag", 40))
        except PrintError as error:
            raise entry.refuse(str(error)) from error
        prints.append(Print(side, size * margin, size * margin, right, up, pictures))
    return tuple(prints)


def _stand(entry: Entry, folder: Path, standing: list[_Outline]) -> Solid:
    """A picture of the user on a board: a file, beside the world file or with its whole path."""
    pose, file = _pose(entry), entry.text("file", 400)
    if not file.isprintable():
        raise entry.refuse("file has characters that no name of a file should have: rename it")
    try:
        pictures = photograph(folder / Path(file))
    except PrintError as error:
        raise entry.refuse(str(error)) from error
    rows, columns = pictures[0].shape
    width = entry.number("width", 0.02, 2.0, 0.2) * _MM
    height = width * rows / columns
    foot = entry.number("z", 0.0, 2.0, 0.0) * _MM
    if foot + height > _TALLEST:
        raise entry.refuse(f"it would be {height / _MM:.1f} m high: make its width smaller")
    shape = rectangle(pose, _BOARD, 0.0, width / 2)
    standing.append(_Outline(entry, shape, "box"))
    print_ = Print("front", width, height, 0.0, foot / 2, pictures)
    return Solid(shape, foot + height, _BOARD_GRAY, prints=(print_,))


def _moving(entry: Entry) -> Moving:
    points = entry.lists("path", 3, 2, _MOST_CORNERS, _LIMIT)
    path = tuple((x * _MM, y * _MM, z * _MM) for x, y, z in points)
    if all(point == path[0] for point in path):
        raise entry.refuse("its path has no length: give two different points")
    return Moving(
        entry.choice("form", Form, Form.BALL),
        entry.number("size", 0.005, 1.0, 0.06) * _MM,
        path,
        entry.number("speed", 0.001, 5.0, 0.2) * _MM,
        entry.integer("gray", 1, 255, 190),
    )


def _cubes(top: Entry, standing: list[_Outline]) -> dict[int, CubePlace]:
    cubes: dict[int, CubePlace] = {}
    for entry in top.entries("cubes", 3):
        number = entry.integer("number", 1, 3)
        if number in cubes:
            raise entry.refuse(f"there is another cube {number}: give each one its own number")
        if entry.has("on_cube"):
            place = _cube_on_another(entry, cubes)
        else:
            bottom = entry.number("z", 0.0, 3.0, 0.0) * _MM
            place = CubePlace(_pose(entry), *_tilt(entry), bottom)
        cubes[number] = place = replace(place, prints=_tags(entry))
        if place.bottom == 0.0:
            standing.append(_Outline(entry, place.shape(), "cube"))
    return cubes


def _cube_on_another(entry: Entry, cubes: dict[int, CubePlace]) -> CubePlace:
    """A cube in a stack: over the middle of the one below, unless ``x`` and ``y`` are given."""
    below = entry.integer("on_cube", 1, 3)
    if below not in cubes:
        raise entry.refuse(f"there is no cube {below} before it: list the lower one first")
    base = cubes[below]
    pose = _pose(entry, Pose2D(base.pose.x, base.pose.y))
    if not contains(base.shape().corners, pose.x, pose.y):
        raise entry.refuse(f"its middle is not over cube {below}: it would fall off")
    return CubePlace(pose, *_tilt(entry), base.top, below)


def _tilt(entry: Entry) -> tuple[float, float]:
    roll, pitch = (math.radians(entry.number(key, -180.0, 180.0, 0.0)) for key in ("roll", "pitch"))
    return roll, pitch


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
    standing.append(_Outline(entry, robot_shape(pose), "robot"))
    return pose


def _pose(entry: Entry, default: Pose2D | None = None) -> Pose2D:
    """Metres and degrees to mm and rad; ``default`` is where ``x`` and ``y`` may be left out."""
    more = ((), ()) if default is None else ((default.x / _MM,), (default.y / _MM,))
    return Pose2D(
        entry.number("x", -_LIMIT, _LIMIT, *more[0]) * _MM,
        entry.number("y", -_LIMIT, _LIMIT, *more[1]) * _MM,
        math.radians(entry.number("yaw", -360.0, 360.0, 0.0)),
    )


def find_world(name_or_file: str) -> Path:
    """Return the file of a world that comes with the package, or the file itself.

    A name is one without ``/`` and ``.yaml``. Raises ``WorldFileError``.
    """
    if "/" in name_or_file or name_or_file.endswith((".yaml", ".yml")):
        return Path(name_or_file)
    known = known_worlds()
    if name_or_file not in known:
        names = ", ".join(sorted(known)) or "none"
        raise WorldFileError(
            f"there is no world {name_or_file}; there are: {names}. Or give a file: ./my_world.yaml"
        )
    return known[name_or_file]


def known_worlds() -> dict[str, Path]:
    """Return the worlds that come with the package, by name."""
    place = find_shared(_FOLDER)
    return {} if place is None else {path.stem: path for path in (place / _FOLDER).glob("*.yaml")}
