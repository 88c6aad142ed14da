"""Why the personality does what it does: decisions, and the file that they are written to.

``behavior_trace.jsonl`` in the state directory of a robot's namespace has one JSON object in each
line, the oldest first::

    {"time": 1763740800.25, "kind": "behavior", "name": "Alone_Wander", "reason": "score 1.42",
     "rejected": [{"name": "Alone_Think", "why": "it ran 12 s ago"}]}

``time`` is s since 1970; ``kind`` one of reaction, activity, behavior, resume, suspend, end;
``name`` what was chosen, empty where nothing was. A file that is full becomes
``behavior_trace.jsonl.1``, in place of the one before.
"""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..installation import state_directory

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
        last = self.decisions[-1] if self.decisions else None
        # Reasons contain seconds that count down: only the decision matters.
        if last is not None and not chosen and (last.kind, last.chosen) == (kind, chosen):
            return
        self.total += 1
        self.decisions.append(Decision(time, kind, chosen, reason, rejected))


TRACE_FILE = "behavior_trace.jsonl"
MOST_BYTES = 2_000_000


def trace_path(namespace: str = "", environment: Mapping[str, str] = os.environ) -> Path:
    """Return the file of the robot in a namespace, there or not."""
    return state_directory(namespace, environment) / TRACE_FILE


def older_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.1")


class TraceFile:
    """Appends decisions to a file, which never takes more than twice ``most_bytes``."""

    def __init__(self, path: Path, most_bytes: int = MOST_BYTES) -> None:
        self.path, self._most_bytes = path, most_bytes

    def append(self, decisions: Iterable[Decision], started_at: float) -> None:
        """``started_at`` is s since 1970 when the decisions' clock was 0. Raises ``OSError``."""
        data = "".join(f"{line(one, started_at)}\n" for one in decisions).encode()
        if not data:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self.path.exists() and self.path.stat().st_size + len(data) > self._most_bytes:
            self.path.replace(older_path(self.path))
        with self.path.open("ab") as file:
            file.write(data)


def line(decision: Decision, started_at: float) -> str:
    """Return a decision as a line, without its end."""
    content = {
        "time": round(started_at + decision.time, 3),
        "kind": decision.kind,
        "name": decision.chosen,
        "reason": decision.reason,
        "rejected": [{"name": one.name, "why": one.reason} for one in decision.rejected],
    }
    return json.dumps(content, ensure_ascii=False)
