"""Which tap was meant: the strongest of those the cubes feel together (spec 08 §5)."""

from __future__ import annotations

from dataclasses import dataclass

THRESHOLD = 60
"""Raw intensity that a tap must exceed."""
WINDOW = 0.075
"""A tap on one cube shakes the others within this time, s."""
DOUBLE_TAP = 0.5
"""Longest time between the taps of a double tap, s."""


@dataclass(frozen=True, slots=True)
class Tap:
    """A tap candidate: when on the robot's clock and when it arrived, s; raw intensity."""

    factory_id: int
    time: float
    received_at: float
    intensity: int


class TapFilter:
    """Collects tap candidates of all cubes and gives back the taps that were meant."""

    def __init__(self) -> None:
        """Start without taps."""
        self._pending: list[Tap] = []
        self._previous: dict[int, float] = {}

    def reset(self) -> None:
        """Forget everything: the robot's clock starts anew."""
        self._pending.clear()
        self._previous.clear()

    def add(self, tap: Tap) -> bool:
        """Take a candidate; return False for one that is too weak."""
        if tap.intensity <= THRESHOLD:
            return False
        self._pending.append(tap)
        return True

    def take(self, now: float) -> Tap | None:
        """Return the next tap whose window has passed at ``now``, s."""
        if not self._pending or now - self._pending[0].received_at < WINDOW:
            return None
        start = min(tap.time for tap in self._pending)
        together = [tap for tap in self._pending if tap.time - start <= WINDOW]
        self._pending = [tap for tap in self._pending if tap.time - start > WINDOW]
        return max(together, key=lambda tap: (tap.intensity, -tap.time))

    def is_double(self, tap: Tap) -> bool:
        """Tell whether a taken tap is the second of two; a third one counts as a first."""
        previous = self._previous.pop(tap.factory_id, None)
        if previous is not None and 0.0 <= tap.time - previous <= DOUBLE_TAP:
            return True
        self._previous[tap.factory_id] = tap.time
        return False
