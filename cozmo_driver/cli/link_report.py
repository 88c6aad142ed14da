"""What a link test measured, and how it is told."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class LinkReport:
    """Numbers of one test; times in seconds."""

    count: int
    """Messages that were to be delivered."""
    round_trips: list[float] = field(default_factory=list)
    """From handing a message over until its acknowledgement, one for each delivered message."""
    duration: float = 0.0
    resends: int = 0
    pings_answered: int = 0
    pings_lost: int = 0
    ping_smoothed: float | None = None
    ping_min: float | None = None
    ended: str = ""
    """Why the test ended early; empty when it did not."""

    @property
    def delivered(self) -> int:
        """Messages that the robot acknowledged."""
        return len(self.round_trips)

    @property
    def is_complete(self) -> bool:
        """Tell whether everything was delivered."""
        return self.delivered == self.count

    @property
    def loss(self) -> float | None:
        """Estimated share of datagrams lost one way; None without a ping."""
        return loss_each_way(self.pings_answered, self.pings_lost)

    def lines(self) -> list[str]:
        """Return the report for people."""
        lines = [f"delivered   {self.delivered} of {self.count} messages in {self.duration:.1f} s"]
        if self.ended:
            lines.append(f"ended       {self.ended}")
        if self.round_trips:
            lines.append(
                f"round trip  {spread(self.round_trips)} (message sent until acknowledged)"
            )
        lines.append(f"resent      {self.resends} messages")
        if self.loss is not None:
            lines.append(
                f"loss        about {100 * self.loss:.1f} % of datagrams each way "
                f"({self.pings_lost} of {self.pings_lost + self.pings_answered} pings unanswered)"
            )
        if self.ping_smoothed is not None and self.ping_min is not None:
            lines.append(
                f"ping        {_ms(self.ping_smoothed)} smoothed, {_ms(self.ping_min)} at best"
            )
        return lines

    def content(self) -> dict[str, Any]:
        """Return the report for programs; times in s, None for what was not measured."""
        trips = self.round_trips
        return {
            "count": self.count,
            "delivered": self.delivered,
            "duration": self.duration,
            "ended": self.ended or None,
            "round_trip_p50": percentile(trips, 0.5) if trips else None,
            "round_trip_p99": percentile(trips, 0.99) if trips else None,
            "round_trip_longest": max(trips) if trips else None,
            "resends": self.resends,
            "loss": self.loss,
            "pings_answered": self.pings_answered,
            "pings_lost": self.pings_lost,
            "ping_smoothed": self.ping_smoothed,
            "ping_best": self.ping_min,
        }


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least this share of the values does not exceed."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def loss_each_way(answered: int, lost: int) -> float | None:
    """Return the share of datagrams lost one way, by pings; None without a ping.

    A ping is lost when either of its two ways loses a datagram.
    """
    settled = answered + lost
    return 1.0 - math.sqrt(answered / settled) if settled else None


def spread(seconds: Sequence[float]) -> str:
    """Return in words how long things took."""
    p50, p99 = (percentile(seconds, share) for share in (0.5, 0.99))
    return f"p50 {_ms(p50)}, p99 {_ms(p99)}, longest {_ms(max(seconds))}"


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:.1f} ms"
