"""How emotions come, repeat and fade (spec 12 §2). Time is a parameter, s, never going back."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from ..resources import DEFAULT_MOOD
from .mood_config import Emotion, MoodConfig

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


@dataclass(frozen=True, slots=True)
class Affect:
    """How pleasant and how lively the mood is, each from -1 to 1; 0 is neutral."""

    valence: float = 0.0
    arousal: float = 0.0


def affect_of(values: Mapping[Emotion, float]) -> Affect:
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


_RESTARTING_CHANGE = 0.05
_NOTHING_LEFT = 1e-5


@dataclass(slots=True)
class _Level:
    since: float
    updated: float
    value: float = 0.0


class Mood:
    def __init__(self, config: MoodConfig, now: float) -> None:
        self.config = config
        self.last_event = ""
        """What last changed the mood."""
        self.unknown_events: Counter[str] = Counter()
        """Names nobody knows, and how often they came."""
        self._levels = {emotion: _Level(now, now) for emotion in Emotion}
        self._fired: dict[str, float] = {}
        self.simple_mood = simple_mood_of(self.values)

    @property
    def values(self) -> Mapping[Emotion, float]:
        return {emotion: level.value for emotion, level in self._levels.items()}

    @property
    def affect(self) -> Affect:
        return affect_of(self.values)

    def value(self, emotion: Emotion) -> float:
        return self._levels[emotion].value

    def update(self, now: float) -> None:
        for emotion in Emotion:
            self._fade(emotion, now)
        self.simple_mood = simple_mood_of(self.values, self.simple_mood)

    def add(self, emotion: Emotion, amount: float, now: float) -> None:
        """Change an emotion; what is no number is ignored."""
        self._fade(emotion, now)
        level = self._levels[emotion]
        before = level.value
        if math.isnan(amount):
            return
        after = level.value = min(1.0, max(-1.0, before + amount))
        grows = before * after > 0 and abs(after) > abs(before)
        if (before == 0 != after) or (grows and abs(after - before) > _RESTARTING_CHANGE):
            level.since = now
        self.simple_mood = simple_mood_of(self.values, self.simple_mood)

    def event(self, name: str, now: float) -> None:
        """Let an event change the mood, less when it comes again; unknown ones are counted."""
        event = self.config.events.get(name)
        if event is None:
            self.unknown_events[name] += 1
            return
        share = self.weight_of(name, now)
        for emotion, amount in event.affectors:
            self.add(emotion, amount * share, now)
        self._fired[name] = now
        self.last_event = name

    def action_result(self, action: str, result: str, now: float) -> None:
        """Let the result of an action change the mood, where the files say so."""
        if name := self.config.action_results.get(action, {}).get(result):
            self.event(name, now)

    def weight_of(self, name: str, now: float) -> float:
        """Return what a known event would be worth now, 0 to 1."""
        fired = self._fired.get(name)
        if fired is None:
            return 1.0
        graph = self.config.events[name].repetition or self.config.repetition
        return graph.fraction(max(0.0, now - fired))

    def _fade(self, emotion: Emotion, now: float) -> None:
        level = self._levels[emotion]
        before, level.updated = level.updated, max(now, level.updated)
        if not level.value or level.updated == before:
            return
        graph = self.config.decay[emotion]
        left, leaves = graph(before - level.since), graph(level.updated - level.since)
        level.value *= leaves / left if left > _NOTHING_LEFT else leaves
