"""The messages of one end of a recorded session, each once, with the time it was sent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..protocol import Message
from ..protocol.frames import FrameType
from .dissect import DissectedFrame, Dissector, type_name
from .errors import TrafficError
from .sources import STDIN, open_file


class TimedMessage(NamedTuple):
    """A message and when it was sent: s since the robot answered the connection request.

    The last one of a timeline has no message: it says when the session ended.
    """

    seconds: float
    message: Message | None


def timeline(
    path: str,
    *,
    to_robot: bool,
    session: int | None = None,
    read: Callable[[int], object] = lambda size: None,
) -> Iterator[TimedMessage]:
    """Yield what one end said in a session, by default the first in which it said something.

    Of a session whose beginning was not recorded, times count from its first frame. Raises
    ``TrafficError`` for a damaged file or one without such a session, and ``OSError``.
    """
    if path == STDIN:
        raise TrafficError("a replay needs a file: what comes from a pipe is gone once it was read")
    dissector = Dissector()
    begins: dict[int, float] = {}
    answered: set[int] = set()
    end = 0.0
    found = None
    with open_file(path, read) as traffic:
        for recorded in traffic:
            number = recorded.session
            if number != (session or found or number):
                continue
            begins.setdefault(number, recorded.seconds)
            frame = dissector.dissect(recorded)
            if number not in answered and _holds(frame, FrameType.CONNECTION_RESPONSE):
                answered.add(number)
                begins[number] = recorded.seconds
            if _holds(frame, FrameType.DISCONNECT_REQUEST) and number == found:
                break
            if found is not None:
                end = max(end, recorded.seconds - begins[number])
            if recorded.to_robot is not to_robot:
                continue
            for item in frame.items:
                if item.message is not None and not item.repeated:
                    found = number
                    yield TimedMessage(recorded.seconds - begins[number], item.message)
    if found is None:
        who = "engine" if to_robot else "robot"
        what = f"session {session}" if session is not None else "any session"
        raise TrafficError(f"{path}: the {who} says nothing in {what} of it")
    yield TimedMessage(end, None)


def _holds(frame: DissectedFrame, kind: FrameType) -> bool:
    name = type_name(kind)
    return frame.name == name or any(item.name == name for item in frame.items)
