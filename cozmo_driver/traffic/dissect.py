"""Decodes recorded frames to the last byte, with the context of earlier traffic."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any

from ..protocol import (
    CONTAINER_TYPES,
    RELIABLE_TYPES,
    SUB_HEADER_SIZE,
    Direction,
    Frame,
    FrameType,
    MalformedFrame,
    Message,
    ProtocolError,
    SubMessage,
    decode_message,
    following,
    parse_frame,
    parse_part,
    parse_ping,
    spec_of,
)
from .sessions import MESSAGE_TYPES, RecordedFrame

PING = "Ping"
ECHO = "echo of a ping"
STREAMS = ("RobotState", "AnimationState", "ImageChunk", "ImageImuData", "ObjectAccel", PING)
"""What comes many times a second."""
_REMEMBERED = 1024
"""Messages and pings of a session; many times what can be under way (spec 01 §5-6)."""
_SESSIONS_REMEMBERED = 64
_BARE_TYPES = (
    FrameType.CONNECTION_REQUEST,
    FrameType.CONNECTION_RESPONSE,
    FrameType.DISCONNECT_REQUEST,
    FrameType.ACK,
)


@dataclass(slots=True)
class Item:
    """One sub-message; ``unexplained`` holds its bytes when nobody knows what they say.

    ``parts`` and ``fields`` are words and values of what is no message.
    """

    name: str
    seq: int | None = None
    message: Message | None = None
    parts: list[str] = field(default_factory=list)
    fields: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    unexplained: bytes = b""
    repeated: bool = False
    """Whether the same was sent before under the same number."""
    round_trip: float | None = None
    """Of the echo of a ping: s since the ping was captured."""


@dataclass(slots=True)
class DissectedFrame:
    """One recorded frame; ``frame`` is None when the datagram is no frame."""

    recorded: RecordedFrame
    frame: Frame | None
    items: list[Item]

    @property
    def unexplained(self) -> int:
        return sum(len(item.unexplained) for item in self.items)

    @property
    def name(self) -> str:
        return type_name(self.frame.type) if self.frame else "no frame"

    @property
    def is_container(self) -> bool:
        return self.frame is not None and self.frame.type in CONTAINER_TYPES


def type_name(kind: int) -> str:
    return FrameType(kind).name.title().replace("_", "")


@dataclass(slots=True)
class _Course:
    """What is remembered of one session; old entries make room for new ones."""

    seen: dict[tuple[bool, int], int] = field(default_factory=dict)
    """Hash of what was sent last, by direction and number."""
    pings: dict[float, float] = field(default_factory=dict)


class Dissector:
    """Explains frames in the order of their recording, of several sessions at a time."""

    def __init__(self) -> None:
        self.frames = self.messages = 0
        self.unexplained = 0
        """Bytes."""
        self._courses: dict[int, _Course] = {}

    def dissect(self, recorded: RecordedFrame) -> DissectedFrame:
        self.frames += 1
        try:
            frame = parse_frame(recorded.data)
        except MalformedFrame as error:
            item = Item("?", notes=[str(error)], unexplained=recorded.data)
            return self._counted(DissectedFrame(recorded, None, [item]))
        return self._counted(DissectedFrame(recorded, frame, self._items(recorded, frame)))

    def _counted(self, dissected: DissectedFrame) -> DissectedFrame:
        self.messages += sum(item.message is not None for item in dissected.items)
        self.unexplained += dissected.unexplained
        return dissected

    def _items(self, recorded: RecordedFrame, frame: Frame) -> list[Item]:
        items: list[Item] = []
        seq, used = frame.seq_min, 0
        try:
            for sub in frame.sub_messages():
                used += SUB_HEADER_SIZE + len(sub.payload)
                number = None
                if sub.type in RELIABLE_TYPES:
                    number, seq = seq, following(seq)
                items.append(self._item(recorded, sub, number))
        except MalformedFrame as error:
            items.append(Item("?", notes=[str(error)], unexplained=frame.body[used:]))
        if frame.type not in CONTAINER_TYPES and frame.type in _BARE_TYPES:
            # The frame's own line says it all, except for bytes that should not be there.
            return [item for item in items if item.unexplained]
        return items

    def _item(self, recorded: RecordedFrame, sub: SubMessage, seq: int | None) -> Item:
        try:
            item = self._explained(recorded, sub)
        except ProtocolError as error:
            item = Item("?", notes=[str(error)], unexplained=sub.payload)
        item.seq = seq
        if seq is not None:
            seen, key = self._course(recorded).seen, (recorded.to_robot, seq)
            content = hash(sub.payload)
            item.repeated = seen.pop(key, None) == content
            if item.repeated:
                item.notes.append("repeated")
            seen[key] = content
            _forget(seen, _REMEMBERED)
        return item

    def _explained(self, recorded: RecordedFrame, sub: SubMessage) -> Item:
        if sub.type in MESSAGE_TYPES:
            return self._message(recorded, sub)
        if sub.type == FrameType.PING:
            return self._ping(recorded, sub)
        if sub.type == FrameType.MULTI_PART:
            part = parse_part(sub.payload)
            text = f"{part.number} of {part.total}, {len(part.data)} bytes of a larger message"
            return Item(
                "MultiPart", parts=[text], fields={"part": part.number, "parts": part.total}
            )
        if sub.type not in _BARE_TYPES:
            raise MalformedFrame(f"sub-message type {sub.type} does not exist")
        extra = [f"{len(sub.payload)} bytes that do not belong there"] if sub.payload else []
        return Item(type_name(sub.type), notes=extra, unexplained=sub.payload)

    def _message(self, recorded: RecordedFrame, sub: SubMessage) -> Item:
        message = decode_message(sub.payload)
        spec = spec_of(message)
        item = Item(spec.name, message=message)
        if (spec.direction is Direction.ENGINE_TO_ROBOT) is not recorded.to_robot:
            item.notes.append("from the wrong end")
        return item

    def _ping(self, recorded: RecordedFrame, sub: SubMessage) -> Item:
        ping = parse_ping(sub.payload)
        parts = [
            f"time_sent {ping.time_sent_ms:.6g} ms",
            f"sent {ping.num_sent}",
            f"received {ping.num_received}",
        ]
        item = Item(PING, parts=parts, fields=ping._asdict())
        pings = self._course(recorded).pings
        if recorded.to_robot:
            pings[ping.time_sent_ms] = recorded.seconds
            _forget(pings, _REMEMBERED)
        else:
            item.name = ECHO
            sent = pings.pop(ping.time_sent_ms, None)
            if sent is not None:
                item.round_trip = recorded.seconds - sent
                item.notes.append(f"after {1000 * item.round_trip:.1f} ms")
        return item

    def _course(self, recorded: RecordedFrame) -> _Course:
        course = self._courses.pop(recorded.session, None) or _Course()
        self._courses[recorded.session] = course
        _forget(self._courses, _SESSIONS_REMEMBERED)
        return course


def _forget(entries: dict[Any, Any], most: int) -> None:
    if len(entries) > most:
        del entries[next(iter(entries))]


@dataclass(frozen=True, slots=True)
class Selection:
    """What is shown; names are patterns like ``Set*``, times s since the first frame.

    With names, a frame is shown with those of its messages only, or under its own type's name.
    """

    only: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    to_robot: bool | None = None
    after: float | None = None
    before: float | None = None

    def apply(self, dissected: DissectedFrame) -> DissectedFrame | None:
        """Return what is to be shown of a frame; None for nothing."""
        recorded = dissected.recorded
        if self.to_robot is not None and recorded.to_robot is not self.to_robot:
            return None
        if self.after is not None and recorded.seconds < self.after:
            return None
        if self.before is not None and recorded.seconds > self.before:
            return None
        if not self.only and not self.hidden:
            return dissected
        if not dissected.items:
            # Without names to look for, only acknowledgements of what is hidden are left out.
            shown = self._shows(dissected.name) and (self.only or not dissected.is_container)
            return dissected if shown else None
        items = [
            item
            for item in dissected.items
            if self._shows(PING if item.name == ECHO else item.name)
        ]
        return replace(dissected, items=items) if items else None

    def _shows(self, name: str) -> bool:
        if any(fnmatchcase(name, pattern) for pattern in self.hidden):
            return False
        return not self.only or any(fnmatchcase(name, pattern) for pattern in self.only)
