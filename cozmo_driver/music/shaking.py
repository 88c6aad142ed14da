"""How hard a cube is shaken (spec 17, table "Shared rules": shake score)."""

from __future__ import annotations

from ..robot import ACCELERATION_COUNT, Vector3

_DECAY = 0.5
"""Of the high-pass filter, for songs."""
_HARDEST = 3000.0
"""Score, squared counts, that counts as shaken at the hardest (spec 17 §4)."""
_SMOOTHING = 0.5
_STARTS, _HOLDS = 3.9**2, 2.5**2
"""Scores from which a cube counts as shaken, and down to which it stays so."""


class Shaking:
    """Of several cubes the one that is shaken the most; 0 to 1."""

    def __init__(self) -> None:
        self.level = 0.0
        self._filters: dict[int, tuple[Vector3, Vector3]] = {}
        self._strongest = 0.0
        self._is_shaken = False

    def feel(self, factory_id: int, acceleration: Vector3) -> None:
        """Take a cube's acceleration, m/s^2."""
        felt = acceleration
        before, high = self._filters.get(factory_id, (felt, Vector3(0.0, 0.0, 0.0)))
        high = Vector3(
            _DECAY * (high.x + felt.x - before.x),
            _DECAY * (high.y + felt.y - before.y),
            _DECAY * (high.z + felt.z - before.z),
        )
        self._filters[factory_id] = felt, high
        score = (high.x**2 + high.y**2 + high.z**2) / ACCELERATION_COUNT**2
        self._is_shaken = score > (_HOLDS if self._is_shaken else _STARTS)
        if self._is_shaken:
            self._strongest = max(self._strongest, score)

    def update(self) -> float:
        """Return the level after one more tick, about 1/30 s."""
        share = min(self._strongest / _HARDEST, 1.0)
        self._strongest = 0.0
        self.level = _SMOOTHING * self.level + (1.0 - _SMOOTHING) * share
        return self.level
