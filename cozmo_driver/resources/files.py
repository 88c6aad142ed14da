"""Reading files of unknown size, and the app's dialect of JSON (spec 11 §3).

The dialect has comments, trailing commas and a byte order mark. Readers of JSON5 are slow for a
megabyte or not packaged everywhere, and the rest of JSON5 does not occur; so what plain JSON does
not know is blanked out, and the standard library reads the rest. Line and column in an error are
those of the file.
"""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

from ..whole_files import read_whole
from .errors import ResourceError


def read_bytes(path: Path, most: int) -> bytes:
    """Return a file's bytes. Raises ``ResourceError`` where it is larger or cannot be read."""
    try:
        return read_whole(path, most)
    except FileNotFoundError:
        raise ResourceError(f"{path}: there is no such file") from None
    except (OSError, ValueError) as error:
        raise ResourceError(f"{path}: {getattr(error, 'strerror', None) or error}") from error


MOST_BYTES = 16 << 20
"""The greatest known file has 1.3 MB."""

# Every alternative also ends at the end of the text, so that no part is ever looked at twice.
_STRING = r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)'
_COMMENT = re.compile(rf"{_STRING}|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_COMMA = re.compile(rf"{_STRING}|,\s*[\]}}]", re.DOTALL)
UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
"""What steers terminals, and halves of characters: texts of files are shown to people."""
_LONGEST_NUMBER = 300
"""Digits; every shorter number fits a float."""
DEEPEST = 64
"""Lists and objects in one another."""


class JsonError(ResourceError):
    """A file is no JSON, even of this dialect."""


def parse(text: str, source: str) -> Any:
    """Return what a text says, of any JSON type. Raises ``JsonError``, which names ``source``."""
    try:
        value = json.loads(
            _plain(text),
            strict=False,
            parse_constant=_refuse_constant,
            parse_int=_short_integer,
            parse_float=_finite,
        )
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise JsonError(f"{source}: {place}: {error.msg}") from None
    except RecursionError:
        raise JsonError(f"{source}: it is nested too deeply") from None
    except ValueError as error:
        raise JsonError(f"{source}: {error}") from None
    reason = _reason_against(value)
    if reason:
        raise JsonError(f"{source}: {reason}")
    return value


def parse_bytes(data: bytes, source: str) -> Any:
    """Return what a file's UTF-8 bytes say. Raises ``JsonError``, which names ``source``."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise JsonError(f"{source}: byte {error.start} is no UTF-8") from None
    return parse(text, source)


def read_json(path: Path) -> Any:
    """Return what a file says. Raises ``ResourceError``."""
    return parse_bytes(read_bytes(path, MOST_BYTES), str(path))


def _plain(text: str) -> str:
    return _COMMA.sub(_without_comma, _COMMENT.sub(_without_comment, text))


def _without_comment(match: re.Match[str]) -> str:
    found = match.group()
    return found if found[0] == '"' else re.sub(r"[^\n]", " ", found)


def _without_comma(match: re.Match[str]) -> str:
    found = match.group()
    return found if found[0] == '"' else " " + found[1:]


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")


def _finite(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise ValueError(f"the number {digits[:40]} is too great")
    return value


def _reason_against(value: Any) -> str:
    """Readers that follow the nesting rely on a limit, and Python's own differs by version."""
    level = [value]
    for _ in range(DEEPEST):
        for one in level:
            if isinstance(one, str) and UNPRINTABLE.search(one):
                return f"{one[:40]!r} has a character that cannot be printed"
        level = [
            inner
            for one in level
            if isinstance(one, (dict, list))
            for inner in ((*one, *one.values()) if isinstance(one, dict) else one)
        ]
        if not level:
            return ""
    return f"it is nested deeper than {DEEPEST}"


def _short_integer(digits: str) -> int:
    if len(digits) > _LONGEST_NUMBER:
        raise ValueError(f"a number has {len(digits)} digits")
    return int(digits)
