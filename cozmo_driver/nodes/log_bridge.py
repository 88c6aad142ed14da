"""Log records of the layers below into the node's log."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from .rclpy_compat import Logger

_SOURCE = "cozmo_driver"


@dataclass(slots=True)
class Faults:
    """Errors that nobody expected: they are logged with their tracebacks."""

    count: int = 0
    latest: str = ""


class LogBridge(logging.Handler):
    """Hands the records of the package's loggers to a ROS logger while it is attached."""

    def __init__(self, logger: Logger) -> None:
        """Use ``logger``; nothing is handed over before ``attach``."""
        super().__init__()
        self._logger = logger
        self.faults = Faults()

    def attach(self) -> None:
        """Begin."""
        source = logging.getLogger(_SOURCE)
        source.addHandler(self)
        source.setLevel(logging.INFO)
        source.propagate = False

    def detach(self) -> None:
        """End."""
        source = logging.getLogger(_SOURCE)
        source.removeHandler(self)
        source.propagate = True

    def emit(self, record: logging.LogRecord) -> None:
        """Hand a record over."""
        text = self.format(record)
        if record.exc_info and record.exc_info[1] is not None:
            self.faults.count += 1
            self.faults.latest = f"{record.getMessage()}: {record.exc_info[1]!r}"
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
