"""The firmware's own log lines in the node's log."""

from __future__ import annotations

import asyncio
from pathlib import Path

from rclpy.logging import LoggingSeverity

from ...robot import Trace, TraceLevel, TraceTables, TraceTablesError, load_trace_tables
from ..context import Context
from ..parameter_set import ParameterError, ParameterSet

LINES_PER_SECOND = 50


def trace_tables(parameters: ParameterSet) -> TraceTables:
    """Return what makes traces text, nothing without a file. Raises ``ParameterError``."""
    file = parameters["trace_tables_file"]
    try:
        return load_trace_tables(Path(file).expanduser()) if file else TraceTables()
    except TraceTablesError as error:
        raise ParameterError(f"the parameter trace_tables_file: {error}") from error


class TracesPart:
    """Hands traces to a logger below the node's own, while ``log_firmware_traces`` is set.

    Lives in the robot's thread. A firmware that floods the log is cut off, and what is left out is
    counted (spec 11 §10).
    """

    def __init__(self, context: Context) -> None:
        """Follow the robot's traces."""
        self._parameters = context.parameters
        self._logger = context.node.get_logger().get_child("firmware")
        # The parameter is the switch; the node's level would hide most of what it switches on.
        self._logger.set_level(LoggingSeverity.DEBUG)
        self._said = self._left_out = 0
        self._timer: asyncio.TimerHandle | None = None
        context.robot.on_trace.connect(self._take)

    def _take(self, trace: Trace) -> None:
        if not self._parameters["log_firmware_traces"]:
            return
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(1.0, self._end_second)
        if self._said >= LINES_PER_SECOND:
            self._left_out += 1
            return
        self._said += 1
        self._say(trace.level, f"{trace.name}: {trace.text}" if trace.name else trace.text)

    def _end_second(self) -> None:
        left_out, self._timer = self._left_out, None
        self._said = self._left_out = 0
        if left_out:
            self._logger.warning(f"{left_out} lines of the last second are left out")

    def _say(self, level: TraceLevel, text: str) -> None:
        # A ROS logger ties the severity to the line that calls it.
        match level:
            case TraceLevel.FATAL:
                self._logger.fatal(text)
            case TraceLevel.ERROR:
                self._logger.error(text)
            case TraceLevel.WARN:
                self._logger.warning(text)
            case TraceLevel.INFO:
                self._logger.info(text)
            case TraceLevel.DEBUG:
                self._logger.debug(text)
