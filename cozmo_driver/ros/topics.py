"""Qualities of service of the driver's topics, and what became of the commands that came there."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from cozmo_interfaces.msg import ConnectionState

from .logs import ThrottledLog

SENSOR = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE)
"""Reliable, so that consumers may ask for either."""
LATCHED = QoSProfile(
    depth=1,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)
"""The last message is kept for those who come later."""
STREAM = QoSProfile(depth=1000, reliability=ReliabilityPolicy.RELIABLE)
"""Every piece counts, also when 10 s of sound come at once in pieces of 10 ms."""
EVENT = QoSProfile(depth=50)
"""Reliable, and deep enough for what a robot that is dropped reports at once."""
COMMAND = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)
"""Only the newest command counts."""


@dataclass(frozen=True, slots=True)
class CommandCounters:
    """Commands of one topic since the start.

    ``rejected`` made no sense, ``refused`` could not be done at the time, ``expired`` counts how
    often the sender fell silent and the movement was stopped.
    """

    accepted: int = 0
    rejected: int = 0
    refused: int = 0
    expired: int = 0
    last_reason: str = ""


class CommandTopic:
    """Counts the commands of one topic and logs what is not done; may be used in any thread."""

    def __init__(self, name: str, log: ThrottledLog) -> None:
        self.name, self.counters = name, CommandCounters()
        self._log = log
        self._lock = threading.Lock()

    def accept(self) -> None:
        self._count("accepted")

    def reject(self, reason: object) -> None:
        """Count a command that makes no sense."""
        self._count("rejected", str(reason))
        self._log.warning(f"{self.name} is rejected: {reason}")

    def refuse(self, reason: object) -> None:
        """Count a command that cannot be done now."""
        self._count("refused", str(reason))
        self._log.warning(f"{self.name} is refused: {reason}")

    def expire(self, timeout: float) -> None:
        """Count a stop because nothing came for ``timeout`` s."""
        reason = f"no {self.name} for {timeout:g} s"
        self._count("expired", reason)
        self._log.warning(f"stopped: {reason}")

    def _count(self, field: str, reason: str = "") -> None:
        with self._lock:
            before = self.counters
            self.counters = replace(
                before,
                **{field: getattr(before, field) + 1},
                last_reason=reason or before.last_reason,
            )


CONNECTION_STATES = {
    ConnectionState.DISCONNECTED: "disconnected",
    ConnectionState.CONNECTING: "connecting",
    ConnectionState.INITIALIZING: "starting",
    ConnectionState.CONNECTED: "connected",
    ConnectionState.DISCONNECTING: "disconnecting",
    ConnectionState.WAITING: "lost",
}
