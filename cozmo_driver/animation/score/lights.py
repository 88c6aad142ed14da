"""The backpack's lights of a score: colours, steady or in motion, as keyframes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ...resources.clips import FRAME_MS
from ...resources.keyframes import BackpackLights
from .errors import ScoreError
from .phrases import Phrase

LIGHT_NUMBERS = ("for", "every", "dim")
COLORS: dict[str, tuple[float, float, float]] = {
    "off": (0.0, 0.0, 0.0),
    "red": (1.0, 0.0, 0.0),
    "orange": (1.0, 0.35, 0.0),
    "yellow": (1.0, 0.75, 0.0),
    "green": (0.0, 1.0, 0.0),
    "teal": (0.0, 0.8, 0.6),
    "blue": (0.0, 0.2, 1.0),
    "purple": (0.5, 0.0, 0.9),
    "pink": (1.0, 0.2, 0.5),
    "white": (0.9, 0.9, 0.9),
}
_WAYS = ("steady", "pulse", "chase", "blink", "fade")
_PLACES = {1: (None, 0, 0, 0, None), 3: (None, 0, 1, 2, None), 5: (0, 1, 2, 3, 4)}
"""For so many colours: which of them left, front, middle, back and right show."""
_PERIOD_MS = 600.0
_STEP = 3
"""Frames between two keyframes of lights that fade."""


def backpack_lights(frame: int, phrase: Phrase) -> Iterator[BackpackLights]:
    """Return the lights: a way, then one, three or five colours. Raises ``ScoreError``."""
    way, *names = (
        phrase.words
        if phrase.words[:1] and phrase.words[0] in _WAYS
        else (
            "steady",
            *phrase.words,
        )
    )
    if len(names) not in _PLACES:
        raise ScoreError("lights have one colour, three (front to back) or five (left first)")
    colors = [_color(name, phrase.numbers.get("dim", 1.0)) for name in names]
    lights = [None if place is None else colors[place] for place in _PLACES[len(names)]]
    end = frame + phrase.frames("for")
    period = phrase.frames("every", _PERIOD_MS)
    step = {"steady": end - frame, "pulse": _STEP, "fade": _STEP}.get(way, max(1, period // 4))
    for at in range(frame, end, step):
        shares = _shares(way, at - frame, end - frame, period)
        left, front, middle, back, right = (
            _rgba(light, share) for light, share in zip(lights, shares, strict=True)
        )
        yield BackpackLights(
            trigger_ms=at * FRAME_MS,
            duration_ms=min(step, end - at) * FRAME_MS,
            left=left,
            right=right,
            front=front,
            middle=middle,
            back=back,
        )


def _shares(way: str, elapsed: int, whole: int, period: int) -> Sequence[float]:
    """Return how bright each light is at a frame of the pattern."""
    phase = elapsed / period
    match way:
        case "pulse":
            return (0.1 + 0.9 * (0.5 - 0.5 * math.cos(2.0 * math.pi * phase)),) * 5
        case "fade":
            return (1.0 - elapsed / whole,) * 5
        case "blink":
            return (1.0 if phase % 1.0 < 0.5 else 0.0,) * 5
        case "chase":
            lit = int(phase * 4.0) % 4
            return (1.0, *(1.0 if lit == index else 0.08 for index in range(3)), 1.0)
    return (1.0,) * 5


def _color(name: str, share: float) -> tuple[float, float, float]:
    if name not in COLORS:
        raise ScoreError(f"there is no colour {name!r}; there are {', '.join(COLORS)}")
    if not 0.0 <= share <= 1.0:
        raise ScoreError("lights are dimmed to a share from 0 to 1")
    red, green, blue = COLORS[name]
    return red * share, green * share, blue * share


def _rgba(
    color: tuple[float, float, float] | None, share: float
) -> tuple[float, float, float, float]:
    if color is None:
        return 0.0, 0.0, 0.0, 1.0
    red, green, blue = (round(part * share, 3) for part in color)
    return red, green, blue, 1.0
