"""A tree of activities and behaviours for the terminal, and as a picture."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from .behavior_tree import Node

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_INK, _GRAY, _LINE, _NOW = "#1f2933", "#98a4b0", "#b6c2ce", "#c8501e"
_ROW = 0.24
"""Inches for one line of the picture."""
_COLUMN = 2.9
_ABOUT = 44
"""Letters of an explanation that a picture has room for."""
_EXPLAINED = 1.8
"""Lines that a name with its explanation below takes."""


def lines_of(tree: Node, running: Collection[str]) -> Iterator[str]:
    """Yield the tree line by line; what runs is marked with an asterisk."""
    yield _line(tree, running)
    yield from _below(tree, running, "")


def _below(node: Node, running: Collection[str], indent: str) -> Iterator[str]:
    for child in node.children:
        is_last = child is node.children[-1]
        yield f"{indent}{'└─ ' if is_last else '├─ '}{_line(child, running)}"
        yield from _below(child, running, indent + ("   " if is_last else "│  "))


def _line(node: Node, running: Collection[str]) -> str:
    about = f"-- {node.why_never}" if node.why_never else node.about
    mark = "* " if node.name in running else ""
    return f"{mark}{node.name}" + (f"  ({about})" if about else "")


def draw(tree: Node, running: Collection[str], file: Path) -> None:
    """Draw the tree from left to right; what runs is in another colour, what cannot run gray."""
    # Slow to import, and wanted for pictures only.
    from matplotlib.figure import Figure

    rows, columns = _rows(tree), _depth(tree)
    size = (_COLUMN * columns + 1.0, _ROW * rows + 0.6)
    figure = Figure(figsize=size)
    axes = figure.add_axes((0.01, 0.0, 0.98, 1.0))
    axes.set_xlim(0.0, columns + 0.35)
    axes.set_ylim(rows, -1.2)
    axes.axis("off")
    _draw(axes, tree, running, 0, 0)
    figure.savefig(file, dpi=110)


def _draw(axes: Axes, node: Node, running: Collection[str], column: int, row: float) -> float:
    """Draw a node whose lines begin at ``row``; return where the node itself is."""
    places = []
    # A few children of an explained node stand in the middle of its lines.
    next_row = row + (_rows(node) - sum(map(_rows, node.children))) / 2 if node.children else row
    for child in node.children:
        places.append(_draw(axes, child, running, column + 1, next_row))
        next_row += _rows(child)
    y = (places[0] + places[-1]) / 2 if places else row
    is_running = node.name in running
    ink = _NOW if is_running else _GRAY if node.why_never else _INK
    is_strong = is_running or not node.is_behavior
    weight = "bold" if is_strong else "normal"
    axes.text(column, y, node.name, va="center", size=9, color=ink, weight=weight)
    about = node.why_never or node.about
    if about:
        short = about if len(about) <= _ABOUT else f"{about[: _ABOUT - 1]}…"
        x, below = (column, 0.62) if node.children else (column + 0.82, 0.0)
        axes.text(x, y + below, short, va="center", size=7, color=_GRAY, style="italic")
    for child, at in zip(node.children, places, strict=True):
        color = _NOW if is_running and child.name in running else _LINE
        axes.plot([column + 0.72, column + 0.86, column + 0.86, column + 0.97], [y, y, at, at],
                  color=color, linewidth=1.0, solid_joinstyle="round")  # fmt: skip
    return y


def _rows(node: Node) -> float:
    """Return how many lines a node and what is below it take."""
    below = sum(map(_rows, node.children))
    return max(below, _EXPLAINED if node.children and node.about else 1.0)


def _depth(node: Node) -> int:
    return 1 + max(map(_depth, node.children), default=0)
