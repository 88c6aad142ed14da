"""Maps the robot's clock to the host's by the least delayed datagrams (spec 07 §12)."""

from __future__ import annotations

import math
from collections import deque

WINDOW = 5.0
"""Span over which the least delay counts, s (spec 07 §12)."""
SLEW_RATE = 0.001
"""How fast the offset may grow, s/s."""
_STEP = 1e-6
_MARGIN = 1e-4
"""Stamps stay this much before the arrival, s: room for the states of one datagram."""
_WINDOWS = 24
"""Windows, two minutes, that the drift is measured over, and how many are needed at least."""
_FEWEST_WINDOWS = 4


class DeviceClock:
    """Running estimate of host time minus robot time.

    Times it returns never decrease and never lie after the arrival they belong to.
    """

    def __init__(self) -> None:
        """Start without an estimate."""
        self._last = -math.inf
        self.reset()

    def reset(self) -> None:
        """Forget the estimate: the robot's clock was set anew."""
        self.offset = math.nan
        self._window_start = -math.inf
        self._least = self._least_before = math.inf
        self._least_at = self._updated_at = 0.0
        self._history: deque[tuple[float, float]] = deque(maxlen=_WINDOWS)
        """Robot time and least delay of each finished window."""

    @property
    def drift(self) -> float:
        """How much slower than the host's the robot's clock runs, s/s; NaN in the first 20 s."""
        count = len(self._history)
        if count < _FEWEST_WINDOWS:
            return math.nan
        middle = sum(time for time, _ in self._history) / count
        spread = sum((time - middle) ** 2 for time, _ in self._history)
        return sum((time - middle) * least for time, least in self._history) / spread

    @property
    def skew(self) -> float:
        """Offset still to be slewed in, s: positive when the robot's clock falls behind."""
        return min(self._least, self._least_before) - self.offset

    def update(self, robot_time: float, received_at: float) -> float:
        """Take a stamp of the robot and its arrival, both s; return the host time of the stamp."""
        sample = received_at - robot_time
        if received_at - self._window_start > WINDOW:
            if self._least < math.inf:
                self._history.append((self._least_at, self._least))
            self._least_before, self._least = self._least, math.inf
            self._window_start = received_at
        if sample < self._least:
            self._least, self._least_at = sample, robot_time
        target = min(self._least, self._least_before)
        if math.isnan(self.offset) or target < self.offset:
            self.offset = target
        else:
            allowed = SLEW_RATE * (received_at - self._updated_at)
            self.offset = min(target, self.offset + allowed)
        self._updated_at = received_at
        time = min(self.to_host(robot_time), received_at - _MARGIN)
        self._last = max(time, self._last + _STEP)
        return self._last

    def to_host(self, robot_time: float) -> float:
        """Return the host time of a robot time, s; NaN before the first update."""
        return self.offset + robot_time
