"""Messages in words and as JSON, from their declaration: names, units, enumerations, flags."""

from __future__ import annotations

import math
from enum import IntEnum, IntFlag
from functools import cache
from typing import Any

from ..protocol.wire import Array, Field, Octets, Text, VarArray, VarOctets, fields_of

_BYTES_SHOWN = 16
_HEX_FROM = 0x1000
TIE = "\N{NO-BREAK SPACE}"


def describe(value: tuple[Any, ...]) -> list[str]:
    """Return one "name value unit" for each field of a message or struct.

    No-break spaces tie together what should stay on one line.
    """
    return [
        f"{field.name}{TIE}{_text(field, content)}"
        for field, content in zip(fields_of(type(value)), value, strict=True)
    ]


def as_json(value: tuple[Any, ...]) -> dict[str, Any]:
    """Return the fields as JSON holds them: bytes in hex, structs as objects, NaN as text."""
    return {
        field.name: _plain(content)
        for field, content in zip(fields_of(type(value)), value, strict=True)
    }


@cache
def units(cls: type) -> dict[str, Any]:
    """Return the declared unit of each field that has one; of a struct, those of its fields."""
    found: dict[str, Any] = {}
    for field in fields_of(cls):
        inner = field.struct_class
        if inner is None and isinstance(field.wire, Array) and isinstance(field.wire.element, type):
            inner = field.wire.element
        if unit := units(inner) if inner is not None else field.unit:
            found[field.name] = unit
    return found


def finite(value: Any) -> Any:
    """Return the value, but what JSON has no number for as text."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _text(field: Field, value: Any) -> str:
    wire = field.wire
    if field.struct_class is not None:
        return f"({', '.join(describe(value))})"
    if isinstance(wire, Octets | VarOctets):
        return _bytes(value)
    if isinstance(wire, Text):
        return repr(value)
    if isinstance(wire, Array) and isinstance(wire.element, type):
        return "[" + ", ".join(f"({', '.join(describe(one))})" for one in value) + "]"
    if isinstance(wire, Array | VarArray):
        return _with_unit("[" + ", ".join(_number(one) for one in value) + "]", field.unit)
    if field.enum is not None and issubclass(field.enum, IntFlag):
        return _flags(field.enum, value)
    if field.enum is not None:
        return _member(field.enum, value)
    return _with_unit(_number(value), field.unit)


def _with_unit(text: str, unit: str) -> str:
    return f"{text}{TIE}{unit}" if unit else text


def _number(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _bytes(value: bytes) -> str:
    if not value:
        return "empty"
    shown = value[:_BYTES_SHOWN].hex(" ")
    more = " ..." if len(value) > _BYTES_SHOWN else ""
    unit = "byte" if len(value) == 1 else "bytes"
    return f"{len(value)} {unit}: {shown}{more}".replace(" ", TIE)


def _member(enum: type[IntEnum] | type[IntFlag], value: int) -> str:
    number = f"{value:#x}" if value >= _HEX_FROM else str(value)
    try:
        return f"{enum(value).name}{TIE}({number})"
    except ValueError:
        return f"{number}{TIE}(unknown)"


def _flags(enum: type[IntFlag], value: int) -> str:
    """Spell the single bits that are set; bits without a name as one number."""
    single = [flag for flag in enum if flag and not flag & (flag - 1)]
    names = [flag.name or "" for flag in single if value & flag]
    if rest := value & ~sum(single):
        names.append(f"{rest:#x}")
    return f"{value:#x}{TIE}({' | '.join(names) or 'none'})"


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, tuple):
        return as_json(value) if hasattr(value, "_fields") else [_plain(one) for one in value]
    return finite(value)
