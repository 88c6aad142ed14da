"""Which datagrams belong together: conversations of engine and robot, and their sessions."""

from __future__ import annotations

from collections import Counter, OrderedDict
from dataclasses import dataclass
from typing import NamedTuple

from ..protocol import (
    MAGIC,
    Direction,
    FrameType,
    ProtocolError,
    decode_message,
    parse_frame,
    spec_of,
)
from .endpoint import ROBOT_PORT, Endpoint

_MOST_CONVERSATIONS = 256
"""Remembered at a time; the one that was silent the longest is forgotten."""
_MOST_SESSIONS = 1000
_REQUEST_ECHO = 0.3
"""A ConnectionRequest repeated within this time, s, is a duplicate (spec 01 §8)."""
_ENGINE_TYPES = (
    FrameType.CONNECTION_REQUEST,
    FrameType.DISCONNECT_REQUEST,
    FrameType.SINGLE_RELIABLE,
    FrameType.MULTIPLE_RELIABLE,
    FrameType.PING,
)
MESSAGE_TYPES = (FrameType.SINGLE_RELIABLE, FrameType.SINGLE_UNRELIABLE)


class RecordedFrame(NamedTuple):
    """One datagram of a session.

    ``number`` is its line or packet in the file, ``seconds`` count from the first frame of the
    file, ``session`` from 1.
    """

    number: int
    seconds: float
    to_robot: bool
    data: bytes
    session: int = 1

    @property
    def way(self) -> str:
        """TX from the engine to the robot, RX from the robot."""
        return "TX" if self.to_robot else "RX"


@dataclass(frozen=True, slots=True)
class SessionEnds:
    """Who talks with whom in a session, and since when: s since the first frame of the file."""

    number: int
    engine: Endpoint
    robot: Endpoint
    begin: float


@dataclass(slots=True)
class _Conversation:
    engine: Endpoint
    session: int
    requested: float | None = None
    """When the session was asked for; None when that was not seen."""
    progressed: bool = False
    """Whether the engine sent anything but requests."""
    ended: bool = False


class Sessions:
    """Finds the robot's conversations among datagrams and separates their sessions."""

    def __init__(self) -> None:
        self.refused: Counter[str] = Counter()
        """Datagrams that belong to no session, by reason."""
        self.ends: dict[int, SessionEnds] = {}
        self._conversations: OrderedDict[frozenset[Endpoint], _Conversation] = OrderedDict()

    def frame_of(
        self,
        number: int,
        seconds: float,
        source: Endpoint,
        destination: Endpoint,
        data: bytes,
        to_robot: bool | None = None,
    ) -> RecordedFrame | None:
        """Return the datagram as a frame of its session; None when it is nobody's.

        Who is the robot follows from the first frame, and from the port when that could be of
        either end, unless ``to_robot`` is given.
        """
        key = frozenset((source, destination))
        conversation = self._conversations.get(key)
        if conversation is None:
            if to_robot is None:
                to_robot = _goes_to_robot(source, destination, data)
            if to_robot is None:
                self.refused["no frame of the robot's protocol"] += 1
                return None
            conversation = _Conversation(source if to_robot else destination, 0)
            self._conversations[key] = conversation
            if len(self._conversations) > _MOST_CONVERSATIONS:
                self._conversations.popitem(last=False)
        self._conversations.move_to_end(key)
        to_robot = source == conversation.engine
        is_request = to_robot and _type(data) == FrameType.CONNECTION_REQUEST
        if not conversation.session or (is_request and _begins(conversation, seconds)):
            if len(self.ends) == _MOST_SESSIONS:
                self.refused[f"belongs to no one of the first {_MOST_SESSIONS} sessions"] += 1
                return None
            session = len(self.ends) + 1
            engine, robot = (source, destination) if to_robot else (destination, source)
            self.ends[session] = SessionEnds(session, engine, robot, seconds)
            requested = seconds if is_request else None
            conversation.session, conversation.requested = session, requested
            conversation.progressed = conversation.ended = False
        if to_robot and not is_request:
            conversation.progressed = True
        conversation.ended |= to_robot and _type(data) == FrameType.DISCONNECT_REQUEST
        return RecordedFrame(number, seconds, to_robot, data, conversation.session)


def _begins(conversation: _Conversation, seconds: float) -> bool:
    """Tell whether a request begins a new session: not when it repeats the one before."""
    if conversation.ended or conversation.requested is None:
        return True
    # The clock of a capture may have been set back meanwhile.
    return conversation.progressed and abs(seconds - conversation.requested) > _REQUEST_ECHO


def _type(data: bytes) -> int:
    return data[len(MAGIC)] if len(data) > len(MAGIC) and data.startswith(MAGIC) else 0


def _goes_to_robot(source: Endpoint, destination: Endpoint, data: bytes) -> bool | None:
    """Return which way a frame goes; None when it is no frame."""
    try:
        frame = parse_frame(data)
    except ProtocolError:
        return None
    if frame.type in _ENGINE_TYPES:
        return True
    try:
        for sub in frame.sub_messages():
            if sub.type in (FrameType.CONNECTION_RESPONSE, FrameType.PING):
                return False
            if sub.type in MESSAGE_TYPES:
                message = decode_message(sub.payload)
                return spec_of(message).direction is Direction.ENGINE_TO_ROBOT
    except ProtocolError:
        pass
    return destination.port == ROBOT_PORT or source.port != ROBOT_PORT
