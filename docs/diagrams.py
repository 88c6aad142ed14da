"""``python -m docs.diagrams [FOLDER]``: draw the layers and the states, as the code has them."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from cozmo_driver.protocol.connection import TRANSITIONS, State
from test.test_layers import PACKAGE, ROOT, imported_modules, room_of

IMAGES = ROOT / "docs" / "images"
_INK, _FILL, _LINE, _STRONG = "#1f2933", "#e8f1fa", "#6b8299", "#2f6f9f"
_STYLE = {
    "svg.hashsalt": "cozmo_driver",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 10.0,
}


def imports() -> dict[str, set[str]]:
    """Return for each layer of the package the layers that its files import."""
    found: dict[str, set[str]] = {}
    for path in sorted((ROOT / PACKAGE).rglob("*.py")):
        package = list(path.relative_to(ROOT).parent.parts)
        if len(package) < 2:
            continue
        uses = found.setdefault(package[1], set())
        for _, module in imported_modules(path, package):
            parts = module.split(".")
            target = room_of(parts) if parts[0] == PACKAGE else ""
            if target and target != package[1]:
                uses.add(target)
    return found


def reduced(uses: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Leave out what is reached through another layer as well."""

    def below(layer: str) -> set[str]:
        return set().union(*({x, *below(x)} for x in uses.get(layer, ())))

    return {
        layer: {x for x in found if not any(x in below(other) for other in found - {x})}
        for layer, found in uses.items()
    }


def heights(uses: Mapping[str, set[str]]) -> dict[str, int]:
    """Return how many layers lie below each, one after the other."""
    known: dict[str, int] = {}

    def height(layer: str) -> int:
        if layer not in known:
            known[layer] = max((height(x) + 1 for x in uses.get(layer, ())), default=0)
        return known[layer]

    for layer in uses:
        height(layer)
    return known


def draw_layers(file: Path) -> None:
    """Draw who imports whom; what lies lower knows nothing of what lies higher."""
    uses = reduced(imports())
    rows: dict[int, list[str]] = {}
    for layer, height in sorted(heights(uses).items(), key=lambda item: -item[1]):
        rows.setdefault(height, []).append(layer)
    places: dict[str, tuple[float, float]] = {}

    def under(layer: str) -> float:
        above = [places[x][0] for x in places if layer in uses[x]]
        return sum(above) / len(above) if above else 9.0

    # From above, each row in the order of those that use it, so that few lines cross.
    for height, layers in rows.items():
        for column, layer in enumerate(sorted(layers, key=lambda x: (under(x), x))):
            places[layer] = (2.4 * (column - (len(layers) - 1) / 2), 1.25 * height)
    axes = _canvas(7.2, 0.95 * len(rows) + 0.3)
    boxes = {x: _box(axes, *places[x], f"{x}/", x == "nodes") for x in places}
    for layer, targets in sorted(uses.items()):
        for target in sorted(targets):
            (x0, y0), (x1, y1) = places[layer], places[target]
            is_passing = y0 - y1 > 1.3 and abs(x0 - x1) < 1.0
            bend = (0.35 if x0 >= 0 else -0.35) if is_passing else 0.0
            _arrow(axes, boxes[layer], boxes[target], bend)
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


def _box(axes: Axes, x: float, y: float, text: str, is_strong: bool) -> FancyBboxPatch:
    fill, ink = (_STRONG, "white") if is_strong else (_FILL, _INK)
    style = "round,pad=0.02,rounding_size=0.12"
    box = FancyBboxPatch((x - 1.0, y - 0.3), 2.0, 0.6, style, facecolor=fill, edgecolor=_LINE)
    axes.add_patch(box)
    axes.text(x, y, text, ha="center", va="center", color=ink)
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
        draw_layers(folder / "layers.svg")
        draw_connection(folder / "connection.svg")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
