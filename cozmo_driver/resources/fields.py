"""How the fields of a keyframe are declared, once, for both file formats (spec 06 §3)."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, get_type_hints

from flatbuffers import number_types  # type: ignore[import-untyped]

from .files import UNPRINTABLE

LONGEST_TEXT = 1024
"""Longest name in a clip file, bytes."""
_GREATEST = float.fromhex("0x1.fffffep+127")
"""Of single precision."""


@dataclass(frozen=True, slots=True)
class FieldType:
    """A type of the schema: its name there, the library's number type (None for text)."""

    schema: str
    number: Any
    is_vector: bool = False
    longest: int = 0
    """Most numbers in a vector."""


BOOL = FieldType("bool", number_types.BoolFlags)
I8 = FieldType("byte", number_types.Int8Flags)
U8 = FieldType("ubyte", number_types.Uint8Flags)
I16 = FieldType("short", number_types.Int16Flags)
U16 = FieldType("ushort", number_types.Uint16Flags)
U32 = FieldType("uint", number_types.Uint32Flags)
F32 = FieldType("float", number_types.Float32Flags)
# Unsigned in the file but read as signed: -1 is written 4294967295 (spec 06 §3).
SIGNED_U32 = FieldType("uint", number_types.Int32Flags)
F32S = FieldType("float", number_types.Float32Flags, is_vector=True, longest=32)
I64S = FieldType("long", number_types.Int64Flags, is_vector=True, longest=32)
TEXT = FieldType("string", None)


@dataclass(frozen=True, slots=True)
class Field:
    """A field as the files have it: name and type; without a required one a keyframe is bad."""

    name: str
    type: FieldType
    required: bool = False


@dataclass(frozen=True, slots=True)
class Attribute:
    """A field and the attribute of the dataclass that holds it."""

    name: str
    field: Field
    default: Any


def attributes_of(kind: type) -> tuple[Attribute, ...]:
    """Return the declared fields of a keyframe class in the order of the schema."""
    known = _ATTRIBUTES.get(kind)
    if known is not None:
        return known
    hints = get_type_hints(kind, include_extras=True)
    _ATTRIBUTES[kind] = tuple(
        Attribute(one.name, declared, one.default)
        for one in dataclasses.fields(kind)
        for declared in getattr(hints[one.name], "__metadata__", ())
    )
    return _ATTRIBUTES[kind]


_ATTRIBUTES: dict[type, tuple[Attribute, ...]] = {}


def problem_of(value: Any, type_: FieldType) -> str | None:
    """Return why a value cannot stand in a field of that type, None where it can."""
    if type_ is TEXT:
        return _problem_of_text(value)
    if type_.is_vector:
        if not isinstance(value, tuple):
            return f"is a list of numbers, not {value!r}"
        if len(value) > type_.longest:
            return f"has {len(value)} numbers, more than {type_.longest}"
        # Nearly all numbers of a clip are those of eyes.
        if type_ is F32S and set(map(type, value)) <= {float} and all(map(math.isfinite, value)):
            return None if max(map(abs, value), default=0.0) <= _GREATEST else "is no finite number"
        reasons = (_problem_of_number(one, type_) for one in value)
        return next((reason for reason in reasons if reason), None)
    return _problem_of_number(value, type_)


def _problem_of_text(value: Any) -> str | None:
    if not isinstance(value, str):
        return f"is a text, not {value!r}"
    try:
        size = len(value.encode("utf-8"))
    except UnicodeEncodeError:
        return "is no valid Unicode"
    if size > LONGEST_TEXT:
        return f"has {size} bytes, more than {LONGEST_TEXT}"
    return "has a character that cannot be printed" if UNPRINTABLE.search(value) else None


def _problem_of_number(value: Any, type_: FieldType) -> str | None:
    if type_ is BOOL:
        return None if isinstance(value, bool) else f"is true or false, not {value!r}"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return f"is a number, not {value!r}"
    if type_.number is number_types.Float32Flags:
        return None if math.isfinite(value) and abs(value) <= _GREATEST else "is no finite number"
    if not isinstance(value, int):
        return f"is a whole number, not {value!r}"
    low, high = type_.number.min_val, type_.number.max_val
    if not low <= value <= high:
        return f"is from {low} to {high}, not {value}"
    return None
