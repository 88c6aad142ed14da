"""Maps of tags: which landmark is where on the map, how surely; read from and written to YAML.

docs/localization.md describes the file. m and degrees in the file, rad here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ..perception import Matrix, TagError, parse_tag, pose, rotation
from ..plain_yaml import YamlError, load_yaml
from ..whole_files import read_whole, write_whole

CHARGER = "charger"
MAPS = "maps"
"""Folder of the user's maps, in ``data_directory``."""
MOST_TAGS = 100
"""The filter's time grows with their number's square: 100 take 3 ms for an image."""
LARGEST_FILE = 256 * 1024
SIZES = (0.01, 0.5)
"""m, of a tag's black square. From 1 cm on a camera of 320 x 240 finds it, from 8 cm away."""
FARTHEST = 50.0
"""m from the map's origin."""
DEVIATION = (0.005, math.radians(1.0))
"""Standard deviations of position, m, and rotation, rad, of a tag placed with a ruler by hand."""
_DEVIATIONS = ((1e-4, 5.0), (math.radians(0.01), math.pi))
_FORMAT, _VERSION = "cozmo_driver tag map", 1
_FILE_KEYS = {"format", "version", "name", "origin", "tags"}
_TAG_KEYS = {"tag", "size", "position", "facing", "lean", "turn", "deviation"}


class MapError(ValueError):
    """A map that cannot be used; the text says what is wrong, where, and what to write."""


@dataclass(frozen=True, slots=True, eq=False)
class MapTag:
    """A landmark of the map: a tag such as ``36h11:5``, or the charger."""

    name: str
    size: float
    """Outer edge of its black border, m; of the charger 0."""
    pose: Matrix
    """4x4, on the map. A tag's frame has x to its right, y into it, z up; the charger's is on the
    floor at its lip, x inwards."""
    deviation: tuple[float, float] = DEVIATION
    """Standard deviations of its position on each axis, m, and of its rotation, rad."""

    @property
    def angles(self) -> tuple[float, float, float]:
        """Return where it looks to, how it leans and is turned, rad; see ``pose_of``."""
        if self.name == CHARGER:
            return math.atan2(-self.pose[1, 0], -self.pose[0, 0]), 0.0, 0.0
        return angles_of(self.pose)


@dataclass(frozen=True, slots=True)
class TagMap:
    """Landmarks by their names. The map's frame has z up and the floor at 0."""

    tags: Mapping[str, MapTag] = field(default_factory=lambda: MappingProxyType({}))
    name: str = "map"
    origin: str = ""
    """What defines the map's frame, for people: a landmark's name or a few words."""

    @classmethod
    def of(cls, tags: Iterable[MapTag], name: str = "map", origin: str = "") -> TagMap:
        """Return the map of some landmarks. Raises ``MapError``."""
        known: dict[str, MapTag] = {}
        for one in tags:
            if one.name in known:
                raise MapError(f"{one.name} stands twice: each number may hang in one place only")
            known[one.name] = one
        if len(known) > MOST_TAGS:
            raise MapError(f"it has {len(known)} tags; {MOST_TAGS} are the most")
        return cls(MappingProxyType(known), name, origin)

    @property
    def families(self) -> frozenset[str]:
        """Return the families of its tags, as in ``36h11``."""
        return frozenset(name.partition(":")[0] for name in self.tags if name != CHARGER)


def landmark_name(text: str) -> str:
    """Return the name of a tag or the charger. Raises ``TagError``."""
    return text if text == CHARGER else str(parse_tag(text))


def load_map(path: Path) -> TagMap:
    """Read a map file. Raises ``MapError`` for what is wrong in it, and ``OSError``."""
    data = read_whole(path, LARGEST_FILE)
    try:
        return map_of(load_yaml(data))
    except YamlError as error:
        raise MapError(f"{path}: it is no YAML: {error}") from None
    except MapError as error:
        raise MapError(f"{path}: {error}") from None


def map_of(content: Any) -> TagMap:
    """Return the map that a file's content means. Raises ``MapError``."""
    if content is None:
        raise MapError(
            "it is empty: write it with cozmo map, or by hand as in docs/localization.md"
        )
    if not isinstance(content, Mapping):
        raise MapError("it holds no keys such as format, version and tags")
    if (content.get("format"), content.get("version")) != (_FORMAT, _VERSION):
        raise MapError(f"it is no map of tags: it lacks format: {_FORMAT} and version: {_VERSION}")
    _check_keys(content, _FILE_KEYS, "the file")
    entries = content.get("tags")
    if not isinstance(entries, list) or not entries:
        raise MapError("it has no tags: tags is a list of them")
    if len(entries) > MOST_TAGS:
        raise MapError(f"it has {len(entries)} tags; {MOST_TAGS} are the most")
    tags = [_tag_of(entry, number) for number, entry in enumerate(entries, 1)]
    return TagMap.of(tags, _text(content, "name", "map"), _text(content, "origin", ""))


