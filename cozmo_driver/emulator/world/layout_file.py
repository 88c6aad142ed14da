"""World files: YAML in metres and degrees, read into a ``Layout`` (docs/simulation.md).

Every value is checked, and what is wrong is refused with its place.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from enum import Enum
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from ...installation import find_shared
from ...plain_yaml import YamlError, load_yaml
from ...whole_files import read_whole
from ..body import Pose2D
from ..hardware import ON_GROUND
from .layout import (
    Floor,
    Layout,
    Pattern,
    Point,
    Polygon,
    Solid,
    Tint,
    charger_plate,
    cube_shape,
    dock_pose,
    is_convex,
    overlap,
    polygon,
    rectangle,
    robot_shape,
    signed_area,
)

_Choice = TypeVar("_Choice", bound=Enum)
_REQUIRED: Any = object()
LARGEST_FILE = 256 * 1024
_LIMIT = 10.0
"""m; nothing is farther from the world's origin."""
_MOST_FLOORS = 32
_MOST = 128
_MOST_CORNERS = 64
_MOST_ROBOTS = 8
_MOST_OUTLINES = 400
_MM = 1000.0
_FOLDER = Path("config") / "worlds"


class WorldFileError(ValueError):
    """What is wrong in a world file, where, and what to write instead; one line."""


class Entry:
    """A mapping of a file; remembers which keys were read."""

    def __init__(self, value: object, file: str, place: str = "") -> None:
        """Take a value at ``place`` of ``file``. Raises ``WorldFileError`` if it is no mapping."""
        self._file, self._place = file, place
        self._known: list[str] = []
        if not isinstance(value, dict):
            raise self._wrong("", value, "write keys with values, one a line")
        self._values: dict[object, object] = value

    def number(self, key: str, low: float, high: float, default: float = _REQUIRED) -> float:
        value = self._get(key, default)
        if not _is_number(value) or not low <= value <= high:
            raise self._wrong(key, value, f"write a number from {low:g} to {high:g}")
        return float(value)

    def integer(self, key: str, low: int, high: int, default: int = _REQUIRED) -> int:
        value = self._get(key, default)
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return value
        raise self._wrong(key, value, f"write a whole number from {low} to {high}")

    def flag(self, key: str) -> bool:
        value = self._get(key)
        if not isinstance(value, bool):
            raise self._wrong(key, value, "write true or false")
        return value

    def text(self, key: str, longest: int, default: str = _REQUIRED) -> str:
        """Return a text that is not empty."""
        value = self._get(key, default)
        if not isinstance(value, str) or not 0 < len(value) <= longest:
            raise self._wrong(key, value, f"write a text of at most {longest} characters")
        return value

    def choice(self, key: str, kind: type[_Choice], default: _Choice) -> _Choice:
        """Return a member of ``kind`` by its value."""
        value = self._get(key, default.value)
        for member in kind:
            if member.value == value:
                return member
        names = ", ".join(str(member.value) for member in kind)
        raise self._wrong(key, value, f"choose one of: {names}")

    def numbers(self, key: str, count: int, low: float, high: float) -> tuple[float, ...]:
        """Return a list of ``count`` numbers within limits."""
        value = self._get(key)
        if not _are_numbers(value, count, low, high):
            expected = f"write [{', '.join(['number'] * count)}], each from {low:g} to {high:g}"
            raise self._wrong(key, value, expected)
        return tuple(map(float, value))

    def points(
        self, key: str, least: int, most: int, limit: float
    ) -> tuple[tuple[float, float], ...]:
        """Return a list of [x, y] with coordinates up to ``limit``."""
        value = self._get(key)
        if not isinstance(value, list) or not least <= len(value) <= most:
            raise self._wrong(key, value, f"write a list of {least} to {most} points [x, y]")
        for index, point in enumerate(value):
            if not _are_numbers(point, 2, -limit, limit):
                expected = f"write [x, y], each from {-limit:g} to {limit:g}"
                raise self._wrong(f"{key}[{index}]", point, expected)
        return tuple((float(x), float(y)) for x, y in value)

    def has(self, key: str) -> bool:
        self._known.append(key)
        return key in self._values

    def entry(self, key: str) -> Entry:
        """Return the mapping under a key that is there."""
        return Entry(self._get(key), self._file, self._at(key))

    def entries(self, key: str, most: int) -> Iterator[Entry]:
        """Return the mappings in the list under a key; none when it is not there."""
        value = self._get(key, [])
        if not isinstance(value, list) or len(value) > most:
            raise self._wrong(key, value, f"write a list of at most {most} entries")
        for index, item in enumerate(value):
            yield Entry(item, self._file, self._at(f"{key}[{index}]"))

    def done(self) -> None:
        """Refuse keys that were not read."""
        for key in self._values:
            if key not in self._known:
                known = ", ".join(dict.fromkeys(self._known))
                raise self._error(f"{self._at(str(key)[:40])} is not known; known here: {known}")

    def refuse(self, why: str) -> WorldFileError:
        """Return the error that this entry makes no sense, to be raised."""
        return self._error(f"{self._place}: {why}" if self._place else why)

    def _get(self, key: str, default: object = _REQUIRED) -> Any:
        self._known.append(key)
        value = self._values.get(key, default)
        if value is _REQUIRED:
            raise self._error(f"{self._at(key)} is missing: write it")
        return value

    def _at(self, key: str) -> str:
        return f"{self._place}.{key}" if self._place and key else self._place or key

    def _wrong(self, key: str, value: object, expected: str) -> WorldFileError:
        shown = repr(value)
        shown = shown if len(shown) <= 60 else f"{shown[:60]}..."
        return self._error(f"{self._at(key) or 'the file'} is {shown}: {expected}")

    def _error(self, text: str) -> WorldFileError:
        return WorldFileError(f"{self._file}: {text}")


def _is_number(value: object) -> bool:
    """NaN and infinity are numbers, too; both are outside of any limits."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _are_numbers(value: object, count: int, low: float, high: float) -> bool:
    return (
        isinstance(value, list)
        and len(value) == count
        and all(_is_number(each) and low <= each <= high for each in value)
    )


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
    layout = Layout(
        name=top.text("name", 40),
        floors=tuple(_floor(entry) for entry in top.entries("floor", _MOST_FLOORS)),
        holes=tuple(_hole(entry) for entry in top.entries("holes", _MOST_FLOORS)),
        solids=(
            *(solid for entry in top.entries("walls", _MOST) for solid in _wall(entry, standing)),
            *(_box(entry, standing) for entry in top.entries("boxes", _MOST)),
        ),
        cubes=_cubes(top, standing),
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


def _cubes(top: Entry, standing: list[_Outline]) -> dict[int, Pose2D]:
    cubes: dict[int, Pose2D] = {}
    for entry in top.entries("cubes", 3):
        number, pose = entry.integer("number", 1, 3), _pose(entry)
        entry.done()
        if number in cubes:
            raise entry.refuse(f"there is another cube {number}: give each one its own number")
        cubes[number] = pose
        standing.append(_Outline(entry, cube_shape(pose), "cube"))
    return cubes


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
