"""Dissected frames in words and as JSON, from the declarations of their messages."""

from __future__ import annotations

import math
import textwrap
from collections import Counter
from collections.abc import Sequence
from enum import IntEnum, IntFlag
from functools import cache
from typing import Any

from ..protocol import (
    Array,
    Field,
    Frame,
    FrameType,
    Octets,
    Text,
    VarArray,
    VarOctets,
    fields_of,
    spec_of,
)
from .dissect import DissectedFrame, Item
from .sessions import SessionEnds

_BYTES_SHOWN = 16
_HEX_FROM = 0x1000
TIE = "\N{NO-BREAK SPACE}"
_WIDTH = 100
_INDENT = " " * 6
_CONTINUED = " " * 10


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
    for one in fields_of(cls):
        inner = one.struct_class
        if inner is None and isinstance(one.wire, Array) and isinstance(one.wire.element, type):
            inner = one.wire.element
        if unit := units(inner) if inner is not None else one.unit:
            found[one.name] = unit
    return found


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
    # JSON has no number for these.
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def frame_as_text(dissected: DissectedFrame, time: str, notes: Sequence[str] = ()) -> str:
    """Return the frame's line and one for each of its sub-messages, at most 100 columns wide."""
    frame = dissected.frame
    line = f"{time} {dissected.recorded.way}  {dissected.name}"
    if frame is not None:
        line += f"{_numbers(frame)}  ack {frame.ack}"
    items = dissected.items
    if items and frame is not None and frame.type == FrameType.PING and not dissected.unexplained:
        line += "  " + ", ".join(items[0].parts).replace(TIE, " ")
        items = []
    return "\n".join([line, *map(_item_as_text, items), *(_INDENT + note for note in notes)])


def frame_as_json(dissected: DissectedFrame) -> dict[str, Any]:
    """Return the frame as JSON holds it; fields in their declared units, which ``units`` names."""
    recorded, frame = dissected.recorded, dissected.frame
    content: dict[str, Any] = {
        "seconds": round(recorded.seconds, 6),
        "way": recorded.way,
        "frame": dissected.name,
    }
    if frame is not None:
        content |= {"seq_min": frame.seq_min, "seq_max": frame.seq_max, "ack": frame.ack}
    content["content"] = [_item_as_json(item) for item in dissected.items]
    return content


def _numbers(frame: Frame) -> str:
    if not frame.seq_min:
        return ""
    several = frame.seq_max != frame.seq_min
    return f"  #{frame.seq_min}-{frame.seq_max}" if several else f"  #{frame.seq_min}"


def _item_as_text(item: Item) -> str:
    number = f"#{item.seq}" if item.seq is not None else ""
    line = f"{number:<6}{item.name}"
    if parts := describe(item.message) if item.message is not None else item.parts:
        line += "  " + ", ".join(parts)
    if item.notes:
        line += f"  [{'; '.join(item.notes)}]"
    if item.unexplained:
        line += f"  unexplained: {item.unexplained.hex(' ')}"
    wrapped = textwrap.fill(
        line,
        _WIDTH,
        initial_indent=_INDENT,
        subsequent_indent=_INDENT + _CONTINUED,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return wrapped.replace(TIE, " ")


def _item_as_json(item: Item) -> dict[str, Any]:
    content: dict[str, Any] = {
        "name": item.name,
        "tag": None,
        "seq": item.seq,
        "repeated": item.repeated or None,
        "fields": {name: _plain(value) for name, value in item.fields.items()} or None,
        "units": None,
        "notes": item.notes or None,
        "unexplained": item.unexplained.hex() or None,
    }
    if item.message is not None:
        content["tag"] = spec_of(item.message).tag
        content["fields"] = as_json(item.message) or None
        content["units"] = units(type(item.message)) or None
    return {key: value for key, value in content.items() if value is not None}


class Summary:
    """Counts dissected frames by session and direction."""

    def __init__(self) -> None:
        self._ends: dict[int, float] = {}
        self._counts: dict[tuple[int, str], Counter[str]] = {}
        self._names: dict[tuple[int, str], Counter[str]] = {}

    def update(self, dissected: DissectedFrame) -> None:
        recorded = dissected.recorded
        key = recorded.session, recorded.way
        self._ends[recorded.session] = max(self._ends.get(recorded.session, 0.0), recorded.seconds)
        names = self._names.setdefault(key, Counter())
        self._counts.setdefault(key, Counter()).update(
            frames=1,
            bytes=len(recorded.data),
            repeated=sum(item.repeated for item in dissected.items),
            unexplained_bytes=dissected.unexplained,
        )
        if not dissected.items and not dissected.is_container:
            names[dissected.name] += 1
        names.update(item.name for item in dissected.items if not item.repeated)

    def as_json(self, ends: dict[int, SessionEnds]) -> list[dict[str, Any]]:
        return [
            {
                "session": number,
                "engine": str(ends[number].engine),
                "robot": str(ends[number].robot),
                "begin": round(ends[number].begin, 6),
                "end": round(end, 6),
                "tx": self._way(number, "TX"),
                "rx": self._way(number, "RX"),
            }
            for number, end in self._ends.items()
        ]

    def _way(self, number: int, way: str) -> dict[str, Any]:
        counts = self._counts.get((number, way), Counter())
        names = self._names.get((number, way), Counter())
        kinds = ("frames", "bytes", "repeated", "unexplained_bytes")
        return {**{kind: counts[kind] for kind in kinds}, "messages": dict(names.most_common())}

    def as_text(self, ends: dict[int, SessionEnds]) -> list[str]:
        lines = []
        for one in self.as_json(ends):
            lines.append(
                f"session {one['session']}  engine {one['engine']}, robot {one['robot']}, "
                f"{one['begin']:.3f} to {one['end']:.3f} s"
            )
            for name in ("tx", "rx"):
                way = one[name]
                lines.append(
                    f"  {name.upper()}  {way['frames']} frames, {way['bytes']} bytes, "
                    f"{way['repeated']} messages repeated, "
                    f"{way['unexplained_bytes']} bytes unexplained"
                )
                lines += [f"  {count:8d}  {what}" for what, count in way["messages"].items()]
        return lines
