"""A periodic call in an asyncio loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class Ticker:
    """Calls ``callback`` every ``period`` s without drifting; lives in one asyncio loop."""

    def __init__(self, period: float, callback: Callable[[], object]) -> None:
        """Prepare; nothing is called before ``start``."""
        self._period, self._callback = period, callback
        self._handle: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Begin one period from now."""
        self.stop()
        loop = asyncio.get_running_loop()
        self._arm(loop, loop.time() + self._period)

    def stop(self) -> None:
        """End; safe to call twice."""
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
