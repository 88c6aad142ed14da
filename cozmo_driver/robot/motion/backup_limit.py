"""Cap on driving backwards: the cliff sensor looks at the ground ahead only (spec 10 §4)."""

from __future__ import annotations

_REACTION = 0.15
"""Time from a measurement until the treads have stopped, s."""
_RESUME = 0.010
"""Reversing is possible again after driving this far forward, m."""


class BackupLimit:
    """Counts how far the robot has reversed; driving forward over the same ground pays it back."""

    def __init__(self, limit: float = 0.0) -> None:
        """Allow ``limit`` m; 0 allows any distance."""
        self.limit = limit
        self.reversed = 0.0
        """Distance reversed and not yet driven forward again, m."""
        self._blocked_at: float | None = None

    def reset(self) -> None:
        """Begin anew: the robot stands somewhere else."""
        self.reversed = 0.0
        self._blocked_at = None

    def update(self, speed: float, dt: float) -> None:
        """Take a measured speed in m/s that lasted ``dt`` s."""
        self.reversed = max(0.0, self.reversed - speed * dt)
        if self._blocked_at is not None and self.reversed <= self._blocked_at - _RESUME:
            self._blocked_at = None
        if self.limit and self.reversed + max(0.0, -speed) * _REACTION >= self.limit:
            self._blocked_at = max(self.reversed, self._blocked_at or 0.0)

    @property
    def is_exhausted(self) -> bool:
        """Tell whether the robot must not reverse any further."""
        return bool(self.limit) and self._blocked_at is not None
