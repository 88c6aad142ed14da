"""A picture of a traced session over time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..traffic import (
    CONNECTED,
    CONNECTING,
    ECHO,
    ENDED,
    PING,
    RUNNING,
    SILENCE,
    STARTING,
    SessionSeries,
)
from .linktest import percentile

_TO_ROBOT, _FROM_ROBOT, _BAD = "#0072b2", "#e69f00", "#c62828"
_PHASES = {
    CONNECTING: "#fde0c5",
    CONNECTED: "#e3e8f1",
    STARTING: "#c9d7ec",
    RUNNING: "#d3ebd3",
    ENDED: "#e0e0e0",
}
_PINGS = "pings and echoes"
# Okabe and Ito's colours, distinguishable by everybody; those of the streams are always the same.
_KINDS = {
    "RobotState": "#009e73",
    "AnimationState": "#cc79a7",
    "ImageChunk": "#0072b2",
    "ImageImuData": "#56b4e9",
    _PINGS: "#d9d9d9",
}
_MORE_KINDS = ("#d55e00", "#f0e442")
_OTHERS = "#9a9a9a"
_BINS = 60
_STEPS = (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 3600)
_LEAST_LABEL = 0.06
"""Share of the width that a phase must have to be named in it."""


def draw(series: SessionSeries, title: str, path: Path) -> None:
    """Write the picture. Raises ``ValueError`` for an unknown kind of file, and ``OSError``."""
    from matplotlib.figure import Figure  # type: ignore[import-not-found,unused-ignore]

    figure = Figure(figsize=(13, 10), dpi=100, layout="constrained")
    axes = figure.subplots(
        5, 1, sharex=True, gridspec_kw={"height_ratios": (0.5, 2, 2.6, 2.6, 1.7)}
    )
    figure.suptitle(title, x=0.01, ha="left", fontsize=12, fontweight="bold")
    begin, end = series.begin, max(series.end, series.begin + 0.1)
    edges = _edges(begin, end)
    _draw_phases(axes[0], series, end)
    _draw_frames(axes[1], series, edges)
    _draw_messages(axes[2], series, edges)
    _draw_round_trips(axes[3], series)
    _draw_losses(axes[4], series)
    for axis in axes:
        axis.spines[["top", "right"]].set_visible(False)
        for since, length in series.silences:
            axis.axvspan(since, since + length, color=_BAD, alpha=0.12, lw=0)
    axes[0].spines[["left", "bottom"]].set_visible(False)
    axes[-1].set_xlim(begin, end)
    axes[-1].set_xlabel("time since the first frame, s")
    figure.savefig(path)


def _edges(begin: float, end: float) -> Any:
    width = next((step for step in _STEPS if (end - begin) / step <= _BINS), (end - begin) / _BINS)
    return np.append(np.arange(begin, end - width / 2, width), end)


def _rate(times: Sequence[float], edges: Any) -> Any:
    return np.histogram(times, edges)[0] / np.diff(edges)


def _draw_phases(axis: Any, series: SessionSeries, end: float) -> None:
    ends = [time for time, _ in series.phases[1:]] + [end]
    least = _LEAST_LABEL * (end - series.begin)
    for (since, name), until in zip(series.phases, ends, strict=True):
        axis.axvspan(since, until, color=_PHASES[name], lw=0)
        axis.axvline(since, color="white", lw=1.5)
        if until - since >= least:
            axis.text((since + until) / 2, 0.5, name, ha="center", va="center", fontsize=10)
    axis.set_yticks([])
    axis.set_ylim(0, 1)
    axis.tick_params(bottom=False)
    axis.set_ylabel("phase", rotation=0, ha="right", va="center")


def _draw_frames(axis: Any, series: SessionSeries, edges: Any) -> None:
    for way, name, color in (
        (series.from_robot, "from the robot", _FROM_ROBOT),
        (series.to_robot, "to the robot", _TO_ROBOT),
    ):
        label = f"{name}: {len(way.frames)}, {way.bytes / 1000:.1f} kB"
        axis.stairs(_rate(way.frames, edges), edges, color=color, lw=1.6, label=label)
    axis.set_ylim(bottom=0)
    _finish(axis, "frames per second", columns=2)


def _draw_messages(axis: Any, series: SessionSeries, edges: Any) -> None:
    both: dict[str, list[float]] = {}
    for way in (series.to_robot, series.from_robot):
        for name, times in way.messages.items():
            both.setdefault(_PINGS if name in (PING, ECHO) else name, []).extend(times)
    rows = [(name, both.pop(name), color) for name, color in _KINDS.items() if name in both]
    common = sorted(both, key=lambda name: -len(both[name]))[: len(_MORE_KINDS)]
    more = zip(common, _MORE_KINDS, strict=False)
    rows += [(name, both.pop(name), color) for name, color in more]
    if both:
        rest = [moment for moments in both.values() for moment in moments]
        rows.append((f"{len(both)} other kinds", rest, _OTHERS))
    floor = np.zeros(len(edges) - 1)
    for name, moments, color in rows:
        label, rate = f"{name}: {len(moments)}", _rate(moments, edges)
        axis.stairs(floor + rate, edges, baseline=floor, fill=True, color=color, label=label)
        floor = floor + rate
    axis.set_ylim(bottom=0)
    _finish(axis, "messages per second", columns=4)


def _draw_round_trips(axis: Any, series: SessionSeries) -> None:
    delays = [1000 * seconds for seconds in series.ack_delays]
    trips = [1000 * seconds for seconds in series.round_trips]
    if delays:
        label = f"message until acknowledged: {_median(delays)}"
        axis.scatter(series.ack_times, delays, 26, _TO_ROBOT, marker="^", label=label, zorder=3)
    if trips:
        label = f"ping until its echo: {_median(trips)}"
        axis.scatter(
            series.ping_times, trips, 12, _FROM_ROBOT, label=label, linewidths=0, alpha=0.85
        )
    both = delays + trips
    if both and max(both) > 8 * percentile(both, 0.5):
        axis.set_yscale("log", subs=())
        axis.yaxis.set_major_formatter("{x:g}")
        axis.set_ylim(bottom=1, top=2 * max(both))
    else:
        axis.set_ylim(bottom=0)
    _finish(axis, "round trip, ms", columns=2)


def _median(values: Sequence[float]) -> str:
    return f"{len(values)}, half of them within {percentile(values, 0.5):.0f} ms"


def _draw_losses(axis: Any, series: SessionSeries) -> None:
    to_robot, from_robot = series.to_robot, series.from_robot
    rows = [
        (f"sent again by the robot: {len(from_robot.resends)}", from_robot.resends, _FROM_ROBOT),
        (f"sent again by the engine: {len(to_robot.resends)}", to_robot.resends, _TO_ROBOT),
        (
            f"gaps in the numbers: {len(to_robot.gaps) + len(from_robot.gaps)}",
            to_robot.gaps + from_robot.gaps,
            _BAD,
        ),
        (f"states missing: {series.missing_states}", series.missing_times, _BAD),
        (f"pings without echo: {len(series.lost_pings)}", series.lost_pings, _BAD),
    ]
    for place, (_, times, color) in enumerate(rows):
        axis.axhline(place, color="#eeeeee", lw=1, zorder=0)
        axis.eventplot(times, lineoffsets=place, linelengths=0.7, linewidths=1.4, colors=color)
    axis.set_yticks(range(len(rows)), [label for label, _, _ in rows])
    axis.set_ylim(-0.6, len(rows) - 0.4)
    axis.tick_params(axis="y", length=0)
    title = "losses"
    if series.silences:
        title += f"; the robot was silent for more than {SILENCE:g} s where it is red"
    axis.set_title(title, loc="left", fontsize=10)


def _finish(axis: Any, title: str, columns: int) -> None:
    axis.set_title(title, loc="left", fontsize=10)
    axis.grid(axis="y", color="#e6e6e6", lw=0.8)
    axis.set_axisbelow(True)
    axis.margins(x=0)
    if axis.get_legend_handles_labels()[0]:
        axis.legend(
            loc="lower right",
            bbox_to_anchor=(1.0, 1.0),
            ncols=columns,
            fontsize=8,
            frameon=False,
            borderaxespad=0.1,
            handlelength=1.2,
            columnspacing=1.2,
        )
