"""What traffic holds, counted: sessions, frames, messages by name."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from .dissect import DissectedFrame
from .sessions import SessionEnds


@dataclass(slots=True)
class Way:
    """Counts of one direction in one session."""

    frames: int = 0
    bytes: int = 0
    repeated: int = 0
    """Messages that were sent before under the same number."""
    unexplained: int = 0
    names: Counter[str] = field(default_factory=Counter)
    """Messages and what else frames hold, by name, without the repeated ones."""


@dataclass(slots=True)
class SessionCounts:
    """Counts of one session; times in s since the first frame."""

    end: float = 0.0
    to_robot: Way = field(default_factory=Way)
    from_robot: Way = field(default_factory=Way)


class Summary:
    """Counts dissected frames by session and direction."""

    def __init__(self) -> None:
        """Start at zero."""
        self.sessions: dict[int, SessionCounts] = {}

    def take(self, dissected: DissectedFrame) -> None:
        """Count one frame."""
        recorded = dissected.recorded
        session = self.sessions.setdefault(recorded.session, SessionCounts())
        session.end = max(session.end, recorded.seconds)
        way = session.to_robot if recorded.to_robot else session.from_robot
        way.frames += 1
        way.bytes += len(recorded.data)
        way.unexplained += dissected.unexplained
        if not dissected.items:
            way.names[dissected.name] += not dissected.is_container
        for item in dissected.items:
            way.repeated += item.repeated
            way.names[item.name] += not item.repeated

    def as_json(self, ends: dict[int, SessionEnds]) -> list[dict[str, Any]]:
        """Return an object for each session."""
        return [
            {
                "session": number,
                "engine": str(ends[number].engine),
                "robot": str(ends[number].robot),
                "begin": round(ends[number].begin, 6),
                "end": round(counts.end, 6),
                **{
                    name: {
                        "frames": way.frames,
                        "bytes": way.bytes,
                        "repeated": way.repeated,
                        "unexplained_bytes": way.unexplained,
                        "messages": dict((+way.names).most_common()),
                    }
                    for name, way in (("tx", counts.to_robot), ("rx", counts.from_robot))
                },
            }
            for number, counts in self.sessions.items()
        ]

    def as_text(self, ends: dict[int, SessionEnds]) -> list[str]:
        """Return lines for people."""
        lines = []
        for number, counts in self.sessions.items():
            one = ends[number]
            lines.append(
                f"session {number}  engine {one.engine}, robot {one.robot}, "
                f"{one.begin:.3f} to {counts.end:.3f} s"
            )
            for name, way in (("TX", counts.to_robot), ("RX", counts.from_robot)):
                lines.append(
                    f"  {name}  {way.frames} frames, {way.bytes} bytes, "
                    f"{way.repeated} messages repeated, {way.unexplained} bytes unexplained"
                )
                lines += [f"  {count:8d}  {what}" for what, count in (+way.names).most_common()]
        return lines
