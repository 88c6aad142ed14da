"""Taps in the order of the cubes' stamps, whatever order they come in (spec 17 §3.2)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

REPEAT = 0.2
"""A cube reports some taps twice, 0.07 to 0.16 s apart; s (spec 17 §3.2)."""


@dataclass(frozen=True, slots=True)
class Tap:
    """``time`` is when the cube was tapped, by its radio's stamp, s."""

    factory_id: int
    time: float


class Taps:
    """Tells taps from their repeats, of each cube, also when they come in another order."""

    def __init__(self) -> None:
        self._times: dict[int, list[float]] = defaultdict(list)

    def add(self, tap: Tap) -> bool:
        """Return whether it is a new tap."""
        times = self._times[tap.factory_id]
        is_repeat = any(0.0 <= tap.time - time < REPEAT for time in times)
        times.append(tap.time)
        del times[:-8]
        return not is_repeat
