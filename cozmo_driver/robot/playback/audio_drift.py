"""Keeps the delay of a live sound: its source and the robot have clocks of their own."""

from __future__ import annotations

import math

WINDOW = 3.0
"""s over which the least delay counts; pieces that come in bursts make it go up and down."""
GAIN = 0.1
"""Share of the speed for each second of delay too much."""
MAX_CHANGE = 0.005
"""Largest change of the speed; nobody hears it."""


class DriftControl:
    """Tells how much faster to play so that the least delay stays at a target."""

    def __init__(self, target: float) -> None:
        """Aim at a least delay of ``target`` s."""
        self.target = target
        self.reset()

    def reset(self) -> None:
        """Forget what was seen: a new stream begins."""
        self.speed = 1.0
        self._start = -math.inf
        self._least = self._least_before = math.inf

    def update(self, delay: float, now: float) -> float:
        """Take the delay in s at the time ``now``; return the speed, 1.0 for unchanged."""
        if now - self._start > WINDOW:
            self._least_before, self._least = self._least, math.inf
            self._start = now
        self._least = min(self._least, delay)
        if self._least_before < math.inf:
            error = min(self._least, self._least_before) - self.target
            self.speed = 1.0 + min(max(GAIN * error, -MAX_CHANGE), MAX_CHANGE)
        return self.speed
