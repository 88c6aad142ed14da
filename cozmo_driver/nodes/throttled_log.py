"""Warnings that may come with every message, said once in a while."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable

from .rclpy_compat import Logger

_PERIOD = 5.0
_KINDS = 32
_NUMBERS = re.compile(r"[-+]?\d[\d.]*(e[-+]?\d+)?")


class ThrottledLog:
    """Says a text at most once in 5 s, also when it only differs in its numbers.

    The logger's own throttle goes by the calling line, and so hides a second reason behind the
    first. At most 32 kinds of text are said, and remembered, in 5 s. May be used in any thread.
    """

    def __init__(self, logger: Logger, monotonic: Callable[[], float] = time.monotonic) -> None:
        """Say through ``logger``; ``monotonic`` returns the time, s."""
        self._logger, self._monotonic = logger, monotonic
        self._lock = threading.Lock()
        self._said: dict[str, float] = {}
        """When each kind was said, the oldest first."""

    def warning(self, text: str) -> None:
        """Warn, unless the same was said a moment ago."""
        if self._is_new(_NUMBERS.sub("#", text)):
            self._logger.warning(text)

    def _is_new(self, kind: str) -> bool:
        with self._lock:
            now = self._monotonic()
            while self._said and now - next(iter(self._said.values())) >= _PERIOD:
                del self._said[next(iter(self._said))]
            if kind in self._said or len(self._said) >= _KINDS:
                return False
            self._said[kind] = now
            return True
