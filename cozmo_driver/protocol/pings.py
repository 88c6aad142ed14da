"""Pings of the engine and the round trips they measure (spec 01 §7)."""

from __future__ import annotations

from collections import deque

from .frames import Ping, build_ping
from .statistics import Statistics

_LOST_AFTER = 1.0


class Pings:
    """Numbers pings, matches echoes with them and counts the lost ones."""

    def __init__(self, statistics: Statistics) -> None:
        """Report to ``statistics``."""
        self._statistics = statistics
        self._outstanding: deque[tuple[float, float]] = deque()
        self._echoes = 0

    def next(self, now: float) -> bytes:
        """Return the payload of a ping sent now."""
        while self._outstanding and self._outstanding[0][1] < now - _LOST_AFTER:
            self._outstanding.popleft()
            self._statistics.pings_lost += 1
        self._statistics.pings_sent += 1
        sent_ms = now * 1000.0
        self._outstanding.append((sent_ms, now))
        return build_ping(Ping(sent_ms, self._statistics.pings_sent, self._echoes))

    def echo(self, ping: Ping, now: float) -> None:
        """Take an echo; one that answers no ping of ours, or a second one, is ignored."""
        for index, (sent_ms, sent_at) in enumerate(self._outstanding):
            if sent_ms == ping.time_sent_ms:
                del self._outstanding[index]
                self._echoes += 1
                self._statistics.record_round_trip(now - sent_at)
                return
