"""Taps in the order of the cubes' stamps, whatever order they come in (spec 17 §3.2)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

REPEAT = 0.2
"""A cube reports some taps twice, 0.07 to 0.16 s apart; s (spec 17 §3.2)."""


@dataclass(frozen=True, slots=True)
class Tap:
    """``time`` is when the cube was tapped, by its radio's stamp, s."""

    factory_id: int
    time: float


def without_repeats(taps: Iterable[Tap]) -> list[Tap]:
    """Return the taps by their times, without what a cube reported again."""
    found: list[Tap] = []
    latest: dict[int, float] = {}
    for tap in sorted(taps, key=lambda tap: tap.time):
        before = latest.get(tap.factory_id)
        if before is None or tap.time - before >= REPEAT:
            found.append(tap)
            latest[tap.factory_id] = tap.time
    return found
