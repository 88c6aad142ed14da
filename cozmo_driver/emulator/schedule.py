"""Actions to be done at a time, in the order of their times."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import count

Action = Callable[[], None]


class Schedule:
    """A queue of actions; equal times keep the order in which they were entered."""

    def __init__(self) -> None:
        """Start empty."""
        self._queue: list[tuple[float, int, Action]] = []
        self._order = count()

    def at(self, time: float, action: Action) -> None:
        """Enter an action."""
        heapq.heappush(self._queue, (time, next(self._order), action))

    def next_time(self) -> float | None:
        """Return the time of the first action, None for none."""
        return self._queue[0][0] if self._queue else None

    def take_due(self, now: float) -> Action | None:
        """Remove and return the first action if it is due."""
        if not self._queue or self._queue[0][0] > now:
            return None
        return heapq.heappop(self._queue)[2]

    def clear(self) -> None:
        """Forget every action."""
        self._queue.clear()
