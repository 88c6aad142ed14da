"""Commands that come on a topic: counted, and what is not done is said with its reason."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace

from .throttled_log import ThrottledLog


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
    """What became of the commands of one topic; may be told in any thread."""

    def __init__(self, name: str, log: ThrottledLog) -> None:
        """Count for the topic ``name`` and speak through ``log``."""
        self.name, self.counters = name, CommandCounters()
        self._log = log
        self._lock = threading.Lock()

    def accept(self) -> None:
        """Count a command that was done."""
        self._count("accepted")

    def reject(self, reason: object) -> None:
        """Count a command that makes no sense, and say why."""
        self._count("rejected", str(reason))
        self._log.warning(f"{self.name} is rejected: {reason}")

    def refuse(self, reason: object) -> None:
        """Count a command that cannot be done now, and say why."""
        self._count("refused", str(reason))
        self._log.warning(f"{self.name} is refused: {reason}")

    def expire(self, timeout: float) -> None:
        """Count a stop because nothing came for ``timeout`` s, and say it."""
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
