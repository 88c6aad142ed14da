"""The firmware's own log lines (messages 0xB0 and 0xB1; spec 11 §10)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from ...protocol import messages
from ..session import Session
from ..signal import Signal
from .trace_tables import TraceTables, format_trace


class TraceLevel(Enum):
    """How much a trace matters, in rising order."""

    DEBUG = "debug"
    INFO = "info"
    WARN = "warn"
    ERROR = "error"
    FATAL = "fatal"


_LEVELS = {
    3: TraceLevel.INFO,
    4: TraceLevel.WARN,
    5: TraceLevel.ERROR,
    6: TraceLevel.FATAL,
}


@dataclass(frozen=True, slots=True)
class Trace:
    """One line: ``time`` of arrival on the host's monotonic clock, s."""

    time: float
    level: TraceLevel
    name: str
    """Who says it; empty when it was not said."""
    text: str
    is_decoded: bool
    """False when the text is numbers because no table explains them."""


def level_of(number: int) -> TraceLevel:
    """Return the level of a number on the wire; unknown ones are for debugging."""
    return _LEVELS.get(number, TraceLevel.DEBUG)


def decode_trace(message: messages.PrintTrace, tables: TraceTables, time: float) -> Trace:
    """Return the line of a trace, as text where the tables explain it; ``time`` in s."""
    name = tables.names.get(message.name_id, f"name {message.name_id}")
    level = level_of(message.level)
    text, count = tables.formats.get(message.format_id, ("", -1))
    # The table counts the arguments apart from the text; when they differ, neither is believed.
    filled = format_trace(text, message.args) if count == len(message.args) else None
    if filled is None:
        words = "".join(f" {word & 0xFFFF_FFFF:#010x}" for word in message.args)
        return Trace(time, level, _clean(name), f"trace {message.format_id}:{words}", False)
    return Trace(time, level, _clean(name), _clean(filled), True)


def decode_text(message: messages.PrintText, time: float) -> Trace:
    """Return the line of a plain text; ``time`` in s."""
    return Trace(time, level_of(message.level), "", _clean(message.text), True)


def _clean(text: str) -> str:
    """Keep control characters out of terminals and log files."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text.rstrip("\r\n\0 "))


class Traces:
    """Emits what the firmware logs."""

    def __init__(self, session: Session, tables: TraceTables | None = None) -> None:
        """Listen to ``session``; without ``tables`` traces are numbers."""
        self.tables = tables or TraceTables()
        self.on_trace: Signal[Trace] = Signal()
        session.on(messages.PrintTrace, self._take_trace)
        session.on(messages.PrintText, self._take_text)

    def _take_trace(self, message: messages.PrintTrace, now: float) -> None:
        self.on_trace.emit(decode_trace(message, self.tables, now))

    def _take_text(self, message: messages.PrintText, now: float) -> None:
        self.on_trace.emit(decode_text(message, now))
