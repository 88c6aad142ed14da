"""What comes into sight, goes and moves, as events: without flicker, each once."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

GONE_AFTER = 2.0
"""s out of sight after which something has disappeared: one blurred image says nothing."""

Place = tuple[float, float, float]


class SightEventType(IntEnum):
    """Values of ``cozmo_interfaces/msg/ObjectEvent`` and ``FaceEvent``."""

    APPEARED = 1
    DISAPPEARED = 2
    MOVED = 3


@dataclass(frozen=True, slots=True)
class Sight:
    """Something in an image: which, where (m in the odometry frame), turned how far (rad)."""

    key: str
    place: Place
    yaw: float = 0.0


@dataclass(frozen=True, slots=True)
class SightEvent:
    type: SightEventType
    sight: Sight


@dataclass(slots=True)
class _Known:
    told: Sight
    """As of its last event."""
    sight: Sight
    seen_at: float


class SightEvents:
    """Compares what is in sight with what was."""

    def __init__(self, moved: float, turned: float = math.inf) -> None:
        """Something has moved from ``moved`` m or ``turned`` rad on since it was last told."""
        self._moved, self._turned = moved, turned
        self._known: dict[str, _Known] = {}

    def update(self, now: float, seen: Iterable[Sight]) -> list[SightEvent]:
        """Return what has happened by ``now``, s; ``seen`` is what is in sight."""
        if any(known.seen_at > now for known in self._known.values()):
            self._known.clear()  # the clock was set back
        events = []
        for sight in seen:
            known = self._known.get(sight.key)
            if known is None:
                self._known[sight.key] = _Known(sight, sight, now)
                events.append(SightEvent(SightEventType.APPEARED, sight))
                continue
            known.sight, known.seen_at = sight, now
            if self._differs(known.told, sight):
                known.told = sight
                events.append(SightEvent(SightEventType.MOVED, sight))
        for key, known in list(self._known.items()):
            if now - known.seen_at > GONE_AFTER:
                del self._known[key]
                events.append(SightEvent(SightEventType.DISAPPEARED, known.sight))
        return events

    def _differs(self, before: Sight, now: Sight) -> bool:
        turned = abs(math.remainder(now.yaw - before.yaw, math.tau))
        return math.dist(before.place, now.place) >= self._moved or turned >= self._turned
