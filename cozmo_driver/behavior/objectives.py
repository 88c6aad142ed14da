"""Goals that an activity wants to reach: of a spark, of company (spec 11 §8)."""

from __future__ import annotations

import random
from collections import Counter

from .config import ActivityConfig

_OWN = "its behaviours"
"""Stands for the goal of a spark that names none: what it chose came to its end."""


class Objectives:
    """The goals of one activity and how often each was reached since it began."""

    def __init__(self, config: ActivityConfig) -> None:
        """Begin without a goal."""
        self._config = config
        self._needed: Counter[str] = Counter()
        self._reached: Counter[str] = Counter()

    def begin(self, rng: random.Random) -> None:
        """Draw what shall be reached this time."""
        self._needed, self._reached = Counter(), Counter()
        spark = self._config.spark
        if spark is not None:
            self._needed[spark.objective or _OWN] = spark.repetitions
        for one in self._config.objectives:
            if rng.random() < one.probability:
                self._needed[one.name] += rng.randint(one.least, one.most)

    def reach(self, name: str) -> None:
        """Take that a behaviour reached a goal."""
        self._reached[name] += 1

    def take_end(self, *, tells_goals: bool) -> None:
        """Take that a behaviour of the activity came to its end.

        One that tells no goals, as the app's files do not, has reached the spark's.
        """
        self._reached[_OWN] += 1
        spark = self._config.spark
        if spark is not None and spark.objective and not tells_goals:
            self._reached[spark.objective] += 1

    @property
    def are_reached(self) -> bool:
        """Tell whether there were any, and nothing is left of them."""
        return bool(self._needed) and not self._needed - self._reached
