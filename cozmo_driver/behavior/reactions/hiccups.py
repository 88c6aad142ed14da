"""Hiccups: bouts at random times, cured by turning the robot over or shaking it (spec 12 §4)."""

from __future__ import annotations

import random
from collections.abc import Sequence

from ...robot import OffTreads, RobotEvent, RobotEventType
from .reaction_map import HiccupParams, MappedReaction
from .strategies import Cause, Facts, Strategy, Wish

_TURNED_OVER = (OffTreads.ON_BACK, OffTreads.ON_FACE)


class Hiccups(Strategy):
    """Wants a reaction for each hiccup of a bout. Times in s."""

    def __init__(
        self, entries: Sequence[MappedReaction], rng: random.Random, started_at: float
    ) -> None:
        """Draw with ``rng`` when the first bout comes."""
        self._entry = entries[0]
        self._params = entries[0].hiccup or HiccupParams()
        self._rng = rng
        self._left = 0
        self._next_at = started_at + rng.uniform(*self._params.every)

    @property
    def is_hiccuping(self) -> bool:
        """Tell whether a bout goes on."""
        return self._left > 0

    def take(self, event: Cause, now: float) -> None:
        """Be cured by being turned over or shaken."""
        if not isinstance(event, RobotEvent) or not self.is_hiccuping:
            return
        turned = (
            event.type is RobotEventType.OFF_TREADS_CHANGED and event.off_treads in _TURNED_OVER
        )
        if turned or event.type is RobotEventType.SHAKEN_STARTED:
            self._end_bout(now, self._params.immunity)

    def look(self, facts: Facts) -> Wish | str | None:
        """Want the next hiccup when it is due."""
        left = self._next_at - facts.now
        if left > 0:
            return f"the next {'hiccup' if self._left else 'bout'} in {left:.1f} s"
        if not self._left:
            self._left = self._rng.randint(*self._params.count)
        return Wish(f"{self._left} hiccups to go", self._entry)

    def fired(self, now: float) -> None:
        """Count a hiccup; the next one comes in its time."""
        self._left -= 1
        if self._left > 0:
            self._next_at = now + self._rng.uniform(*self._params.spacing)
        else:
            self._end_bout(now, 0.0)

    def _end_bout(self, now: float, immunity: float) -> None:
        self._left = 0
        self._next_at = now + max(immunity, self._rng.uniform(*self._params.every))
