"""Light patterns for cubes and backpack, as their files hold them (spec 08 §7).

Durations are the file's ms. Colours are shares from 0 to 1 of red, green, blue and alpha,
whichever of its two spellings a file has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from .errors import LoadWarning, ResourceError
from .files import checked_number

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
_ROTATION = "rotationPeriod_ms"
_PATTERN, _DURATION = "pattern", "duration_ms"
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


def read_cube_lights(
    content: Any, source: str
) -> tuple[dict[str, CubeLightAnimation], list[LoadWarning]]:
    """Return the animations of a parsed file, and what was left out. Raises ``ResourceError``."""

    def read(steps: Any, scale: float) -> CubeLightAnimation:
        if not isinstance(steps, list) or not steps:
            raise ValueError("it is no list of steps")
        return tuple(_read_step(step, scale) for step in steps)

    return _read_entries(content, source, read)


def read_backpack_patterns(
    content: Any, source: str
) -> tuple[dict[str, BackpackPattern], list[LoadWarning]]:
    """Return the patterns of a parsed file, and what was left out. Raises ``ResourceError``."""
    return _read_entries(
        content, source, lambda pattern, scale: _read_lights(pattern, BACKPACK_LIGHTS, scale)
    )


def _read_entries(
    content: Any, source: str, read: Callable[[Any, float], T]
) -> tuple[dict[str, T], list[LoadWarning]]:
    if not isinstance(content, dict):
        raise ResourceError(f"{source}: a file of light patterns is an object")
    found = {}
    warnings = []
    scale = _color_scale(content)
    for name, entry in content.items():
        try:
            found[name] = read(entry, scale)
        except ValueError as error:
            warnings.append(LoadWarning(source, f"{name!r} is left out: {error}"))
    return found, warnings


def _read_step(step: Any, scale: float) -> CubeLightStep:
    if not isinstance(step, dict):
        raise ValueError("a step is no object")
    pattern = step.get(_PATTERN)
    lights = _read_lights(pattern, CUBE_LIGHTS, scale)
    assert isinstance(pattern, dict)
    return CubeLightStep(
        lights=lights,
        rotation_period_ms=_time(pattern.get(_ROTATION, 0), _ROTATION),
        duration_ms=_time(step.get(_DURATION, 0), _DURATION),
    )


def _read_lights(pattern: Any, count: int, scale: float) -> tuple[PatternLight, ...]:
    if not isinstance(pattern, dict):
        raise ValueError("a pattern is no object")
    for key in (*_COLORS, *_TIMES):
        values = pattern.get(key)
        if not isinstance(values, list) or len(values) != count:
            raise ValueError(f"{key!r} is no list of {count}")
    return tuple(_read_light(pattern, index, scale) for index in range(count))


def _read_light(pattern: Mapping[str, Any], index: int, scale: float) -> PatternLight:
    on_color, off_color = (_color(pattern[key][index], key, scale) for key in _COLORS)
    *durations, offset = _TIMES
    times = [_time(pattern[key][index], key) for key in durations]
    delay = checked_number(pattern[offset][index], -_LONGEST, _LONGEST, repr(offset))
    times.append(int(delay))
    return PatternLight(on_color, off_color, *times)


def _time(value: Any, key: str) -> int:
    return int(checked_number(value, 0, _LONGEST, repr(key)))


def _color(value: Any, key: str, scale: float) -> RGBA:
    if not isinstance(value, list) or len(value) != _CHANNELS:
        raise ValueError(f"a colour of {key!r} is not red, green, blue and alpha")
    what = f"a part of a colour of {key!r}"
    red, green, blue, alpha = (checked_number(part, 0, scale, what) / scale for part in value)
    return red, green, blue, alpha


def _color_scale(content: Any) -> float:
    """Return 255 where any colour of a file goes beyond 1, else 1 (spec 08 §7)."""
    return _FULL if any(part > 1 for part in _color_parts(content)) else 1.0


def _color_parts(content: Any) -> Iterator[float]:
    """Every number in the colour lists of a file, wherever they are."""
    waiting = [(content, False)]
    while waiting:
        value, is_color = waiting.pop()
        if isinstance(value, dict):
            waiting += [(inner, is_color or key in _COLORS) for key, inner in value.items()]
        elif isinstance(value, list):
            waiting += [(inner, is_color) for inner in value]
        elif is_color and isinstance(value, (int, float)):
            yield value
