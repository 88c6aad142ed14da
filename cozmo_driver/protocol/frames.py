"""Frames: one UDP datagram each, a header and a message, a ping or sub-messages (spec 01 §2-3)."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import NamedTuple

from .errors import MalformedFrame

MAGIC = b"COZ\x03RE\x01"
HEADER_SIZE = 14
SUB_HEADER_SIZE = 3
MAX_SENT_FRAME = 1051
"""Largest frame to send, in bytes: safe under every known limit of the robot (spec 01 §2)."""
MAX_RECEIVED_FRAME = 1472


class FrameType(IntEnum):
    CONNECTION_REQUEST = 1
    CONNECTION_RESPONSE = 2
    DISCONNECT_REQUEST = 3
    SINGLE_RELIABLE = 4
    SINGLE_UNRELIABLE = 5
    MULTI_PART = 6
    MULTIPLE_RELIABLE = 7
    MULTIPLE_UNRELIABLE = 8
    MULTIPLE_MIXED = 9
    ACK = 10
    PING = 11


RELIABLE_TYPES = frozenset({1, 2, 3, 4, 6})
"""Sub-messages of these types have a sequence number."""
CONTAINER_TYPES = frozenset({7, 8, 9})

# A NamedTuple's own constructor costs several times as much, and every datagram passes here.
_new = tuple.__new__
_KNOWN_TYPES = frozenset(int(t) for t in FrameType)
_HEADER = struct.Struct("<7sBHHH")
_SUB_HEADER = struct.Struct("<BH")
_unpack_sub_header = _SUB_HEADER.unpack_from
_PING = struct.Struct("<dIIB")
_PART = struct.Struct("<BB")


class SubMessage(NamedTuple):
    """One sub-message: its type and its payload (tag and fields for types 4 and 5)."""

    type: int
    payload: bytes


class Frame(NamedTuple):
    """One frame. Sequence numbers and acknowledgement as on the wire; 0 means none."""

    type: int
    seq_min: int
    seq_max: int
    ack: int
    body: bytes = b""

    def sub_messages(self) -> Iterator[SubMessage]:
        """Yield the sub-messages in order; a single frame yields itself as the only one.

        Raises ``MalformedFrame`` at the first one that does not fit; those before are valid.
        """
        if self.type not in CONTAINER_TYPES:
            yield SubMessage(self.type, self.body)
            return
        body, offset, end = self.body, 0, len(self.body)
        while offset < end:
            if end - offset < SUB_HEADER_SIZE:
                raise MalformedFrame(f"{end - offset} bytes left, a sub-message header takes 3")
            kind, size = _unpack_sub_header(body, offset)
            offset += SUB_HEADER_SIZE
            if size > end - offset:
                raise MalformedFrame(f"a sub-message of {size} bytes, {end - offset} left")
            after = offset + size
            yield _new(SubMessage, (kind, body[offset:after]))
            offset = after


class Ping(NamedTuple):
    """Content of a ping; ``time_sent_ms`` is the sender's clock (spec 01 §7)."""

    time_sent_ms: float
    num_sent: int
    num_received: int
    is_reply: int = 0


def parse_frame(datagram: bytes) -> Frame:
    """Return the frame in a datagram. Raises ``MalformedFrame``."""
    if len(datagram) < HEADER_SIZE:
        raise MalformedFrame(f"{len(datagram)} bytes, a frame has at least {HEADER_SIZE}")
    if len(datagram) > MAX_RECEIVED_FRAME:
        raise MalformedFrame(f"{len(datagram)} bytes, a frame has at most {MAX_RECEIVED_FRAME}")
    magic, kind, seq_min, seq_max, ack = _HEADER.unpack_from(datagram)
    if magic != MAGIC:
        raise MalformedFrame("the magic bytes are wrong")
    if kind not in _KNOWN_TYPES:
        raise MalformedFrame(f"frame type {kind} does not exist")
    return _new(Frame, (kind, seq_min, seq_max, ack, datagram[HEADER_SIZE:]))


def build_frame(frame: Frame) -> bytes:
    return _HEADER.pack(MAGIC, frame.type, frame.seq_min, frame.seq_max, frame.ack) + frame.body


def pack_sub_messages(subs: Sequence[SubMessage]) -> bytes:
    return b"".join(
        part for kind, payload in subs for part in (_SUB_HEADER.pack(kind, len(payload)), payload)
    )


def parse_ping(payload: bytes) -> Ping:
    """Return the ping in a payload of 17 bytes. Raises ``MalformedFrame``."""
    if len(payload) != _PING.size:
        raise MalformedFrame(f"a ping of {len(payload)} bytes, {_PING.size} expected")
    return Ping(*_PING.unpack(payload))


def build_ping(ping: Ping) -> bytes:
    return _PING.pack(*ping)


class Part(NamedTuple):
    """One part of a message too large for a frame; parts count from 1 (spec 01 §3)."""

    number: int
    total: int
    data: bytes


def parse_part(payload: bytes) -> Part:
    """Return the part in the payload of a MULTI_PART frame. Raises ``MalformedFrame``."""
    if len(payload) < _PART.size:
        raise MalformedFrame(f"a part of {len(payload)} bytes, its header takes {_PART.size}")
    number, total = _PART.unpack_from(payload)
    if not 1 <= number <= total:
        raise MalformedFrame(f"part {number} of {total} does not exist")
    return Part(number, total, payload[_PART.size :])
