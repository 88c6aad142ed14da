"""``python -m docs.diagrams [FOLDER]``: draw the rooms and the states, as the code has them."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Rectangle

from cozmo_driver.protocol.connection import TRANSITIONS, State
from test.test_layers import PACKAGE, ROOT, ROS_RULES, imported_modules, is_ros_side, room_of

IMAGES = ROOT / "docs" / "images"
_INK, _FILL, _LINE, _STRONG = "#1f2933", "#e8f1fa", "#6b8299", "#2f6f9f"
ENTRANCES = ("bringup", "cli")
"""They start the others, and import most of them: without arrows."""
# Chosen so that no arrow crosses a box.
COLUMNS = {
    "bringup": 0.5,
    "cli": 3.0,
    "compat": 2.3,
    "driver": 2.3,
    "checkup": -0.1,
    "manipulation": -0.1,
    "cockpit": 1.05,
    "behavior": 3.6,
    "assistant": 4.6,
    "planning": -0.25,
    "perception": 1.1,
    "localization": -1.3,
    "ros": 2.0,
    "animation": 3.0,
    "music": 3.0,
    "traffic": -1.0,
    "emulator": -0.05,
    "robot": 1.4,
    "resources": 2.6,
    "face": 3.7,
    "link": 1.0,
    "media": 2.4,
    "protocol": 1.7,
}
_APART = 0.8
"""Columns between boxes of one row, at least."""
_STYLE = {
    "svg.hashsalt": "cozmo_driver",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 10.0,
}


def imports() -> tuple[dict[str, set[str]], set[str]]:
    """Return the rooms that each room imports, and which rooms have a ROS side.

    What a ROS side imports is left out: the toolbox ros/ and what its room imports anyway.
    """
    found: dict[str, set[str]] = {}
    with_ros: set[str] = set()
    for path in sorted((ROOT / PACKAGE).rglob("*.py")):
        package = list(path.relative_to(ROOT).parent.parts)
        if len(package) < 2:
            continue
        room = package[1]
        uses = found.setdefault(room, set())
        if room not in ROS_RULES and is_ros_side(room, path):
            with_ros.add(room)
            continue
        for _, module in imported_modules(path, package):
            parts = module.split(".")
            target = room_of(parts) if parts[0] == PACKAGE else ""
            if target and target != room:
                uses.add(target)
    return found, with_ros


def reduced(uses: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Leave out what is reached through another room as well."""

    def below(room: str) -> set[str]:
        return set().union(*({x, *below(x)} for x in uses.get(room, ())))

    return {
        room: {x for x in found if not any(x in below(other) for other in found - {x})}
        for room, found in uses.items()
    }


def heights(uses: Mapping[str, set[str]]) -> dict[str, int]:
    """Return how many rooms lie below each, one after the other."""
    known: dict[str, int] = {}

    def height(room: str) -> int:
        if room not in known:
            known[room] = max((height(x) + 1 for x in uses.get(room, ())), default=0)
        return known[room]

    for room in uses:
        height(room)
    return known


def draw_rooms(file: Path) -> None:
    """Draw who imports whom; what lies lower knows nothing of what lies higher."""
    found, with_ros = imports()
    uses = reduced({room: found[room] for room in found if room not in ENTRANCES})
    rows = heights(uses)
    rows |= dict.fromkeys(ENTRANCES, 1 + max(rows.values()))
    for one, other in combinations(rows, 2):
        if rows[one] == rows[other] and abs(COLUMNS[one] - COLUMNS[other]) < _APART:
            raise ValueError(f"{one}/ is drawn over {other}/: give one of them another column")
    axes = _canvas(8.6, 0.95 * (1 + max(rows.values())) + 0.3)
    boxes = {}
    for room, row in sorted(rows.items()):
        place = (2.6 * COLUMNS[room], 1.35 * row)
        boxes[room] = _box(axes, *place, f"{room}/", room in ROS_RULES, room in with_ros)
    for room, targets in sorted(uses.items()):
        for target in sorted(targets):
            _arrow(axes, boxes[room], boxes[target], 0.0)
    _save(axes, file)


def draw_connection(file: Path) -> None:
    """Draw the states of a connection and what leads from one to another."""
    places = {State.IDLE: (0.0, 0.0), State.CONNECTING: (4.2, 3.6), State.CONNECTED: (8.4, 0.0)}
    ways: dict[tuple[State, State], list[str]] = {}
    for (state, what), target in TRANSITIONS.items():
        ways.setdefault((state, target), []).append(what)
    axes = _canvas(8.4, 4.6)
    boxes = {x: _box(axes, *places[x], x.value, x is State.CONNECTED) for x in places}
    for (state, target), words in ways.items():
        (x0, y0), (x1, y1) = places[state], places[target]
        bend = 0.13 if (target, state) in ways else -0.13
        _arrow(axes, boxes[state], boxes[target], bend)
        # The side to which the arrow bends: to the right of its direction.
        dx, dy = x1 - x0, y1 - y0
        middle = ((x0 + x1) / 2 + bend * dy * 0.62, (y0 + y1) / 2 - bend * dx * 0.62)
        axes.text(*middle, "\n".join(words), ha="center", va="center", color=_INK, fontsize=9,
                  bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5})  # fmt: skip
    _save(axes, file)


def _canvas(width: float, height: float) -> Axes:
    axes: Axes = plt.figure(figsize=(width, height)).add_axes((0.0, 0.0, 1.0, 1.0))
    axes.axis("off")
    return axes


def _box(
    axes: Axes, x: float, y: float, text: str, is_strong: bool, has_badge: bool = False
) -> FancyBboxPatch:
    fill, ink = (_STRONG, "white") if is_strong else (_FILL, _INK)
    style = "round,pad=0.02,rounding_size=0.12"
    box = FancyBboxPatch((x - 1.0, y - 0.3), 2.0, 0.6, style, facecolor=fill, edgecolor=_LINE)
    axes.add_patch(box)
    axes.text(x, y + (0.09 if has_badge else 0.0), text, ha="center", va="center", color=ink)
    if has_badge:
        badge = Rectangle((x - 1.0, y - 0.3), 2.0, 0.21, facecolor=_STRONG)
        axes.add_patch(badge)
        badge.set_clip_path(box)
        words = "node.py, ros_*.py"
        axes.text(x, y - 0.195, words, ha="center", va="center", color="white", fontsize=6.5)
    return box


def _arrow(axes: Axes, start: FancyBboxPatch, end: FancyBboxPatch, bend: float) -> None:
    ends = [(box.get_x() + box.get_width() / 2, box.get_y() + 0.3) for box in (start, end)]
    axes.add_patch(
        FancyArrowPatch(
            *ends,
            patchA=start,
            patchB=end,
            connectionstyle=f"arc3,rad={bend}",
            arrowstyle="-|>",
            mutation_scale=11,
            color=_LINE,
        )
    )


def _save(axes: Axes, file: Path) -> None:
    axes.set_aspect("equal")
    axes.autoscale_view()
    figure = axes.get_figure()
    assert figure is not None
    figure.savefig(file, metadata={"Date": None}, bbox_inches="tight", pad_inches=0.1)
    plt.close("all")


def main(folder: Path = IMAGES) -> None:
    """Draw all of them."""
    with plt.rc_context(_STYLE):
        draw_rooms(folder / "layers.svg")
        draw_connection(folder / "connection.svg")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
