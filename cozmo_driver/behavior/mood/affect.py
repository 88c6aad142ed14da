"""The mood in two numbers for the face, and in one word for animation groups.

Neither is the engine's: shipped groups know one mood only (spec 12 §2).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...resources.groups import DEFAULT_MOOD
from .emotions import Emotion

_VALENCE = {
    Emotion.HAPPY: 0.7,
    Emotion.CONFIDENT: 0.3,
    Emotion.BRAVE: 0.2,
    Emotion.CALM: 0.2,
    Emotion.SOCIAL: 0.1,
    Emotion.WINNING: 0.2,
}
_AROUSAL = {
    Emotion.EXCITED: 0.7,
    Emotion.CALM: -0.4,
    Emotion.CHARGED: 0.3,
    Emotion.WANT_TO_PLAY: 0.2,
    Emotion.WINNING: 0.1,
}

# The first that fits: word, emotion, sign, from which strength on.
_SIMPLE = (
    ("Frustrated", Emotion.CONFIDENT, -1, 0.6),
    ("Scared", Emotion.BRAVE, -1, 0.6),
    ("Sad", Emotion.HAPPY, -1, 0.5),
    ("Excited", Emotion.EXCITED, 1, 0.6),
    ("Happy", Emotion.HAPPY, 1, 0.5),
    ("Bored", Emotion.EXCITED, -1, 0.5),
)
_HYSTERESIS = 0.1
SIMPLE_MOODS = (DEFAULT_MOOD, *(word for word, *_ in _SIMPLE))


@dataclass(frozen=True, slots=True)
class Affect:
    """How pleasant and how lively the mood is, each from -1 to 1; 0 is neutral."""

    valence: float = 0.0
    arousal: float = 0.0


def affect_of(values: Mapping[Emotion, float]) -> Affect:
    """Return the mood in two numbers."""
    return Affect(_weighed(values, _VALENCE), _weighed(values, _AROUSAL))


def simple_mood_of(values: Mapping[Emotion, float], before: str = DEFAULT_MOOD) -> str:
    """Return the mood in one word; the one ``before`` stays until it is clearly over."""
    for word, emotion, sign, strength in _SIMPLE:
        limit = strength - _HYSTERESIS if word == before else strength
        if sign * values[emotion] >= limit:
            return word
    return DEFAULT_MOOD


def _weighed(values: Mapping[Emotion, float], weights: Mapping[Emotion, float]) -> float:
    total = sum(values[emotion] * weight for emotion, weight in weights.items())
    return min(1.0, max(-1.0, total))
