"""How much less the odometry can be trusted after slip and pick-ups (spec 07 §10)."""

from __future__ import annotations

import math


class PoseUncertainty:
    """Scale of the odometry's variances: jumps up when disturbed, then falls back to 1."""

    def __init__(self, inflation: float = 100.0, duration: float = 2.0) -> None:
        """Jump to ``inflation``, at least 1, and fall back within ``duration`` s.

        Both may be changed at any time.
        """
        self.inflation, self.duration = inflation, duration
        self._disturbed_at = -math.inf

    def update(self, time: float, *, is_disturbed: bool) -> float:
        """Return the scale at ``time``, s; disturbed is a robot that is lifted or slips."""
        if is_disturbed:
            self._disturbed_at = time
            return self.inflation
        age = time - self._disturbed_at
        if age >= self.duration:
            return 1.0
        return float(self.inflation ** (1.0 - max(0.0, age) / self.duration))
