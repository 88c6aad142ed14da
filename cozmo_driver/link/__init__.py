"""UDP adapter of the protocol: sockets, timers and the thread that owns them."""

from __future__ import annotations

from .backoff import Backoff
from .loop_thread import LoopThread
from .udp import LinkError, LinkStatistics, UdpLink

__all__ = ["Backoff", "LinkError", "LinkStatistics", "LoopThread", "UdpLink"]
