"""UDP adapter of the protocol: sockets, timers and the thread that owns them."""

from __future__ import annotations

from .backoff import Backoff
from .loop_thread import LoopThread
from .sockets import LinkError
from .udp import LinkStatistics, UdpLink
from .waiting import end, set_at, within

__all__ = [
    "Backoff",
    "LinkError",
    "LinkStatistics",
    "LoopThread",
    "UdpLink",
    "end",
    "set_at",
    "within",
]
