"""Reliable messages on their way: numbered at the first send, kept until acknowledged."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from .frames import SUB_HEADER_SIZE, SubMessage
from .sequence import FIRST, LAST, distance, following


@dataclass(slots=True)
class Entry:
    """A sent message waiting for its acknowledgement."""

    seq: int
    sub: SubMessage
    sent_at: float

    @property
    def size(self) -> int:
        """Bytes in a container frame."""
        return SUB_HEADER_SIZE + len(self.sub.payload)


class Outbox:
    """The sent, unacknowledged messages, oldest first."""

    def __init__(self, next_seq: int = FIRST) -> None:
        """Start numbering with ``next_seq``."""
        self.entries: deque[Entry] = deque()
        self.next_seq = next_seq
        self.acknowledged = 0
        """How many messages have been acknowledged since the start."""

    def __len__(self) -> int:
        """Return how many messages wait."""
        return len(self.entries)

    def number(self, sub: SubMessage, now: float) -> Entry:
        """Give a message its sequence number and keep it."""
        entry = Entry(self.next_seq, sub, now)
        self.next_seq = following(self.next_seq)
        self.entries.append(entry)
        return entry

    def acknowledge(self, ack: int) -> bool:
        """Drop the messages up to ``ack``; tell whether there were any.

        0, older and never sent numbers acknowledge nothing (spec 01 §10).
        """
        if not self.entries or not FIRST <= ack <= LAST:
            return False
        count = distance(self.entries[0].seq, ack) + 1
        if count > len(self.entries):
            return False
        for _ in range(count):
            self.entries.popleft()
        self.acknowledged += count
        return True
