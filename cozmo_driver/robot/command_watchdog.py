"""Stops the robot when whoever drives it falls silent."""

from __future__ import annotations


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
