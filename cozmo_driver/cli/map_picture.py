"""A map of tags from above."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from ..localization import TagMap

_CARD, _SPREAD, _AXES = "#1f2933", "#e69f00", ("#c62828", "#2e7d32")
_LOOK, _AXIS = 0.06, 0.1
"""m: lengths of a tag's arrow, and of the origin's axes."""
_DEVIATIONS = 2.0
_CHARGER_WIDTH = 0.1
_SIZE = 8.0
"""Inches."""


def draw_map(known: TagMap, path: Path) -> None:
    """Draw each tag, where it looks, and a circle of two standard deviations; x to the right."""
    # Slow to import.
    from matplotlib.figure import Figure

    figure: Any = Figure(figsize=(_SIZE, _SIZE), layout="constrained")
    axes = figure.add_subplot()
    for one in known.tags.values():
        x, y = float(one.pose[0, 3]), float(one.pose[1, 3])
        facing = one.angles[0]
        across = (-math.sin(facing), math.cos(facing))
        half = (one.size or _CHARGER_WIDTH) / 2
        ends = [(x - half * across[0], x + half * across[0])]
        ends.append((y - half * across[1], y + half * across[1]))
        axes.plot(*ends, color=_CARD, linewidth=4, solid_capstyle="butt")
        look = _LOOK * math.cos(facing), _LOOK * math.sin(facing)
        axes.annotate("", (x + look[0], y + look[1]), (x, y), arrowprops={"arrowstyle": "->"})
        axes.annotate(
            one.name, (x + 2 * look[0], y + 2 * look[1]), ha="center", va="center", fontsize=8
        )
        angles = [2 * math.pi * step / 36 for step in range(37)]
        radius = _DEVIATIONS * one.deviation[0]
        circle = [(x + radius * math.cos(a), y + radius * math.sin(a)) for a in angles]
        axes.plot(*zip(*circle, strict=True), color=_SPREAD, linewidth=1)
    for end, color in (((_AXIS, 0.0), _AXES[0]), ((0.0, _AXIS), _AXES[1])):
        axes.annotate("", end, (0.0, 0.0), arrowprops={"arrowstyle": "->", "color": color})
    axes.set_aspect("equal", "datalim")
    axes.margins(0.15)
    axes.grid(alpha=0.3)
    axes.set(title=known.name, xlabel="x [m]", ylabel="y [m]")
    figure.savefig(path)
