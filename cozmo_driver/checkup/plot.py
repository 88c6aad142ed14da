"""Curves as SVG that stands inside of a page."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape

from .step import Series

_WIDTH, _HEIGHT = 640, 220
_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 12, 30, 38
_COLORS = ("#1f6f8b", "#c1502e", "#5b8c3a", "#7a4b9a", "#b08900", "#444444")
_DASHES = ("", "7 3", "2 3", "9 3 2 3", "4 2", "1 2")
"""Curves are told apart on gray paper, too."""
_TICKS = 5


def svg(series: Series) -> str:
    """Return a plot of all curves with axes, ticks and a legend."""
    points = [point for curve in series.points.values() for point in curve]
    if not points:
        return ""
    x_range, y_range = _range([x for x, _ in points]), _range([y for _, y in points], 0.06)
    parts = [
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(series.title)}">',
        f'<text class="title" x="{_LEFT}" y="15">{escape(series.title)}</text>',
        *_grid(x_range, y_range),
        _label(series.x, (_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 5, ""),
        _label(series.y, 12, (_TOP + _HEIGHT - _BOTTOM) / 2, "rotate"),
    ]
    for number, curve in enumerate(series.points.values()):
        color, dash = _COLORS[number % len(_COLORS)], _DASHES[number % len(_DASHES)]
        style = f'stroke="{color}" stroke-dasharray="{dash}"'
        path = " ".join(
            f"{_x(x, x_range):.1f},{_y(y, y_range):.1f}" for x, y in curve if math.isfinite(y)
        )
        parts.append(f'<polyline points="{path}" fill="none" {style}/>')
    parts += _legend(list(series.points))
    return "".join(parts) + "</svg>"


def _legend(names: Sequence[str]) -> Iterator[str]:
    if len(names) < 2:
        return
    at = float(_WIDTH - _RIGHT)
    for number, name in reversed(list(enumerate(names))):
        at -= 7.0 * len(name) + 34
        color, dash = _COLORS[number % len(_COLORS)], _DASHES[number % len(_DASHES)]
        yield (
            f'<line x1="{at:.0f}" x2="{at + 22:.0f}" y1="11" y2="11" stroke="{color}" '
            f'stroke-dasharray="{dash}"/><text x="{at + 26:.0f}" y="15">{escape(name)}</text>'
        )


def _grid(x_range: tuple[float, float], y_range: tuple[float, float]) -> Iterator[str]:
    bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    for value in _ticks(*x_range):
        x = _x(value, x_range)
        yield f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{bottom}"/>'
        yield f'<text x="{x:.1f}" y="{bottom + 15}" text-anchor="middle">{value:g}</text>'
    for value in _ticks(*y_range):
        y = _y(value, y_range)
        yield f'<line class="grid" x1="{_LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>'


def _label(text: str, x: float, y: float, how: str) -> str:
    turned = f' transform="rotate(-90 {x} {y:.0f})"' if how else ""
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="middle"{turned}>{escape(text)}</text>'


def _x(value: float, limits: tuple[float, float]) -> float:
    low, high = limits
    return _LEFT + (value - low) / (high - low) * (_WIDTH - _LEFT - _RIGHT)


def _y(value: float, limits: tuple[float, float]) -> float:
    low, high = limits
    bottom = _HEIGHT - _BOTTOM
    return bottom - (value - low) / (high - low) * (bottom - _TOP)


def _range(values: Sequence[float], margin: float = 0.0) -> tuple[float, float]:
    finite = [value for value in values if math.isfinite(value)] or [0.0]
    low, high = min(finite), max(finite)
    if 0.0 < low < 0.1 * high:
        low = 0.0
    if high - low < 1e-9:
        low, high = low - 0.5, high + 0.5
    return low - margin * (high - low), high + margin * (high - low)


def _ticks(low: float, high: float) -> list[float]:
    """Return round numbers within the limits."""
    rough = (high - low) / _TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * n for n in (1, 2, 5, 10) if power * n >= rough)
    first = math.ceil(low / step)
    return [round(n * step, 9) for n in range(first, math.floor(high / step) + 1)]
