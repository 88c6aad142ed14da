"""Piecewise linear graphs, as the app's files hold them (spec 12 §2, §7)."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes in the order of x; between them linear, outside as the nearest; equal x is a step.

    Raises ``ValueError`` for no nodes or for numbers that are not finite.
    """

    nodes: tuple[tuple[float, float], ...]

    def __post_init__(self) -> None:
        """Refuse what is no graph."""
        if not self.nodes or not all(map(math.isfinite, (v for node in self.nodes for v in node))):
            raise ValueError("a graph has at least one node, of finite numbers")
        if any(a[0] > b[0] for a, b in zip(self.nodes, self.nodes[1:], strict=False)):
            raise ValueError("the nodes of a graph are in the order of x")

    def __call__(self, x: float) -> float:
        """Return y at x."""
        index = bisect_right(self.nodes, x, key=lambda node: node[0])
        if index == 0:
            return self.nodes[0][1]
        if index == len(self.nodes):
            return self.nodes[-1][1]
        (x0, y0), (x1, y1) = self.nodes[index - 1], self.nodes[index]
        return y0 + (y1 - y0) * (x - x0) / (x1 - x0)

    def fraction(self, x: float) -> float:
        """Return y at x, from 0 to 1."""
        return min(1.0, max(0.0, self(x)))


def read_graph(content: Any, what: str) -> Graph | None:
    """Return the graph of a file's ``{"nodes": [{"x", "y"}]}``, None for none.

    Raises ``ValueError``, which names ``what``.
    """
    if content is None:
        return None
    nodes = content.get("nodes") if isinstance(content, Mapping) else None
    if not isinstance(nodes, list):
        raise ValueError(f"{what}: a graph is an object with a list of nodes")
    if not nodes:
        return None
    try:
        points = [(float(node["x"]), float(node["y"])) for node in nodes]
        return Graph(tuple(sorted(points, key=lambda node: node[0])))
    except (TypeError, KeyError, ValueError) as error:
        raise ValueError(f"{what}: {error}") from None
