"""Boxes with tags on them, as a user declares them (spec 15 §2.1).

Frames of boxes have their origin in the middle; x points to the back, y to the left, z up.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...media import SIDE_AXES
from ..world.frames import Matrix, side_pose
from .tags import Tag, TagError, parse_tag

_SIZES = (0.005, 2.0)
"""m, of boxes and tags."""
MOST_OBJECTS, _MOST_TAGS = 100, 20
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,40}")
_TAKEN = re.compile(r"cube_\d+|charger")


class ObjectsError(ValueError):
    """Objects that cannot be used; the text says which and why."""


@dataclass(frozen=True, slots=True, eq=False)
class PlacedTag:
    """A tag on an object."""

    tag: Tag
    size: float
    """Outer edge of its black border, m."""
    pose: Matrix
    """Of the tag's frame in the object's, 4x4: x to its right, z up, y into it."""
    side: str


@dataclass(frozen=True, slots=True)
class TaggedObject:
    """A box with tags."""

    name: str
    size: tuple[float, float, float]
    """Along x (front to back), y and z; m."""
    tags: tuple[PlacedTag, ...]


def objects_of(content: Any) -> list[TaggedObject]:
    """Return the objects that a file declares; see config/vision.yaml. Raises ``ObjectsError``."""
    if content is None:
        return []
    if not isinstance(content, Mapping) or not set(content) <= {"objects"}:
        raise ObjectsError("it needs the key objects, and no other")
    declared = content.get("objects") or {}
    if not isinstance(declared, Mapping) or len(declared) > MOST_OBJECTS:
        raise ObjectsError(f"objects is no mapping of at most {MOST_OBJECTS} names")
    objects: list[TaggedObject] = []
    taken: dict[Tag, str] = {}
    for name, entry in declared.items():
        try:
            one = _object_of(name, entry)
            for placed in one.tags:
                if placed.tag in taken:
                    raise ValueError(f"{placed.tag} is on {taken[placed.tag]}, too")
                taken[placed.tag] = name
        except KeyError as error:
            raise ObjectsError(f"object {str(name)[:40]}: {error} is missing") from None
        except (TagError, TypeError, ValueError) as error:
            raise ObjectsError(f"object {str(name)[:40]}: {error}") from None
        objects.append(one)
    return objects


def _object_of(name: Any, entry: Any) -> TaggedObject:
    if not isinstance(name, str) or not _NAME.fullmatch(name) or _TAKEN.fullmatch(name):
        raise ValueError("a name is a letter, then letters, digits and _, and not of a cube")
    known = _mapping(entry, {"size", "tags"})
    size = known["size"]
    if not isinstance(size, list) or len(size) != 3:
        raise ValueError("size is three lengths in m: depth, width, height")
    x, y, z = (_length(value, "size") for value in size)
    tags = known["tags"]
    if not isinstance(tags, list) or not 1 <= len(tags) <= _MOST_TAGS:
        raise ValueError(f"tags is a list of 1 to {_MOST_TAGS}")
    return TaggedObject(name, (x, y, z), tuple(_placed(tag, (x, y, z)) for tag in tags))


def _placed(entry: Any, box: tuple[float, float, float]) -> PlacedTag:
    known = _mapping(entry, {"tag", "size", "side", "offset", "turn"})
    side = known["side"]
    if side not in SIDE_AXES:
        raise ValueError(f"side is one of {', '.join(SIDE_AXES)}")
    offset = known.get("offset", [0.0, 0.0])
    if not isinstance(offset, list) or len(offset) != 2:
        raise ValueError("offset is two lengths in m: to the right, up")
    right, up = (_number(value, "offset", -_SIZES[1], _SIZES[1]) for value in offset)
    turn = math.radians(_number(known.get("turn", 0.0), "turn", -360.0, 360.0))
    pose = side_pose(side, box, (right, up), turn)
    return PlacedTag(parse_tag(str(known["tag"])), _length(known["size"], "size"), pose, side)


def _mapping(entry: Any, keys: set[str]) -> Mapping[str, Any]:
    if not isinstance(entry, Mapping) or not set(entry) <= keys:
        raise ValueError(f"it has the keys {', '.join(sorted(keys))}, and no others")
    return entry


def _length(value: Any, what: str) -> float:
    return _number(value, what, *_SIZES)


def _number(value: Any, what: str, least: float, most: float) -> float:
    if type(value) not in (int, float) or not least <= value <= most:
        raise ValueError(f"{what} is a number from {least:g} to {most:g}")
    return float(value)
