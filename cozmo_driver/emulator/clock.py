"""The robot's own clock: milliseconds, set by SyncTime (spec 07 §12)."""

from __future__ import annotations

_ROUNDING = 1e-6
_WRAP = 1 << 32


class RobotClock:
    """Maps the host's time in seconds to the robot's in milliseconds."""

    def __init__(self, now: float) -> None:
        """Count from power on until somebody sets the clock."""
        self._zero = now
        self._base = 0

    def set(self, milliseconds: int, now: float) -> None:
        """Let the clock show ``milliseconds`` now."""
        self._zero, self._base = now, milliseconds

    def milliseconds(self, now: float) -> int:
        """Return what the clock shows; wraps after 49.7 days."""
        return (self._base + int((now - self._zero) * 1000.0 + _ROUNDING)) % _WRAP
