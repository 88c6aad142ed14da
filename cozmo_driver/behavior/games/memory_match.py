"""Memory Match: repeat a growing pattern of cubes (spec 17 §3.3)."""

from __future__ import annotations

import random
from dataclasses import dataclass

from .quick_tap import LATE_RADIO
from .taps import Tap, without_repeats

SHORTEST, LONGEST = 2, 20
"""Taps in the first pattern, and in the last one."""
LIVES = 3
TAP_TIME = 6.0
"""For each tap, s."""
COLORS = ("red", "yellow", "blue")
"""Of the cubes from the robot's right to its left."""
FAST = 6
"""Length from which the robot points fast."""
LEVELS = (0.6, 0.75, 0.9)
"""How surely the robot remembers one tap from its sixth turn on."""
_SURE_TURNS, _CURVE = 2, 5
_LIT, _GAP = (0.5, 0.3), (0.25, 0.12)
"""Of one tap that is shown and between two, s, of the first pattern and from 10 taps on."""
_SHORT_AT = 10


def lit_time(length: int) -> tuple[float, float]:
    """Return how long one tap of a pattern is shown, and the dark between two, s."""
    share = min(1.0, max(0.0, (length - SHORTEST) / (_SHORT_AT - SHORTEST)))
    lit, gap = (first + share * (last - first) for first, last in (_LIT, _GAP))
    return lit, gap


class Pattern:
    """Places of cubes, from the robot's right; the first differ, never three equal in a row."""

    def __init__(self, rng: random.Random, cubes: int) -> None:
        self._rng, self._cubes = rng, cubes
        self.steps: list[int] = []
        for _ in range(SHORTEST):
            self.extend()

    def extend(self) -> None:
        steps, count = self.steps, self._cubes
        if len(steps) < count:
            allowed = set(range(count)) - set(steps)
        else:
            is_twice = steps[-1] == steps[-2]
            allowed = set(range(count)) - ({steps[-1]} if is_twice else set())
        steps.append(self._rng.choice(sorted(allowed)))

    @property
    def length(self) -> int:
        return len(self.steps)


def recall(rng: random.Random, pattern: Pattern, turn: int, cubes: int, level: float) -> list[int]:
    """Return what the robot points to in a ``turn``, from 0: up to its first mistake."""
    chance = 1.0 if turn < _SURE_TURNS else 1.0 - (1.0 - level) * min(1.0, turn / _CURVE)
    shown: list[int] = []
    for step in pattern.steps:
        if rng.random() >= chance:
            return [*shown, rng.choice([one for one in range(cubes) if one != step])]
        shown.append(step)
    return shown


@dataclass(frozen=True, slots=True)
class Step:
    place: int
    is_right: bool


class PlayerTurn:
    """Judges a player's taps in the order of their stamps; times in s."""

    def __init__(self, pattern: Pattern, cubes: list[int], began_at: float) -> None:
        """``cubes`` are factory ids by their places."""
        self._steps, self._cubes = pattern.steps, cubes
        self._began_at = self._last = began_at
        self._taps: list[Tap] = []
        self._count = 0
        self.is_over = self.is_right = False
        self.is_late = False
        """It ended because no tap came in time."""

    def tap(self, tap: Tap) -> None:
        """Take a tap; one that was made before the turn began does not count."""
        if tap.time >= self._began_at:
            self._taps.append(tap)

    def wait(self, now: float) -> None:
        """Let the time for the first tap begin with ``now``."""
        if not self._taps:
            self._last = now

    def judge(self, now: float) -> list[Step]:
        """Return the taps that are judged now: those before which no other one can come."""
        judged = []
        for tap in without_repeats(self._taps)[self._count :]:
            is_late = tap.time > self._last + TAP_TIME
            if self.is_over or is_late or now < tap.time + LATE_RADIO:
                break
            place = self._cubes.index(tap.factory_id)
            is_right = place == self._steps[self._count]
            judged.append(Step(place, is_right))
            self._count, self._last = self._count + 1, tap.time
            self.is_right = is_right and self._count == len(self._steps)
            self.is_over = not is_right or self.is_right
        if not self.is_over and now >= self._last + TAP_TIME + LATE_RADIO:
            self.is_over = self.is_late = True
        return judged
