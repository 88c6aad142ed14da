"""What happens once in a while: periodic calls, throttles, rates."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable


class Ticker:
    """Calls ``callback`` every ``period`` s without drifting; lives in one asyncio loop."""

    def __init__(self, period: float, callback: Callable[[], object]) -> None:
        self._period, self._callback = period, callback
        self._handle: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Call for the first time one period from now."""
        self.stop()
        loop = asyncio.get_running_loop()
        self._arm(loop, loop.time() + self._period)

    def stop(self) -> None:
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def _arm(self, loop: asyncio.AbstractEventLoop, due: float) -> None:
        # Periods missed while the computer slept are left out.
        due = max(due, loop.time())
        self._handle = loop.call_at(due, self._fire, loop, due)

    def _fire(self, loop: asyncio.AbstractEventLoop, due: float) -> None:
        self._arm(loop, due + self._period)
        self._callback()


class Throttle:
    """Lets through what comes ``period`` s after the one before; time is a parameter."""

    def __init__(self, period: float) -> None:
        self._period = period
        self._last = -math.inf

    def is_due(self, now: float, *, force: bool = False) -> bool:
        """Tell whether to let one through; always where the time has gone back."""
        if not force and 0.0 <= now - self._last < self._period:
            return False
        self._last = now
        return True


class Rate:
    """Rate of a counter between two updates, 1/s; time is a parameter."""

    def __init__(self, least: float = 0.0) -> None:
        """Updates within ``least`` s return the rate before."""
        self._least = least
        self._count, self._time, self.value = 0.0, math.nan, 0.0

    def update(self, count: float, now: float) -> float:
        elapsed = now - self._time
        if math.isnan(elapsed):
            self._count, self._time = count, now
        elif elapsed > 0.0 and elapsed >= self._least:
            self.value = (count - self._count) / elapsed
            self._count, self._time = count, now
        return self.value
