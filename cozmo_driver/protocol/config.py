"""Tunables and counters of a connection; the defaults are the rules of spec 01 §5-6. Seconds."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import Enum

from .frames import MAX_SENT_FRAME

_SMOOTHING = 1 / 8


class Role(Enum):
    ENGINE = "engine"
    ROBOT = "robot"


@dataclass(frozen=True, slots=True)
class EngineConfig:
    max_frame: int = MAX_SENT_FRAME
    window: int = 60
    """Messages sent and not yet acknowledged."""
    queue: int = 1000
    """Messages not yet sent; one more is refused with ``SendQueueFull``."""
    spacing: float = 0.002
    """Shortest time between two datagrams."""
    resend_after: float = 0.040
    resend_backoff: float = 1.5
    resend_limit: float = 0.150
    ping_interval: float = 1 / 30
    """Time without a datagram after which a ping is sent."""
    ping_longest_pause: float = 0.5
    """Pings come at least this often while messages flow, so that the round trip stays known."""
    ping_early: float = 0.010
    """A ping may go out this much before its time, so that one wake-up serves for what was
    received and for the ping."""
    request_interval: float = 0.5
    connect_timeout: float = 5.0
    timeout: float = 5.0
    """Silence after which the robot counts as lost."""
    relay_bytes: int = 700
    relay_interval: float = 0.030
    """Messages with the tags 0x01 to 0x7F pass a small queue inside the robot: at most
    ``relay_bytes`` in ``relay_interval`` (spec 01 §6), and as many unacknowledged."""


@dataclass(frozen=True, slots=True)
class RobotConfig:
    """Tunables of the robot's end, as the firmware has them."""

    max_frame: int = 1420
    store_messages: int = 32
    store_bytes: int = 1403
    """Reliable messages kept until acknowledged; when full, new ones are dropped."""
    unreliable_bytes: int = 16384
    """Unreliable messages kept until the next frame; when full, new ones are dropped."""
    tick: float = 0.033
    timeout: float = 5.0
    request_echo: float = 0.3
    """A ConnectionRequest repeated within this time is a duplicate datagram, not a new engine."""


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
        self.pings_answered += 1
        self.round_trip = seconds
        known = self.round_trip_smoothed
        self.round_trip_smoothed = (
            seconds if known is None else known + _SMOOTHING * (seconds - known)
        )
        least = self.round_trip_min
        self.round_trip_min = seconds if least is None else min(least, seconds)
