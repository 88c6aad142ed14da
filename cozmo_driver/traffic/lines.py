"""Dissected frames as people read them and as JSON: one way of showing a message for all."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

from ..protocol import spec_of
from ..protocol.frames import Frame, FrameType
from .describe import TIE, as_json, describe, units
from .dissect import DissectedFrame, Item

_WIDTH = 100
_INDENT = " " * 6
_CONTINUED = " " * 10


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
    content: dict[str, Any] = {"name": item.name}
    if item.message is not None:
        content["tag"] = spec_of(item.message).tag
    if item.seq is not None:
        content["seq"] = item.seq
    if item.repeated:
        content["repeated"] = True
    if fields := as_json(item.message) if item.message is not None else item.fields:
        content["fields"] = fields
    if item.message is not None and (declared := units(type(item.message))):
        content["units"] = declared
    if item.notes:
        content["notes"] = item.notes
    if item.unexplained:
        content["unexplained"] = item.unexplained.hex()
    return content
