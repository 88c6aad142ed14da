"""Where a program blocks its own loop, so that images and events wait."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from types import FrameType

from . import logs

LONGEST = 2.0
"""s that the loop may be busy with one thing."""
_LIBRARIES = (str(Path(asyncio.__file__).parents[1]), str(Path(__file__).parents[2]))


def note_where(thread: int) -> None:
    """Note the line of the program that a thread is in."""
    frame: FrameType | None = sys._current_frames().get(thread)
    while frame is not None and frame.f_code.co_filename.startswith((*_LIBRARIES, "<")):
        frame = frame.f_back
    if frame is not None:
        where = f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"
        logs.note(f"{where} blocked the program's loop: images and events waited meanwhile")
