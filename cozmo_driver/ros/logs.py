"""The node's log: records of the layers below, and lines that may come with every message."""

from __future__ import annotations

import logging
import queue
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from .rclpy_compat import Logger

_package = logging.getLogger(__name__.partition(".")[0])
_log = logging.getLogger(__name__)

_PERIOD = 5.0
_DRAIN_TIMEOUT = 2.0
_KINDS = 32
_NUMBERS = re.compile(r"[-+]?\d[\d.]*(e[-+]?\d+)?")


@dataclass(slots=True)
class _Line:
    logged_at: float
    repeats: int = 0


class ThrottledLog:
    """Logs a text at most once in 5 s, also when it only differs in its numbers.

    A throttle by the calling line would hide a second reason behind the first. At most 32 kinds of
    text are logged, and remembered, in 5 s. May be used in any thread.
    """

    def __init__(
        self,
        logger: logging.Logger | Logger = _log,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
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

    A thread of its own does it: a ROS logger reads its caller's source and writes to a terminal,
    either of which may hang. A traceback that repeats is logged in full once, then every 5 s how
    often it came. A record's attribute ``ros_logger`` names another ROS logger for it.
    """

    def __init__(self, logger: Logger, monotonic: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._logger = logger
        self._throttled = ThrottledLog(monotonic=monotonic)
        self._records: queue.SimpleQueue[logging.LogRecord | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="log", daemon=True)
        self.faults = Faults()

    def attach(self) -> None:
        self._thread.start()
        _package.addHandler(self)
        _package.setLevel(logging.INFO)
        _package.propagate = False

    def detach(self) -> None:
        """Log what waits; later records go where Python's logging sends them."""
        _package.removeHandler(self)
        _package.propagate = True
        self._records.put(None)
        self._thread.join(_DRAIN_TIMEOUT)

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and record.exc_info[1] is not None:
            self.faults.count += 1
            self.faults.latest = f"{record.getMessage()}: {record.exc_info[1]!r}"
        self._records.put(record)

    def _run(self) -> None:
        while (record := self._records.get()) is not None:
            try:
                self._log(record)
            except Exception:  # the log itself has failed: it goes on, and stderr is what is left
                self.handleError(record)

    def _log(self, record: logging.LogRecord) -> None:
        text = self.format(record)
        if record.exc_info and record.exc_info[1] is not None:
            repeats = self._throttled.is_due(text)
            if repeats is None:
                return
            if repeats:
                text = f"{record.getMessage()}: {record.exc_info[1]!r} ({repeats + 1} times more)"
        logger = getattr(record, "ros_logger", self._logger)
        # A ROS logger ties the severity to the line that calls it.
        if record.levelno >= logging.CRITICAL:
            logger.fatal(text)
        elif record.levelno >= logging.ERROR:
            logger.error(text)
        elif record.levelno >= logging.WARNING:
            logger.warning(text)
        elif record.levelno >= logging.INFO:
            logger.info(text)
        else:
            logger.debug(text)
