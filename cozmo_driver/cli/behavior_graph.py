"""Activities and behaviours as a tree, for the terminal and as a picture."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..behavior import FREEPLAY, ActivityConfig, load_files, load_reaction_map
from ..resources import ConfigError
from .common import as_command_error

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


@dataclass(frozen=True, slots=True)
class Node:
    """An activity, behaviour or trigger; ``why_never`` is the reason why a behaviour cannot run."""

    name: str
    about: str = ""
    is_behavior: bool = False
    why_never: str = ""
    children: tuple[Node, ...] = ()


class Life:
    """Behaviours and activities of the user's files and the driver's own."""

    def __init__(self, resources: str, files: Iterable[Path] = ()) -> None:
        """Raises ``CommandError``, ``ResourceError``."""
        with as_command_error(ConfigError):
            found = load_files(resources, files)
        reactions = load_reaction_map(found.trees)
        self.behaviors, self.activities = found.make_behaviors(), found.activities
        self.warnings = [str(one) for one in (*found.warnings, *reactions.warnings)]
        self._reactions = reactions.reactions

    def tree(self, activity: str = "") -> Node:
        """Return the activities below one; below the root by default."""
        return self._activity(self.activities[activity or FREEPLAY], frozenset())

    @property
    def reactions(self) -> Node:
        """Every trigger with the behaviours that answer it."""
        triggers = []
        for trigger, entries in sorted(self._reactions.items()):
            answers = tuple(
                self._behavior(reaction.behavior, "" if reaction.resumes else "does not resume")
                for of_file in entries
                for reaction in of_file
            )
            triggers.append(Node(trigger.file_name, "", children=answers))
        return Node("Reactions", "in the order of evaluation", children=tuple(triggers))

    def _activity(self, config: ActivityConfig, above: frozenset[str]) -> Node:
        seen = above | {config.id}
        children = [
            self._activity(self.activities[name], seen)
            for name in config.children
            if name in self.activities and name not in seen
        ]
        for chooser in (config.interlude, config.chooser):
            between = "between others" if chooser is config.interlude else ""
            for name, _ in chooser.behaviors if chooser else ():
                children.append(self._behavior(name, between))
        return Node(config.id, _about(config), children=tuple(children))

    def _behavior(self, name: str, about: str) -> Node:
        known = self.behaviors.get(name)
        missing = "there is no such behaviour" if known is None else known.missing
        return Node(name, about, True, missing)


def _about(config: ActivityConfig) -> str:
    strategy = config.strategy
    facts = []
    if config.children:
        facts.append("the first that wants to")
    elif config.chooser is not None:
        facts.append(config.chooser.type)
    if strategy.type != "Simple":
        facts.append(f"when {strategy.type}" + (f" {strategy.need}" if strategy.need else ""))
    if config.spark:
        facts.append(f"spark {config.spark.name}")
    if strategy.mood:
        facts.append("in the mood")
    if strategy.hours:
        facts.append("from {:g} to {:g} o'clock".format(*strategy.hours))
    if strategy.cooldown > 0.0:
        facts.append(f"not again for {strategy.cooldown:g} s")
    return ", ".join(facts)


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
    below = sum(map(_rows, node.children))
    return max(below, _EXPLAINED if node.children and node.about else 1.0)


def _depth(node: Node) -> int:
    return 1 + max(map(_depth, node.children), default=0)
