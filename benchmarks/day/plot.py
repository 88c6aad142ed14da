"""The picture of a day: what it did, its mood, its needs, its battery."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from cozmo_driver.behavior.executor import Snapshot, State

from .run import QUIET, STARTS_AT, Day

_SIZE, _DPI = (13.0, 9.0), 110
_SMOOTH = 15
"""Samples in a mean of the mood: five minutes."""
_LONG_ENOUGH = 20.0
"""s: what is shorter would be no line in the picture."""
_REACTS = "reacts"
_ROWS: tuple[tuple[str, str, Callable[[Snapshot], bool]], ...] = (
    (_REACTS, "#c0392b", lambda s: bool(s.reaction) and s.state is not State.ASLEEP),
    ("others drive", "#7f8c8d", lambda s: s.state is State.SUSPENDED),
    ("does as asked", "#8e44ad", lambda s: s.state is State.REQUESTED or _is_of(s, "Spark")),
    ("sings, dances", "#e67e22", lambda s: s.activity in ("Singing", "Dancing")),
    ("plays with cubes", "#d4ac0d", lambda s: s.activity == "PlayWithCubes"),
    ("hikes", "#27ae60", lambda s: s.activity == "Hiking"),
    ("plays alone", "#52be80", lambda s: s.activity == "PlayAlone"),
    ("is bored", "#aab7b8", lambda s: s.activity == "NothingToDo"),
    ("shows its needs", "#2980b9", lambda s: _is_of(s, "Needs", "LowBattery")),
    ("on its charger", "#5d6d7e", lambda s: s.activity == "OnCharger"),
    ("sleeps", "#2c3e50", lambda s: s.state is State.ASLEEP),
)


def _is_of(seen: Snapshot, *starts: str) -> bool:
    return seen.activity.startswith(starts)


def draw(day: Day, path: Path) -> None:
    """Write a PNG."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    pyplot.rcParams.update({"font.size": 9.5, "axes.titlesize": 11, "axes.titlelocation": "left"})
    figure, panels = pyplot.subplots(
        4, 1, sharex=True, figsize=_SIZE, gridspec_kw={"height_ratios": [3.4, 1.7, 1.5, 1.0]}
    )
    hours = [STARTS_AT + time / 3600.0 for time in day.times]
    _draw_doings(panels[0], day)
    _draw_mood(panels[1], day, hours)
    _draw_needs(panels[2], day, hours)
    _draw_battery(panels[3], day, hours)
    for panel in panels:
        _shade_night(panel, hours)
        panel.spines[["top", "right"]].set_visible(False)
        panel.grid(axis="x", color="#dddddd", linewidth=0.6)
        panel.set_axisbelow(True)
    last = panels[-1]
    last.set_xlim(hours[0], STARTS_AT + day.hours)
    ticks = range(int(STARTS_AT), int(STARTS_AT + day.hours) + 1)
    last.set_xticks(ticks, [f"{hour % 24}" for hour in ticks])
    last.set_xlabel("hour of the day; shaded: quiet hours")
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=_DPI, metadata={"Software": None})
    pyplot.close(figure)


def _draw_doings(panel: Any, day: Day) -> None:
    panel.set_title(f"What it did (seed {day.seed})")
    for row, (_, color, is_it) in enumerate(_ROWS):
        bars = list(_joined((s.began, s.ended) for s in day.spans if is_it(s.seen)))
        shown = [(STARTS_AT + a / 3600.0, max(b - a, _LONG_ENOUGH) / 3600.0) for a, b in bars]
        panel.broken_barh(shown, (row - 0.4, 0.8), color=color, linewidth=0)
        total = sum(b - a for a, b in bars) / 3600.0
        text = f"{total:.1f} h" if total >= 1 else f"{60 * total:.0f} min"
        panel.text(1.005, row, text, transform=panel.get_yaxis_transform(), va="center")
    panel.set_yticks(range(len(_ROWS)), [name for name, *_ in _ROWS])
    panel.set_ylim(len(_ROWS) - 0.4, -0.6)
    panel.tick_params(axis="y", length=0)


def _joined(spans: Iterable[tuple[float, float]]) -> Iterable[tuple[float, float]]:
    current: tuple[float, float] | None = None
    for began, ended in spans:
        if current is not None and began - current[1] < 1e-6:
            current = (current[0], ended)
            continue
        if current is not None:
            yield current
        current = (began, ended)
    if current is not None:
        yield current


def _draw_mood(panel: Any, day: Day, hours: Sequence[float]) -> None:
    panel.set_title("Its mood (means over five minutes)")
    lines = (
        ("pleasant", "#27ae60", [valence for valence, _ in day.affects]),
        ("lively", "#e67e22", [arousal for _, arousal in day.affects]),
        ("wants to play", "#8e44ad", [mood["WantToPlay"] for mood in day.moods]),
    )
    panel.axhline(0.0, color="#999999", linewidth=0.6)
    for name, color, values in lines:
        panel.plot(hours, _smooth(values), color=color, linewidth=1.3, label=name)
    panel.set_ylim(-1.05, 1.05)
    panel.set_yticks((-1, 0, 1))
    _explain(panel, 3)


def _draw_needs(panel: Any, day: Day, hours: Sequence[float]) -> None:
    panel.set_title("Its needs (1: nothing wanted; people feed and repair it now and then)")
    for name, color in (("Repair", "#c0392b"), ("Energy", "#d4ac0d"), ("Play", "#2980b9")):
        values = [needs[name] for needs in day.needs]
        panel.plot(hours, values, color=color, linewidth=1.3, label=name)
    panel.set_ylim(0.0, 1.05)
    panel.set_yticks((0, 0.5, 1))
    _explain(panel, 3)


def _draw_battery(panel: Any, day: Day, hours: Sequence[float]) -> None:
    panel.set_title("Its battery, V (thick: on the charger)")
    panel.plot(hours, day.voltages, color="#2c3e50", linewidth=1.2)
    charged = [v if on else None for v, on in zip(day.voltages, day.on_charger, strict=True)]
    panel.plot(hours, charged, color="#27ae60", linewidth=3.5)
    panel.axhline(3.55, color="#c0392b", linewidth=0.8, linestyle="--")
    panel.text(hours[0], 3.57, " asks to be charged", color="#c0392b", fontsize=8.5)
    panel.set_ylim(3.4, 4.3)


def _explain(panel: Any, columns: int) -> None:
    panel.legend(loc="lower right", bbox_to_anchor=(1.0, 0.98), ncol=columns, frameon=False)


def _shade_night(panel: Any, hours: Sequence[float]) -> None:
    start, end = QUIET[0], QUIET[1] + 24.0
    if hours[-1] > start:
        panel.axvspan(start, min(end, hours[-1]), color="#eef1f6", zorder=0)


def _smooth(values: Sequence[float]) -> list[float]:
    half = _SMOOTH // 2
    cut = (values[max(0, i - half) : i + half + 1] for i in range(len(values)))
    return [sum(part) / len(part) for part in cut]
