"""The firmware's own log lines, and their texts from a file of the app (spec 11 §10).

The robot sends numbers (messages 0xB0 and 0xB1); the user supplies the file.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path

from ...protocol import messages
from ...whole_files import read_whole
from ..session import Session
from ..signal import Signal

FILE_NAME = "AnkiLogStringTables.json"

_MAX_FILE = 4 << 20
_MAX_WIDTH = 64
_CONVERSION = re.compile(r"%(?:%|([-+ #0]*)(\d*)(?:\.(\d*))?(?:hh|h|ll|l|z|j|t|q|L)?([a-zA-Z]))")


class TraceTablesError(ValueError):
    """A file that holds no trace texts; the text says why."""


@dataclass(frozen=True, slots=True)
class TraceTables:
    """Names by number, and C formats with the number of their arguments by number."""

    names: Mapping[int, str] = field(default_factory=dict)
    formats: Mapping[int, tuple[str, int]] = field(default_factory=dict)


def load_trace_tables(path: Path) -> TraceTables:
    """Return the tables of a file; entries that make no sense are left out.

    Raises ``TraceTablesError``.
    """
    try:
        raw = read_whole(path, _MAX_FILE)
    except OSError as error:
        raise TraceTablesError(f"cannot read {path}: {error.strerror}") from error
    try:
        document = json.loads(raw)
        names, formats = document["nameTable"], document["formatTable"]
        pairs = list(names.items()), list(formats.items())
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise TraceTablesError(f"{path} is not a {FILE_NAME}") from error
    return TraceTables(
        {int(key): name for key, name in pairs[0] if _is_number(key) and isinstance(name, str)},
        {
            int(key): (entry[0], entry[1])
            for key, entry in pairs[1]
            if _is_number(key) and _is_format(entry)
        },
    )


def _is_number(key: str) -> bool:
    return key.isascii() and key.isdigit() and len(key) <= len("65535")


def _is_format(entry: object) -> bool:
    return (
        isinstance(entry, list)
        and len(entry) == 2
        and isinstance(entry[0], str)
        and type(entry[1]) is int
    )


def format_trace(text: str, arguments: Sequence[int]) -> str | None:
    """Return a C format filled in with raw 32-bit words; None where they do not fit it.

    Floats travel as their bits. A string is an address inside the robot: it is shown as one.
    """
    if "%" in _CONVERSION.sub("", text):
        return None
    words = iter(arguments)
    try:
        filled = _CONVERSION.sub(lambda match: _convert(match, words), text)
    except (StopIteration, ValueError):
        return None
    return filled if next(words, None) is None else None


def _convert(match: re.Match[str], words: Iterator[int]) -> str:
    """Return the next word, where the conversion takes one. Raises ``ValueError``."""
    if match.group() == "%%":
        return "%"
    flags, width, precision, kind = match.group(1, 2, 3, 4)
    if int(width or 0) > _MAX_WIDTH or int(precision or 0) > _MAX_WIDTH:
        raise ValueError(match.group())
    word = next(words) & 0xFFFF_FFFF
    size = width + (f".{precision}" if precision is not None else "")
    if kind in "di":
        return f"%{flags}{size}d" % (word - (word >> 31 << 32))
    if kind in "uxXo":
        return f"%{flags}{size}{'d' if kind == 'u' else kind}" % word
    if kind in "fFeEgG":
        return f"%{flags}{size}{kind}" % struct.unpack("<f", struct.pack("<I", word))
    if kind == "c":
        letter = chr(word & 0xFF)
        return letter if letter.isascii() and letter.isprintable() else f"\\x{word & 0xFF:02x}"
    if kind in "sp":
        return f"{word:#010x}"
    raise ValueError(match.group())


# -- traces


class TraceLevel(IntEnum):
    """How much a trace matters, by the robot's own numbers; unknown ones are for debugging."""

    DEBUG = 2
    INFO = 3
    WARN = 4
    ERROR = 5
    FATAL = 6

    @classmethod
    def _missing_(cls, _value: object) -> TraceLevel:
        return cls.DEBUG


@dataclass(frozen=True, slots=True)
class Trace:
    """One line: ``time`` of arrival on the host's monotonic clock, s."""

    time: float
    level: TraceLevel
    name: str
    """Its source; empty when it was not sent."""
    text: str
    """Numbers where no table explains them."""


def decode_trace(message: messages.PrintTrace, tables: TraceTables, time: float) -> Trace:
    """Return the line of a trace, as text where the tables explain it; ``time`` in s."""
    name = tables.names.get(message.name_id, f"name {message.name_id}")
    level = TraceLevel(message.level)
    text, count = tables.formats.get(message.format_id, ("", -1))
    # The table counts the arguments apart from the text; when they differ, neither is believed.
    filled = format_trace(text, message.args) if count == len(message.args) else None
    if filled is None:
        words = "".join(f" {word & 0xFFFF_FFFF:#010x}" for word in message.args)
        return Trace(time, level, _clean(name), f"trace {message.format_id}:{words}")
    return Trace(time, level, _clean(name), _clean(filled))


def decode_text(message: messages.PrintText, time: float) -> Trace:
    return Trace(time, TraceLevel(message.level), "", _clean(message.text))


def _clean(text: str) -> str:
    """Keep control characters out of terminals and log files."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text.rstrip("\r\n\0 "))


class Traces:
    """Emits what the firmware logs."""

    def __init__(self, session: Session, tables: TraceTables | None = None) -> None:
        """Without ``tables`` traces are numbers."""
        self.tables = tables or TraceTables()
        self.on_trace: Signal[Trace] = Signal()
        session.on(messages.PrintTrace, self._on_trace)
        session.on(messages.PrintText, self._on_text)

    def _on_trace(self, message: messages.PrintTrace, now: float) -> None:
        self.on_trace.emit(decode_trace(message, self.tables, now))

    def _on_text(self, message: messages.PrintText, now: float) -> None:
        self.on_trace.emit(decode_text(message, now))
