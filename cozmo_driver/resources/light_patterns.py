"""Light patterns for cubes and backpack, as their files hold them (spec 08 §7).

Durations are the file's ms. Colours are shares from 0 to 1 of red, green, blue and alpha,
whichever of its two spellings a file has.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from .errors import LoadWarning
from .views import View, usable

CUBE_LIGHTS = 4
BACKPACK_LIGHTS = 5

T = TypeVar("T")
RGBA = tuple[float, float, float, float]

_COLORS = ("onColors", "offColors")
_TIMES = (
    "onPeriod_ms",
    "offPeriod_ms",
    "transitionOnPeriod_ms",
    "transitionOffPeriod_ms",
    "offset",
)
_CHANNELS = 4
_FULL = 255.0
_LONGEST = (1 << 32) - 1


@dataclass(frozen=True, slots=True)
class PatternLight:
    """One light: on, fade out, off, fade in, and again; a negative offset delays it."""

    on_color: RGBA = (0.0, 0.0, 0.0, 0.0)
    off_color: RGBA = (0.0, 0.0, 0.0, 0.0)
    on_ms: int = 0
    off_ms: int = 0
    fade_in_ms: int = 0
    fade_out_ms: int = 0
    offset_ms: int = 0


@dataclass(frozen=True, slots=True)
class CubeLightStep:
    """A pattern of the four lights and how long it is shown, 0 ms: until it is stopped."""

    lights: tuple[PatternLight, ...]
    rotation_period_ms: int = 0
    duration_ms: int = 0


CubeLightAnimation = tuple[CubeLightStep, ...]
"""Patterns that a cube shows one after the other."""
BackpackPattern = tuple[PatternLight, ...]
"""The five lights in the order left, front, middle, rear, right (spec 08 §2)."""


def read_cube_lights(view: View, warnings: list[LoadWarning]) -> dict[str, CubeLightAnimation]:
    """Return the animations of a file. Raises ``BadEntry``."""

    def read(steps: View, scale: float) -> CubeLightAnimation:
        return tuple(_read_step(step, scale) for step in steps.items()) or steps.refuse("is empty")

    return _read_entries(view, read, warnings)


def read_backpack_patterns(view: View, warnings: list[LoadWarning]) -> dict[str, BackpackPattern]:
    """Return the patterns of a file. Raises ``BadEntry``."""
    return _read_entries(
        view, lambda pattern, scale: _read_lights(pattern, BACKPACK_LIGHTS, scale), warnings
    )


def _read_entries(
    view: View, read: Callable[[View, float], T], warnings: list[LoadWarning]
) -> dict[str, T]:
    entries = [entry for _, entry in view.entries()]
    # One colour beyond 1 tells the spelling of the whole file (spec 08 §7).
    scale = _FULL if _brightest(view.value) > 1 else 1.0
    return dict(usable(entries, lambda entry: (entry.path, read(entry, scale)), warnings))


def _read_step(step: View, scale: float) -> CubeLightStep:
    pattern = step.at("pattern")
    return CubeLightStep(
        lights=_read_lights(pattern, CUBE_LIGHTS, scale),
        rotation_period_ms=int(pattern.number_at("rotationPeriod_ms", 0, 0, _LONGEST)),
        duration_ms=int(step.number_at("duration_ms", 0, 0, _LONGEST)),
    )


def _read_lights(pattern: View, count: int, scale: float) -> tuple[PatternLight, ...]:
    columns = [_items(pattern.at(key), count) for key in (*_COLORS, *_TIMES)]
    return tuple(_read_light(*values, scale=scale) for values in zip(*columns, strict=True))


def _read_light(on: View, off: View, *times: View, scale: float) -> PatternLight:
    *durations, offset = times
    numbers = [one.number(0, _LONGEST) for one in durations]
    numbers.append(offset.number(-_LONGEST, _LONGEST))
    return PatternLight(_color(on, scale), _color(off, scale), *map(int, numbers))


def _color(view: View, scale: float) -> RGBA:
    red, green, blue, alpha = (part.number(0, scale) / scale for part in _items(view, _CHANNELS))
    return red, green, blue, alpha


def _items(view: View, count: int) -> list[View]:
    items = view.items()
    if len(items) != count:
        view.refuse(f"is no list of {count}")
    return items


def _brightest(value: Any, is_color: bool = False) -> float:
    """Return the greatest number in the colour lists of a file, wherever they are."""
    if isinstance(value, dict):
        parts = [_brightest(one, is_color or key in _COLORS) for key, one in value.items()]
    elif isinstance(value, list):
        parts = [_brightest(one, is_color) for one in value]
    else:
        parts = [value] if is_color and isinstance(value, (int, float)) else []
    return max(parts, default=0.0)
