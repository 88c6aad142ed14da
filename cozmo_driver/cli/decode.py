"""``cozmo decode``: recorded traffic in words."""

from __future__ import annotations

import argparse
import json
import textwrap
from pathlib import Path
from typing import Any

from ..protocol import spec_of
from ..protocol.frames import Frame, FrameType
from .describe import TIE
from .dissect import DissectedFrame, Dissector, Item
from .recording import read_recording

HELP = "show recorded traffic frame by frame and message by message"

_WIDTH = 100
_INDENT = " " * 6
_CONTINUED = " " * 10


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("file", type=Path, help="recording: lines of SECONDS TX|RX HEX...")
    parser.add_argument(
        "--images", type=Path, metavar="DIR", help="write the camera's pictures there as PNG"
    )
    parser.add_argument(
        "--json", action="store_true", help="one JSON object for each frame, then one of counts"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print a recording; return 1 when a byte of it could not be explained."""
    dissector = Dissector()
    pictures = None
    if arguments.images is not None:
        from .pictures import PictureWriter

        pictures = PictureWriter(arguments.images)
    for recorded in read_recording(arguments.file):
        frame = dissector.dissect(recorded)
        notes = pictures.take(frame) if pictures else []
        print(_as_json(frame, notes) if arguments.json else _as_text(frame, notes))
    counts = dissector.counts
    totals: dict[str, Any] = {
        "frames": counts.frames,
        "messages": counts.messages,
        "unexplained_bytes": counts.unexplained,
    }
    if pictures:
        totals |= {"pictures": pictures.written, "incomplete_pictures": pictures.incomplete}
    print(json.dumps(totals) if arguments.json else _totals_as_text(totals))
    return 1 if counts.unexplained else 0


def _totals_as_text(totals: dict[str, Any]) -> str:
    text = (
        f"{_count(totals['frames'], 'frame')}, {_count(totals['messages'], 'message')}, "
        f"{_count(totals['unexplained_bytes'], 'byte')} unexplained"
    )
    if "pictures" in totals:
        text += (
            f", {_count(totals['pictures'], 'picture')} written, "
            f"{totals['incomplete_pictures']} incomplete"
        )
    return text


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _as_text(dissected: DissectedFrame, notes: list[str]) -> str:
    recorded, frame = dissected.recorded, dissected.frame
    line = f"{recorded.seconds:10.6f} {_way(recorded.to_robot)}  {dissected.name}"
    if frame is not None:
        line += f"{_numbers(frame)}  ack {frame.ack}"
    items = dissected.items
    if frame is not None and frame.type == FrameType.PING and not dissected.unexplained:
        line += "  " + ", ".join(items[0].parts).replace(TIE, " ")
        items = []
    return "\n".join([line, *map(_item_as_text, items), *(_INDENT + note for note in notes)])


def _way(to_robot: bool) -> str:
    return "TX" if to_robot else "RX"


def _numbers(frame: Frame) -> str:
    if not frame.seq_min:
        return ""
    several = frame.seq_max != frame.seq_min
    return f"  #{frame.seq_min}-{frame.seq_max}" if several else f"  #{frame.seq_min}"


def _item_as_text(item: Item) -> str:
    number = f"#{item.seq}" if item.seq is not None else ""
    line = f"{number:<6}{item.name}"
    if item.parts:
        line += "  " + ", ".join(item.parts)
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


def _as_json(dissected: DissectedFrame, notes: list[str]) -> str:
    recorded, frame = dissected.recorded, dissected.frame
    content: dict[str, Any] = {
        "seconds": recorded.seconds,
        "way": _way(recorded.to_robot),
        "frame": dissected.name,
    }
    if frame is not None:
        content |= {"seq_min": frame.seq_min, "seq_max": frame.seq_max, "ack": frame.ack}
    content["content"] = [_item_as_json(item) for item in dissected.items]
    if notes:
        content["pictures"] = notes
    return json.dumps(content)


def _item_as_json(item: Item) -> dict[str, Any]:
    content: dict[str, Any] = {"name": item.name}
    if item.message is not None:
        content["tag"] = spec_of(item.message).tag
    if item.seq is not None:
        content["seq"] = item.seq
    if item.fields:
        content["fields"] = item.fields
    if item.notes:
        content["notes"] = item.notes
    if item.unexplained:
        content["unexplained"] = item.unexplained.hex()
    return content
