"""``cozmo decode``: recorded traffic in words, with the camera's pictures."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from ..traffic import Dissector, frame_as_json, frame_as_text
from .common import add_examples, counted
from .traffic_input import opened


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="capture, or lines of SECONDS TX|RX HEX...")
    parser.add_argument("--images", metavar="DIR", help="write the camera's pictures there as PNG")
    parser.add_argument(
        "--json", action="store_true", help="one JSON object for each frame, then one of counts"
    )
    add_examples(
        parser,
        "cozmo decode session.log",
        "cozmo decode session.log --images pictures  # all that the camera saw",
    )


def run(arguments: argparse.Namespace) -> int:
    dissector = Dissector()
    pictures = None
    if arguments.images is not None:
        # Slow to import.
        from .pictures import PictureWriter

        pictures = PictureWriter(Path(arguments.images))
    with opened(arguments.file, shows_progress=False) as traffic:
        for recorded in traffic.frames:
            frame = dissector.dissect(recorded)
            notes = pictures.write(frame) if pictures else []
            if arguments.json:
                content = frame_as_json(frame)
                print(json.dumps(content | {"pictures": notes} if notes else content))
            else:
                print(frame_as_text(frame, f"{recorded.seconds:10.6f}", notes))
    totals: dict[str, Any] = {
        "frames": dissector.frames,
        "messages": dissector.messages,
        "unexplained_bytes": dissector.unexplained,
    }
    if pictures:
        totals |= {"pictures": pictures.written, "incomplete_pictures": pictures.incomplete}
    print(json.dumps(totals) if arguments.json else _totals_as_text(totals))
    return 1 if dissector.unexplained else 0


def _totals_as_text(totals: dict[str, Any]) -> str:
    text = (
        f"{counted(totals['frames'], 'frame')}, {counted(totals['messages'], 'message')}, "
        f"{counted(totals['unexplained_bytes'], 'byte')} unexplained"
    )
    if "pictures" in totals:
        text += (
            f", {counted(totals['pictures'], 'picture')} written, "
            f"{totals['incomplete_pictures']} incomplete"
        )
    return text
