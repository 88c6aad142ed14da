"""Stops the robot when whoever drives it falls silent (spec 07 §3)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class CommandWatchdog:
    """Remembers when the last velocity command came; time is a parameter, s.

    The robot keeps a commanded speed for ever (spec 07 §3), so somebody must take it back.
    """

    def __init__(self, timeout: float) -> None:
        """Expire ``timeout`` seconds after the last command that moves."""
        self.timeout = timeout
        self._last: float | None = None

    @property
    def is_armed(self) -> bool:
        """Tell whether a movement was commanded and not yet taken back."""
        return self._last is not None

    @property
    def due(self) -> float | None:
        """When to call ``expire`` next; None while there is nothing to stop."""
        return None if self._last is None else self._last + self.timeout

    def command(self, moves: bool, now: float) -> None:
        """Take note of a command; one that stops needs no watching."""
        self._last = now if moves else None

    def expire(self, now: float) -> bool:
        """Return True, once, when the time is up: stop the robot now."""
        if self._last is None or now < self._last + self.timeout:
            return False
        self._last = None
        return True


class CommandTimer:
    """A ``CommandWatchdog`` with a timer of its own; lives in one asyncio loop."""

    def __init__(self, timeout: float, expired: Callable[[], object]) -> None:
        """Call ``expired`` when ``timeout`` seconds have passed since a command that moves."""
        self._watchdog, self._expired = CommandWatchdog(timeout), expired
        self._timer: asyncio.TimerHandle | None = None

    @property
    def timeout(self) -> float:
        """Return how long the sender may be silent, s."""
        return self._watchdog.timeout

    def change_timeout(self, timeout: float) -> None:
        """Let another time, s, hold, for a command under way too."""
        self._watchdog.timeout = timeout
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._arm()

    def command(self, moves: bool) -> None:
        """Take note of a command; one that stops needs no watching."""
        self._watchdog.command(moves, asyncio.get_running_loop().time())
        self._arm()

    def _arm(self) -> None:
        """Keep one timer running; a command only moves the time that it finds."""
        due = self._watchdog.due
        if due is not None and self._timer is None:
            self._timer = asyncio.get_running_loop().call_at(due, self._look, due)

    def _look(self, due: float) -> None:
        self._timer = None
        # The loop may call within its clock resolution too early; what was due is due.
        if self._watchdog.expire(max(asyncio.get_running_loop().time(), due)):
            self._expired()
        else:
            self._arm()
