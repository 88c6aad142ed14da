"""Counters of one connection."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

_SMOOTHING = 1 / 8


@dataclass(slots=True)
class Statistics:
    """What happened on a connection since it was opened; times in seconds."""

    datagrams_sent: int = 0
    datagrams_received: int = 0
    bytes_sent: int = 0
    bytes_received: int = 0
    messages_sent: int = 0
    messages_received: int = 0
    resends: int = 0
    """Messages sent again because their acknowledgement did not come in time."""
    duplicates: int = 0
    """Reliable messages received again and skipped."""
    gaps: int = 0
    """Frames whose reliable messages lie beyond a lost one."""
    dropped: int = 0
    """Messages that found the robot's store full."""
    refused: Counter[str] = field(default_factory=Counter)
    """Frames and messages that broke the protocol, by kind."""
    pings_sent: int = 0
    pings_answered: int = 0
    pings_lost: int = 0
    round_trip: float | None = None
    round_trip_smoothed: float | None = None
    round_trip_min: float | None = None

    def record_round_trip(self, seconds: float) -> None:
        """Take one measured round trip."""
        self.pings_answered += 1
        self.round_trip = seconds
        known = self.round_trip_smoothed
        self.round_trip_smoothed = (
            seconds if known is None else known + _SMOOTHING * (seconds - known)
        )
        least = self.round_trip_min
        self.round_trip_min = seconds if least is None else min(least, seconds)

    @property
    def ping_loss(self) -> float:
        """Share of pings without an answer: loss of both ways together, 0 to 1."""
        settled = self.pings_answered + self.pings_lost
        return self.pings_lost / settled if settled else 0.0