def save_map(path: Path, known: TagMap) -> None:
    """Write a map file in one step. Raises ``OSError``."""
    lines = [f"format: {_FORMAT}", f"version: {_VERSION}", f"name: {_quoted(known.name)}"]
    lines += [f"origin: {_quoted(known.origin)}"] if known.origin else []
    lines += ["# m and degrees; see docs/localization.md", "tags:"]
    for one in known.tags.values():
        # YAML reads a number such as 1e-05 as a text.
        place = ", ".join(f"{round(float(value), 5) + 0.0:.5f}" for value in one.pose[:3, 3])
        facing, lean, turn = (round(math.degrees(a), 3) + 0.0 for a in one.angles)
        spread, angle = one.deviation[0], math.degrees(one.deviation[1])
        size = "" if one.name == CHARGER else f"size: {one.size:g}, "
        lines.append(
            f'  - {{tag: "{one.name}", {size}position: [{place}], facing: {facing}, '
            f"lean: {lean}, turn: {turn}, deviation: [{spread:.5f}, {angle:.3f}]}}"
        )
    write_whole(path, "\n".join(lines) + "\n", 0o644)


def pose_of(
    position: tuple[float, float, float], facing: float, lean: float, turn: float
) -> Matrix:
    """Return the frame of a tag that looks to ``facing``, leans back and is turned; rad.

    ``facing``: heading of the direction from which it is read; ``lean``: by how much that points
    up; ``turn``: counter-clockwise as it is looked at.
    """
    placed = pose(*position, facing + math.pi / 2)
    placed[:3, :3] = placed[:3, :3] @ rotation((-lean, 0.0, 0.0)) @ rotation((0.0, -turn, 0.0))
    return placed


def angles_of(placed: Matrix) -> tuple[float, float, float]:
    """Return ``facing``, ``lean`` and ``turn`` of a tag's frame, rad."""
    outward = -placed[:3, 1]
    lean = math.asin(min(max(float(outward[2]), -1.0), 1.0))
    level = math.hypot(float(outward[0]), float(outward[1]))
    # Of a tag that lies on the floor only the sum of facing and turn means anything.
    facing = math.atan2(outward[1], outward[0]) if level > 1e-9 else 0.0
    upright = pose_of((0.0, 0.0, 0.0), facing, lean, 0.0)[:3, :3].T @ placed[:3, :3]
    return facing, lean, math.atan2(-upright[0, 2], upright[0, 0])


def _tag_of(entry: Any, number: int) -> MapTag:
    where = f"tag {number}"
    if not isinstance(entry, Mapping):
        raise MapError(f"{where} has no keys such as tag, size, position and facing")
    _check_keys(entry, _TAG_KEYS, where)
    name = entry.get("tag")
    try:
        name = landmark_name(str(name))
        where = f"tag {number}, {name}"
        size = 0.0 if name == CHARGER else _number(entry.get("size"), *SIZES, "size, m,")
        x, y, z = _numbers(entry.get("position"), 3, "position")
        facing = math.radians(_angle(entry, "facing"))
        if name == CHARGER:
            placed = pose(x, y, z, facing + math.pi)
        else:
            lean, turn = (math.radians(_angle(entry, key, 0.0)) for key in ("lean", "turn"))
            placed = pose_of((x, y, z), facing, lean, turn)
        return MapTag(name, size, placed, _deviation(entry))
    except (TagError, ValueError) as error:
        raise MapError(f"{where}: {error}") from None


def _deviation(entry: Mapping[str, Any]) -> tuple[float, float]:
    given = entry.get("deviation")
    if given is None:
        return DEVIATION
    if not isinstance(given, list) or len(given) != 2:
        raise ValueError("deviation is two numbers: m and degrees")
    (least, most), (least_angle, most_angle) = _DEVIATIONS
    spread = _number(given[0], 0.0, most, "deviation, m,")
    angle = _number(given[1], 0.0, math.degrees(most_angle), "deviation, degrees,")
    # A certainty of 0 would forbid the filter to ever doubt it.
    return max(spread, least), max(math.radians(angle), least_angle)


def _angle(entry: Mapping[str, Any], key: str, default: float | None = None) -> float:
    return _number(entry.get(key, default), -360.0, 360.0, f"{key}, degrees,")


def _numbers(values: Any, count: int, what: str) -> list[float]:
    if not isinstance(values, list) or len(values) != count:
        raise ValueError(f"{what} is {count} numbers in m")
    return [_number(value, -FARTHEST, FARTHEST, f"{what}, m,") for value in values]


def _number(value: Any, least: float, most: float, what: str) -> float:
    if type(value) not in (int, float) or not least <= value <= most:
        raise ValueError(f"{what} is a number from {least:g} to {most:g}")
    return float(value)


def _text(content: Mapping[str, Any], key: str, default: str) -> str:
    value = content.get(key, default)
    if not isinstance(value, str) or len(value) > 80 or not value.isprintable():
        raise MapError(f"{key} is a text of at most 80 characters")
    return value


def _check_keys(entry: Mapping[Any, Any], keys: set[str], what: str) -> None:
    unknown = [str(key)[:40] for key in entry if key not in keys]
    if unknown:
        raise MapError(f"{what}: {unknown[0]!r} is no key; there are {', '.join(sorted(keys))}")


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
