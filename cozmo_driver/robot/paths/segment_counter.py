"""Which segment of a path the robot is on, from the index that it reports."""

from __future__ import annotations

_MODULUS = 256


class SegmentCounter:
    """Counts segments from the start of a path, whatever the robot's own index counts from.

    The reported index has 8 bits and wraps; and where finished segments were deleted with
    ``TrimPath``, firmware may count from what is left (spec 07 §7 leaves it open). An index that
    falls by what was deleted tells which.
    """

    def __init__(self) -> None:
        """Stand before the first segment."""
        self.index = 0
        """Segments behind the robot."""
        self._last = 0
        self._trimmed = 0

    def trimmed(self, count: int) -> None:
        """Take note that ``count`` finished segments were deleted."""
        self._trimmed += count

    def update(self, reported: int, appended: int) -> int:
        """Take an index, -1 for none; return the segments behind, less than ``appended``."""
        if reported == -1:
            return self.index
        raw = reported % _MODULUS
        step = (raw - self._last) % _MODULUS
        if step >= _MODULUS // 2:
            # Backwards: it counts from what is left after the last deletion.
            step = (raw - self._last + self._trimmed) % _MODULUS
            self._trimmed = 0
            if step >= _MODULUS // 2:
                step = 0
        self._last = raw
        self.index = min(self.index + step, max(0, appended - 1))
        return self.index
