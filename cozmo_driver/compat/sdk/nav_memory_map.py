"""``cozmo.nav_memory_map``: what is known of the floor, as a quad tree (spec 21 §5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from .event import Event
from .names import named_values
from .pose import Vector3


class EvtNewNavMemoryMap(Event):
    """Triggered when a map has come."""

    nav_memory_map = "The map"


class _NodeContentType(NamedTuple):
    name: str
    id: int


class NodeContentTypes:
    """What can be in a node."""


for _name, _id in named_values("node_content_types").items():
    _entry = _NodeContentType(_name, _id)
    setattr(NodeContentTypes, f"_{_name}" if _name == "ObstacleProx" else _name, _entry)


def content_named(name: str) -> _NodeContentType:
    found: _NodeContentType = getattr(NodeContentTypes, name)
    return found


class NavMemoryMapGridNode:
    """A square: of one content, or with four children (+x+y, +x-y, -x+y, -x-y)."""

    def __init__(
        self, depth: int, size: float, center: Vector3, parent: NavMemoryMapGridNode | None
    ) -> None:
        self.depth, self.size, self.center, self.parent = depth, size, center, parent
        self.children: list[NavMemoryMapGridNode] | None = None
        self.content: _NodeContentType | None = None

    def __repr__(self) -> str:
        return f"<NavMemoryMapGridNode center={self.center} size={self.size} {self.content}>"

    def contains_point(self, x: float, y: float) -> bool:
        half = self.size / 2
        return abs(x - self.center.x) <= half and abs(y - self.center.y) <= half

    def get_node(self, x: float, y: float) -> NavMemoryMapGridNode | None:
        """Return the smallest node with a point; None outside."""
        if not self.contains_point(x, y):
            return None
        if self.children is None:
            return self
        index = (0 if x >= self.center.x else 2) + (0 if y >= self.center.y else 1)
        return self.children[index].get_node(x, y)

    def get_content(self, x: float, y: float) -> _NodeContentType:
        node = self.get_node(x, y)
        if node is None or node.content is None:
            return content_named("Unknown")
        return node.content


class NavMemoryMapGrid:
    """The map."""

    def __init__(self, origin_id: int, root: NavMemoryMapGridNode) -> None:
        self.origin_id, self._root_node = origin_id, root

    def __repr__(self) -> str:
        return f"<NavMemoryMapGrid center={self.center} size={self.size}>"

    @property
    def root_node(self) -> NavMemoryMapGridNode:
        return self._root_node

    @property
    def size(self) -> float:
        return self._root_node.size

    @property
    def center(self) -> Vector3:
        return self._root_node.center

    def contains_point(self, x: float, y: float) -> bool:
        return self._root_node.contains_point(x, y)

    def get_node(self, x: float, y: float) -> Any:
        return self._root_node.get_node(x, y)

    def get_content(self, x: float, y: float) -> _NodeContentType:
        return self._root_node.get_content(x, y)


_SMALLEST = 10.0
"""mm, of a node."""
_DEPTH = 8


def built(
    origin_id: int, uniform_content: Callable[[float, float, float], str | None]
) -> NavMemoryMapGrid:
    """Build a map; ``uniform_content(x, y, size)`` is None for a square of several contents."""
    size = _SMALLEST * 2**_DEPTH
    root = NavMemoryMapGridNode(_DEPTH, size, Vector3(0.0, 0.0, 0.0), None)
    waiting = [root]
    while waiting:
        node = waiting.pop()
        content = uniform_content(node.center.x, node.center.y, node.size)
        if content is not None or not node.depth:
            node.content = content_named(content or "Unknown")
            continue
        quarter = node.size / 4
        node.children = [
            NavMemoryMapGridNode(
                node.depth - 1,
                node.size / 2,
                Vector3(node.center.x + dx * quarter, node.center.y + dy * quarter, 0.0),
                node,
            )
            for dx, dy in ((1, 1), (1, -1), (-1, 1), (-1, -1))
        ]
        waiting += node.children
    return NavMemoryMapGrid(origin_id, root)
