"""Texts of the firmware's traces, from a file of the app that the user supplies (spec 11 §10)."""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

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
        with path.open("rb") as file:
            raw = file.read(_MAX_FILE + 1)
    except OSError as error:
        raise TraceTablesError(f"cannot read {path}: {error.strerror}") from error
    if len(raw) > _MAX_FILE:
        raise TraceTablesError(f"{path} is too large to be {FILE_NAME}")
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
    parts: list[str] = []
    rest = list(arguments)
    end = 0
    for match in _CONVERSION.finditer(text):
        between = text[end : match.start()]
        end = match.end()
        if "%" in between:
            return None
        parts.append(between)
        if match.group() == "%%":
            parts.append("%")
        elif not rest:
            return None
        else:
            value = _convert(match, rest.pop(0) & 0xFFFF_FFFF)
            if value is None:
                return None
            parts.append(value)
    if rest or "%" in text[end:]:
        return None
    return "".join([*parts, text[end:]])


def _convert(match: re.Match[str], word: int) -> str | None:
    flags, width, precision, kind = match.group(1, 2, 3, 4)
    if int(width or 0) > _MAX_WIDTH or int(precision or 0) > _MAX_WIDTH:
        return None
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
    return f"{word:#010x}" if kind in "sp" else None
