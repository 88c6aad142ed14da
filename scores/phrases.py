"""The words of one beat of a score: "Happiness up 4 in 120 bounce".

Everything raises ``ScoreError`` for what it cannot be.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from cozmo_driver.resources import FRAME_MS


class ScoreError(ValueError):
    """A score cannot be used; the text says where and why."""


LONGEST_MS = 60_000
"""A time of a score that is later is a mistake."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """The words it starts with, then words with a number behind them, and words alone."""

    words: tuple[str, ...]
    numbers: Mapping[str, float]
    flags: frozenset[str]

    def one_word(self) -> str:
        if len(self.words) != 1:
            raise ScoreError(f"one word is expected, not {' '.join(self.words)!r}")
        return self.words[0]

    def one_number(self) -> float:
        return number_of(self.one_word())

    def frames(self, key: str, default_ms: float | None = None) -> int:
        """Return a duration in frames, at least one."""
        duration = self.numbers.get(key, default_ms)
        if duration is None:
            raise ScoreError(f"it does not say {key!r} how many ms")
        return max(1, frame_of(duration))


def parse(text: Any, numbers: Collection[str] = (), flags: Collection[str] = ()) -> Phrase:
    """Return a phrase; ``numbers`` and ``flags`` may follow its words."""
    if not isinstance(text, str):
        raise ScoreError(f"{text!r} is no text")
    words: list[str] = []
    found: dict[str, float] = {}
    alone = set()
    waiting = iter(text.split())
    for word in waiting:
        if word in found or word in alone:
            raise ScoreError(f"it says {word!r} twice")
        if word in numbers:
            found[word] = number_of(next(waiting, f"nothing behind {word!r}"))
        elif word in flags:
            alone.add(word)
        elif found or alone:
            raise ScoreError(f"nothing is known of {word!r} there")
        else:
            words.append(word)
    return Phrase(tuple(words), found, frozenset(alone))


def number_of(word: str) -> float:
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ScoreError(f"{word} is no number")
    return value


def frame_of(milliseconds: float) -> int:
    """Return the nearest frame: on frames alone do two equal movements take equally long."""
    if not 0 <= milliseconds <= LONGEST_MS:
        raise ScoreError(f"the time {milliseconds:g} is not from 0 to {LONGEST_MS} ms")
    return round(milliseconds / FRAME_MS)
