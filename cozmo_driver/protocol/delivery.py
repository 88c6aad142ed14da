"""Reliable delivery: sequence numbers, what waits for its acknowledgement, order (spec 01 §4)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from .config import Statistics
from .errors import MalformedFrame
from .frames import RELIABLE_TYPES, SUB_HEADER_SIZE, Frame, SubMessage

FIRST = 1
LAST = 65534
COUNT = LAST


def following(seq: int, steps: int = 1) -> int:
    return (seq - 1 + steps) % COUNT + 1


def distance(start: int, end: int) -> int:
    """Return how many steps lead from ``start`` forward to ``end``: 0 to 65533."""
    return (end - start) % COUNT


def is_ahead(seq: int, reference: int) -> bool:
    """Tell whether ``seq`` lies in the half circle after ``reference``."""
    return 0 < distance(reference, seq) < COUNT // 2


@dataclass(slots=True)
class Entry:
    """A sent message waiting for its acknowledgement."""

    seq: int
    sub: SubMessage
    sent_at: float
    is_resent: bool = False

    @property
    def size(self) -> int:
        """Bytes in a container frame."""
        return SUB_HEADER_SIZE + len(self.sub.payload)


class Outbox:
    """The sent, unacknowledged messages, oldest first."""

    def __init__(self, next_seq: int = FIRST) -> None:
        self.entries: deque[Entry] = deque()
        self.next_seq = next_seq
        self.acknowledged = 0
        """How many messages have been acknowledged since the start."""

    def __len__(self) -> int:
        return len(self.entries)

    def number(self, sub: SubMessage, now: float) -> Entry:
        """Give a message its sequence number and keep it."""
        entry = Entry(self.next_seq, sub, now)
        self.next_seq = following(self.next_seq)
        self.entries.append(entry)
        return entry

    def acknowledge(self, ack: int) -> list[Entry]:
        """Drop the messages up to ``ack`` and return them.

        0, older and never sent numbers acknowledge nothing (spec 01 §10).
        """
        if not self.entries or not FIRST <= ack <= LAST:
            return []
        count = distance(self.entries[0].seq, ack) + 1
        if count > len(self.entries):
            return []
        self.acknowledged += count
        return [self.entries.popleft() for _ in range(count)]


class Receiver:
    """Hands on every unreliable sub-message and each reliable one exactly once, in order."""

    def __init__(self, statistics: Statistics, next_seq: int = FIRST) -> None:
        self.next_seq = next_seq
        self.ack = 0 if next_seq == FIRST else next_seq - 1
        """Number of the last message delivered in order, 0 for none."""
        self._statistics = statistics

    def deliver(self, frame: Frame) -> Iterator[SubMessage]:
        """Yield what the frame brings. Raises ``MalformedFrame``; what came before stays valid.

        Numbers are counted up from ``seq_min``: ``seq_max`` of some peers is wrong (spec 01 §11).
        """
        number = frame.seq_min
        gap = False
        for sub in frame.sub_messages():
            if sub.type not in RELIABLE_TYPES:
                yield sub
                continue
            if not 1 <= number <= COUNT:
                raise MalformedFrame(f"a reliable message in a frame numbered {frame.seq_min}")
            if number == self.next_seq:
                self.next_seq = following(number)
                self.ack = number
                yield sub
            elif is_ahead(number, self.next_seq):
                gap = True
            else:
                self._statistics.duplicates += 1
            number = following(number)
        self._statistics.gaps += gap
