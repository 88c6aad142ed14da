"""In-order delivery of what arrives: cumulative acknowledgement, no buffer (spec 01 §4)."""

from __future__ import annotations

from collections.abc import Iterator

from .errors import MalformedFrame
from .frames import RELIABLE_TYPES, Frame, SubMessage, parse_part
from .sequence import COUNT, FIRST, following, is_ahead
from .statistics import Statistics


class Receiver:
    """Hands on every unreliable sub-message and each reliable one exactly once, in order."""

    def __init__(self, statistics: Statistics, next_seq: int = FIRST) -> None:
        """Expect ``next_seq`` as the next reliable message."""
        self.next_seq = next_seq
        self._ack = 0 if next_seq == FIRST else next_seq - 1
        self._statistics = statistics

    @property
    def ack(self) -> int:
        """Number of the last message delivered in order, 0 for none."""
        return self._ack

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
                self._ack = number
                yield sub
            elif is_ahead(number, self.next_seq):
                gap = True
            else:
                self._statistics.duplicates += 1
            number = following(number)
        self._statistics.gaps += gap


class Assembler:
    """Joins the parts of a message that was split over frames; parts arrive in order."""

    def __init__(self) -> None:
        """Start without a part."""
        self._parts: list[bytes] = []
        self._total = 0

    def add(self, payload: bytes) -> bytes | None:
        """Take the next part; return the message when it is whole. Raises ``MalformedFrame``."""
        part = parse_part(payload)
        expected = len(self._parts) + 1
        if part.number != expected or (self._parts and part.total != self._total):
            self._parts.clear()
            raise MalformedFrame(f"part {part.number} of {part.total} when {expected} was due")
        self._parts.append(part.data)
        self._total = part.total
        if part.number < part.total:
            return None
        whole = b"".join(self._parts)
        self._parts.clear()
        return whole
