"""The robot's sending rules: a 33 ms tick, everything unacknowledged repeated (spec 01 §5)."""

from __future__ import annotations

import math

from .config import RobotConfig, Statistics
from .delivery import Entry, Outbox
from .errors import EncodeError
from .frames import (
    HEADER_SIZE,
    RELIABLE_TYPES,
    SUB_HEADER_SIZE,
    Frame,
    FrameType,
    SubMessage,
    build_frame,
    pack_sub_messages,
)


class RobotSender:
    """Decides what the robot's next datagram is and when it is due."""

    def __init__(self, config: RobotConfig, statistics: Statistics, now: float) -> None:
        self._config = config
        self._statistics = statistics
        self.outbox = Outbox()
        self._unreliable: list[SubMessage] = []
        self._unreliable_bytes = 0
        self._stored_bytes = 0
        self._hot = False
        self._holds_back = 0
        self._next_tick = now + config.tick

    @property
    def waiting(self) -> int:
        return len(self.outbox)

    def push(self, sub: SubMessage, now: float, *, hot: bool = False) -> bool:
        """Queue a sub-message; return False when its store is full and it was dropped.

        A hot one makes the next frame go out at once. Raises ``EncodeError`` for one that no frame
        holds.
        """
        room = self._config.max_frame - HEADER_SIZE - SUB_HEADER_SIZE
        if len(sub.payload) > room:
            raise EncodeError(
                f"message {sub.payload[0]:#04x} has {len(sub.payload)} bytes, a frame holds {room}"
            )
        size = SUB_HEADER_SIZE + len(sub.payload)
        reliable = sub.type in RELIABLE_TYPES
        if reliable:
            is_full = len(self.outbox) >= self._config.store_messages
            is_full |= self._stored_bytes + size > self._config.store_bytes
        else:
            is_full = self._unreliable_bytes + size > self._config.unreliable_bytes
        if is_full:
            self._statistics.dropped += 1
            return False
        if self.next_time() is None:
            # After a silence it waits for its tick, whose phase goes on (spec 18).
            self._skip_ticks(now)
        if reliable:
            self._stored_bytes += size
            self.outbox.number(sub, now)
        else:
            self._unreliable_bytes += size
            self._unreliable.append(sub)
        self._statistics.messages_sent += 1
        self._hot = self._hot or hot
        return True

    def acknowledge(self, ack: int, now: float) -> None:
        if self.outbox.acknowledge(ack):
            self._stored_bytes = sum(entry.size for entry in self.outbox.entries)

    def acknowledge_early(self) -> None:
        """Send a frame at once that acknowledges all but the newest message (spec 18)."""
        self._unreliable.append(SubMessage(FrameType.ACK, b""))
        self._unreliable_bytes += SUB_HEADER_SIZE
        self._hot, self._holds_back = True, 1

    def next_time(self) -> float | None:
        """Return when the next frame is due; None while there is nothing to send."""
        if self._hot:
            return self._next_tick - self._config.tick
        return self._next_tick if self._unreliable or self.outbox.entries else None

    def frames(self, now: float, ack: int) -> list[bytes]:
        """Return the frames that are due: unreliable ones first, then all that waits for an ack."""
        if not self._hot and now < self._next_tick:
            return []
        newest_first, self._hot = self._hot, False
        ack, self._holds_back = (ack - self._holds_back) & 0xFFFF, 0
        if now >= self._next_tick:
            self._next_tick += self._config.tick
            self._skip_ticks(now)
        datagrams = []
        # Reliable messages that do not fit beside the last unreliable ones get their own frame.
        pending = bool(self.outbox.entries)
        while self._unreliable or pending:
            unreliable, room = self._pop_unreliable()
            reliable = [] if self._unreliable else self._choose(room, newest_first)
            pending = pending and not reliable
            datagrams.append(_mixed_frame(unreliable, reliable, ack))
            for entry in reliable:
                self._statistics.resends += entry.sent_at < 0
                entry.sent_at = -1.0
        return datagrams

    def _skip_ticks(self, now: float) -> None:
        missed = math.ceil((now - self._next_tick) / self._config.tick)
        self._next_tick += max(0, missed) * self._config.tick

    def _pop_unreliable(self) -> tuple[list[SubMessage], int]:
        room = self._config.max_frame - HEADER_SIZE
        count = 0
        for sub in self._unreliable:
            size = SUB_HEADER_SIZE + len(sub.payload)
            if count and size > room:
                break
            room -= size
            count += 1
        subs, self._unreliable = self._unreliable[:count], self._unreliable[count:]
        self._unreliable_bytes -= sum(SUB_HEADER_SIZE + len(sub.payload) for sub in subs)
        return subs, room

    def _choose(self, room: int, newest_first: bool) -> list[Entry]:
        chosen: list[Entry] = []
        entries = reversed(self.outbox.entries) if newest_first else iter(self.outbox.entries)
        for entry in entries:
            room -= entry.size
            if room < 0:
                break
            chosen.append(entry)
        return chosen[::-1] if newest_first else chosen


def _mixed_frame(unreliable: list[SubMessage], reliable: list[Entry], ack: int) -> bytes:
    first = reliable[0].seq if reliable else 0
    last = reliable[-1].seq if reliable else 0
    body = pack_sub_messages([*unreliable, *(entry.sub for entry in reliable)])
    return build_frame(Frame(FrameType.MULTIPLE_MIXED, first, last, ack, body))
