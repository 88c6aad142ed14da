"""The filter of the detectors (spec 10 §5)."""

from __future__ import annotations

import math


class LowPass:
    """Exponential average; the first value seeds it, values that are no numbers are ignored."""

    def __init__(self, share: float) -> None:
        """Let each value count for ``share``, 0 to 1."""
        self.value = math.nan
        """NaN before the first value."""
        self._share = share

    def reset(self) -> None:
        """Forget everything."""
        self.value = math.nan

    def update(self, value: float) -> float:
        """Take a value; return the average, in the unit of the values."""
        if math.isfinite(value):
            known = not math.isnan(self.value)
            self.value += self._share * (value - self.value) if known else 0.0
            self.value = self.value if known else value
        return self.value
