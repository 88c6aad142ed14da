"""Events of a trace gathered into series of one session, for a summary or a picture."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field

from .trace import TraceEvent


def _series() -> array[float]:
    return array("d")


@dataclass(slots=True)
class WaySeries:
    """One direction; times in s since the first frame of the file."""

    frames: array[float] = field(default_factory=_series)
    bytes: int = 0
    messages: dict[str, array[float]] = field(default_factory=dict)
    """Times of new messages by name."""
    resends: array[float] = field(default_factory=_series)
    """Times of repeated messages."""
    gaps: array[float] = field(default_factory=_series)

    @property
    def count(self) -> int:
        """How many new messages there were."""
        return sum(map(len, self.messages.values()))


@dataclass(slots=True)
class SessionSeries:
    """All of one session; pairs of series belong together element by element."""

    begin: float = 0.0
    end: float = 0.0
    phases: list[tuple[float, str]] = field(default_factory=list)
    to_robot: WaySeries = field(default_factory=WaySeries)
    from_robot: WaySeries = field(default_factory=WaySeries)
    ping_times: array[float] = field(default_factory=_series)
    round_trips: array[float] = field(default_factory=_series)
    lost_pings: array[float] = field(default_factory=_series)
    ack_times: array[float] = field(default_factory=_series)
    ack_delays: array[float] = field(default_factory=_series)
    missing_times: array[float] = field(default_factory=_series)
    missing_states: int = 0
    silences: list[tuple[float, float]] = field(default_factory=list)
    """Begin and length of each."""

    @property
    def duration(self) -> float:
        """From the first frame to the last, s."""
        return self.end - self.begin

    def durations(self) -> dict[str, float]:
        """Return how long each phase took, s."""
        ends = [time for time, _ in self.phases[1:]] + [self.end]
        pairs = zip(self.phases, ends, strict=True)
        return {name: end - begin for (begin, name), end in pairs}

    def _way(self, event: TraceEvent) -> WaySeries:
        return self.to_robot if event.values["way"] == "TX" else self.from_robot

    def take(self, event: TraceEvent) -> None:
        """Add an event."""
        now, values = event.seconds, event.values
        if event.kind == "frame":
            if not (self.to_robot.frames or self.from_robot.frames):
                self.begin = now
            self.end = max(self.end, now)
            way = self._way(event)
            way.frames.append(now)
            way.bytes += values["bytes"]
            way.resends.extend([now] * values["repeated"])
            for name in values["names"]:
                way.messages.setdefault(name, _series()).append(now)
        elif event.kind == "phase":
            self.phases.append((now, values["name"]))
        elif event.kind == "round_trip":
            self.ping_times.append(now)
            self.round_trips.append(values["after"])
        elif event.kind == "ping_lost":
            self.lost_pings.append(now)
        elif event.kind == "acknowledged":
            self.ack_times.append(now)
            self.ack_delays.append(values["after"])
        elif event.kind == "gap":
            self._way(event).gaps.append(now)
        elif event.kind == "states_missing":
            self.missing_times.append(now)
            self.missing_states += values["missing"]
        elif event.kind == "silence":
            self.silences.append((now - values["after"], values["after"]))
