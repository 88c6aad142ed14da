"""The node's log: records of the layers below, and lines that may come with every message."""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from .rclpy_compat import Logger

_SOURCE = "cozmo_driver"
_PERIOD = 5.0
_KINDS = 32
_NUMBERS = re.compile(r"[-+]?\d[\d.]*(e[-+]?\d+)?")


@dataclass(slots=True)
class _Line:
    logged_at: float
    repeats: int = 0


class ThrottledLog:
    """Logs a text at most once in 5 s, also when it only differs in its numbers.

    The logger's own throttle goes by the calling line, and so hides a second reason behind the
    first. At most 32 kinds of text are logged, and remembered, in 5 s. May be used in any thread.
    """

    def __init__(self, logger: Logger, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._logger, self._monotonic = logger, monotonic
        self._lock = threading.Lock()
        self._lines: dict[str, _Line] = {}

    def warning(self, text: str) -> None:
        if self.is_due(text) is not None:
            self._logger.warning(text)

    def is_due(self, text: str) -> int | None:
        """Return how often a text was left out before it is logged now; None to leave it out."""
        kind = _NUMBERS.sub("#", text)
        with self._lock:
            now = self._monotonic()
            line = self._lines.get(kind)
            if line is not None and now - line.logged_at < _PERIOD:
                line.repeats += 1
                return None
            for old in [k for k, v in self._lines.items() if now - v.logged_at >= _PERIOD]:
                del self._lines[old]
            if len(self._lines) >= _KINDS:
                return None
            self._lines[kind] = _Line(now)
            return line.repeats if line is not None else 0


@dataclass(slots=True)
class Faults:
    """Errors that nobody expected: they are logged with their tracebacks."""

    count: int = 0
    latest: str = ""


class LogBridge(logging.Handler):
    """Hands the records of the package's loggers to a ROS logger while it is attached.

    A traceback that repeats is logged in full once, then every 5 s how often it came.
    """

    def __init__(self, logger: Logger, monotonic: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._logger, self._throttled = logger, ThrottledLog(logger, monotonic)
        self.faults = Faults()

    def attach(self) -> None:
        source = logging.getLogger(_SOURCE)
        source.addHandler(self)
        source.setLevel(logging.INFO)
        source.propagate = False

    def detach(self) -> None:
        source = logging.getLogger(_SOURCE)
        source.removeHandler(self)
        source.propagate = True

    def emit(self, record: logging.LogRecord) -> None:
        text = self.format(record)
        if record.exc_info and record.exc_info[1] is not None:
            self.faults.count += 1
            self.faults.latest = f"{record.getMessage()}: {record.exc_info[1]!r}"
            repeats = self._throttled.is_due(text)
            if repeats is None:
                return
            if repeats:
                text = f"{self.faults.latest} ({repeats + 1} times more)"
        # A ROS logger ties the severity to the line that calls it.
        if record.levelno >= logging.CRITICAL:
            self._logger.fatal(text)
        elif record.levelno >= logging.ERROR:
            self._logger.error(text)
        elif record.levelno >= logging.WARNING:
            self._logger.warning(text)
        elif record.levelno >= logging.INFO:
            self._logger.info(text)
        else:
            self._logger.debug(text)
