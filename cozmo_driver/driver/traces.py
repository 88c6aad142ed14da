"""The firmware's own log lines in the node's log."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

from rclpy.logging import LoggingSeverity

from ..robot import Trace, TraceLevel, TraceTables, TraceTablesError, load_trace_tables
from ..ros.context import Context
from ..ros.parameter_set import ParameterError, ParameterSet

_log = logging.getLogger(__name__)

LINES_PER_SECOND = 50
_LEVELS = {
    TraceLevel.FATAL: logging.CRITICAL,
    TraceLevel.ERROR: logging.ERROR,
    TraceLevel.WARN: logging.WARNING,
    TraceLevel.INFO: logging.INFO,
    TraceLevel.DEBUG: logging.DEBUG,
}


def trace_tables(parameters: ParameterSet) -> TraceTables:
    """Return what makes traces text, nothing without a file. Raises ``ParameterError``."""
    file = parameters["trace_tables_file"]
    try:
        return load_trace_tables(Path(file).expanduser()) if file else TraceTables()
    except TraceTablesError as error:
        raise ParameterError(f"the parameter trace_tables_file: {error}") from error


class TracesPart:
    """Logs traces under a name below the node's own, while ``log_firmware_traces`` is set.

    A firmware that floods the log is cut off, and what is left out is counted (spec 11 §10).
    """

    def __init__(self, context: Context) -> None:
        self._parameters = context.parameters
        self._ros_logger = context.node.get_logger().get_child("firmware")
        # The parameter is the switch; the node's level would hide most of what it switches on.
        self._ros_logger.set_level(LoggingSeverity.DEBUG)
        _log.setLevel(logging.DEBUG)
        self._logged = self._left_out = 0
        self._timer: asyncio.TimerHandle | None = None
        context.robot.on_trace.connect(self._on_trace)

    def _on_trace(self, trace: Trace) -> None:
        if not self._parameters["log_firmware_traces"]:
            return
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(1.0, self._end_second)
        if self._logged >= LINES_PER_SECOND:
            self._left_out += 1
            return
        self._logged += 1
        text = f"{trace.name}: {trace.text}" if trace.name else trace.text
        self._report(_LEVELS[trace.level], text)

    def _end_second(self) -> None:
        left_out, self._timer = self._left_out, None
        self._logged = self._left_out = 0
        if left_out:
            self._report(logging.WARNING, f"{left_out} lines of the last second are left out")

    def _report(self, level: int, text: str) -> None:
        _log.log(level, "%s", text, extra={"ros_logger": self._ros_logger})
