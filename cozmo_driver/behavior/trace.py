"""Why the personality does what it does, decision by decision."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

_KEPT = 500


@dataclass(frozen=True, slots=True)
class Rejection:
    """Something that was not chosen, and what blocks it or what it waits for."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision: ``chosen`` is empty where nothing was. ``time`` is monotonic, s."""

    time: float
    kind: str
    """reaction, activity, behavior, resume, suspend, end."""
    chosen: str
    reason: str
    rejected: tuple[Rejection, ...] = field(default=())

    def __str__(self) -> str:
        """The decision for people: ``chose X: score 0.42; Y: cools down for 12 s``."""
        head = f"{self.kind}: {self.chosen or 'nothing'}: {self.reason}"
        others = [f"{one.name}: {one.reason}" for one in self.rejected]
        return "; ".join([head, *others])


class Trace:
    """The latest decisions, oldest first. One that repeats the one before is not added."""

    def __init__(self, kept: int = _KEPT) -> None:
        """Keep this many."""
        self.decisions: deque[Decision] = deque(maxlen=kept)
        self.total = 0

    def add(
        self,
        time: float,
        kind: str,
        chosen: str,
        reason: str,
        rejected: tuple[Rejection, ...] = (),
    ) -> None:
        """Take a decision."""
        last = self.decisions[-1] if self.decisions else None
        # Reasons tell seconds that count down: what matters is what was decided.
        if last is not None and not chosen and (last.kind, last.chosen) == (kind, chosen):
            return
        self.total += 1
        self.decisions.append(Decision(time, kind, chosen, reason, rejected))
