"""A structured trace of sessions over time: frames, resends, round trips, losses, phases."""

from __future__ import annotations

from array import array
from collections import deque
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..protocol import FIRST, LAST, Frame, FrameType, distance, following, is_ahead
from ..protocol.messages import RobotState, SyncTime
from .dissect import ECHO, PING, DissectedFrame, Item, type_name
from .sessions import RecordedFrame

PING_LOST_AFTER = 1.0
"""Seconds after which a ping without an echo counts as lost."""
SILENCE = 1.0
"""Seconds without a frame of the robot that are reported."""
_STATE_PERIOD_MS = 30
_LONGEST_STATE_GAP_MS = 10000
_MOST_PENDING = 1024

CONNECTING, CONNECTED, STARTING = "connecting", "connected", "starting"
RUNNING, ENDED = "running", "ended"
"""Asking for the connection; identifying; from SyncTime to the first state; then; goodbye."""
_REQUEST, _RESPONSE, _DISCONNECT = (
    type_name(kind)
    for kind in (
        FrameType.CONNECTION_REQUEST,
        FrameType.CONNECTION_RESPONSE,
        FrameType.DISCONNECT_REQUEST,
    )
)


class TraceEvent(NamedTuple):
    """Something that happened; ``seconds`` since the first frame of the file.

    | kind | values |
    |---|---|
    | phase | name, ``CONNECTING`` to ``ENDED`` |
    | frame | way, type, bytes, seq_min, seq_max, ack, names of new messages, repeated (how many) |
    | round_trip | after, s: from a ping to its echo |
    | ping_lost | |
    | acknowledged | seq, after, s: from the first sending of a message of the engine |
    | gap | way, missing: numbers of reliable messages that did not come before later ones |
    | states_missing | missing: states of the robot lost on the way, by their stamps |
    | silence | after, s: how long the robot had said nothing |
    """

    seconds: float
    session: int
    kind: str
    values: dict[str, Any]

    def as_json(self) -> dict[str, Any]:
        """Return one flat object; times in s, rounded to µs."""
        values = {
            name: round(value, 6) if isinstance(value, float) else value
            for name, value in self.values.items()
        }
        return {
            "seconds": round(self.seconds, 6),
            "session": self.session,
            "kind": self.kind,
            **values,
        }


class Tracer:
    """Turns dissected frames into events; frames of several sessions may alternate."""

    def __init__(self) -> None:
        self._sessions: dict[int, _Session] = {}

    def update(self, dissected: DissectedFrame) -> list[TraceEvent]:
        """Return the events of one frame and of what had become due."""
        number = dissected.recorded.session
        return self._sessions.setdefault(number, _Session(number)).update(dissected)

    def end(self) -> list[TraceEvent]:
        """Return what is known only when nothing follows."""
        for session in self._sessions.values():
            session.events = []
        return [event for session in self._sessions.values() for event in session.end()]


@dataclass(slots=True)
class _Session:
    number: int
    now: float = 0.0
    events: list[TraceEvent] = field(default_factory=list)
    phase: str = ""
    pings: dict[Any, float] = field(default_factory=dict)
    unacknowledged: deque[tuple[int, float]] = field(default_factory=deque)
    next_seq: dict[bool, int] = field(default_factory=dict)
    stamp: int | None = None
    received: float | None = None

    def update(self, dissected: DissectedFrame) -> list[TraceEvent]:
        recorded, frame = dissected.recorded, dissected.frame
        self.now, self.events = recorded.seconds, []
        self._follow_phase(dissected)
        new = [item for item in dissected.items if not item.repeated]
        values: dict[str, Any] = {
            "way": recorded.way,
            "type": dissected.name,
            "bytes": len(recorded.data),
        }
        if frame is not None:
            values |= {"seq_min": frame.seq_min, "seq_max": frame.seq_max, "ack": frame.ack}
        values["names"] = [item.name for item in new]
        self._add("frame", **values, repeated=len(dissected.items) - len(new))
        if frame is None:
            return self.events
        if recorded.to_robot:
            for item in new:
                self._on_sent(item)
        else:
            self._on_received(frame.ack)
            for item in new:
                self._on_received_item(item)
        if frame.seq_min:
            self._find_gap(recorded, frame)
        return self.end()

    def end(self) -> list[TraceEvent]:
        """Add the pings that are lost by now; they are in the order of their sending."""
        while self.pings:
            oldest, sent = next(iter(self.pings.items()))
            if self.now - sent <= PING_LOST_AFTER and len(self.pings) <= _MOST_PENDING:
                break
            del self.pings[oldest]
            self.events.append(TraceEvent(sent, self.number, "ping_lost", {}))
        return self.events

    def _add(self, kind: str, **values: Any) -> None:
        self.events.append(TraceEvent(self.now, self.number, kind, values))

    def _follow_phase(self, dissected: DissectedFrame) -> None:
        phase = self.phase
        names = {dissected.name, *(item.name for item in dissected.items)}
        if not phase:
            phase = CONNECTING if _REQUEST in names else RUNNING
        elif phase == CONNECTING and _RESPONSE in names:
            phase = CONNECTED
        elif phase == CONNECTED and SyncTime.__name__ in names:
            phase = STARTING
        elif phase in (CONNECTED, STARTING) and RobotState.__name__ in names:
            phase = RUNNING
        elif _DISCONNECT in names:
            phase = ENDED
        if phase != self.phase:
            self.phase = phase
            self._add("phase", name=phase)

    def _on_sent(self, item: Item) -> None:
        if item.name == PING:
            self.pings[item.fields.get("time_sent_ms")] = self.now
        if item.seq is not None and item.message is not None:
            self.unacknowledged.append((item.seq, self.now))
            if len(self.unacknowledged) > _MOST_PENDING:
                self.unacknowledged.popleft()

    def _on_received(self, ack: int) -> None:
        if self.received is not None and self.now - self.received > SILENCE:
            self._add("silence", after=self.now - self.received)
        self.received = self.now
        if not FIRST <= ack <= LAST:
            return
        while self.unacknowledged and not is_ahead(self.unacknowledged[0][0], ack):
            seq, sent = self.unacknowledged.popleft()
            self._add("acknowledged", seq=seq, after=self.now - sent)

    def _on_received_item(self, item: Item) -> None:
        if item.name == ECHO and item.round_trip is not None:
            self.pings.pop(item.fields.get("time_sent_ms"), None)
            self._add("round_trip", after=item.round_trip)
        if isinstance(item.message, RobotState):
            stamp = item.message.timestamp
            if self.stamp is not None and 0 < stamp - self.stamp < _LONGEST_STATE_GAP_MS:
                missing = round((stamp - self.stamp) / _STATE_PERIOD_MS) - 1
                if missing > 0:
                    self._add("states_missing", missing=missing)
            self.stamp = stamp

    def _find_gap(self, recorded: RecordedFrame, frame: Frame) -> None:
        due = self.next_seq.get(recorded.to_robot)
        if due is not None and is_ahead(frame.seq_min, due):
            self._add("gap", way=recorded.way, missing=distance(due, frame.seq_min))
        if due is None or not is_ahead(due, frame.seq_max):
            self.next_seq[recorded.to_robot] = following(frame.seq_max)


def _series() -> array[float]:
    return array("d")


@dataclass(slots=True)
class DirectionSeries:
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
        return sum(map(len, self.messages.values()))


@dataclass(slots=True)
class SessionSeries:
    """All of one session; pairs of series belong together element by element."""

    begin: float = 0.0
    end: float = 0.0
    phases: list[tuple[float, str]] = field(default_factory=list)
    to_robot: DirectionSeries = field(default_factory=DirectionSeries)
    from_robot: DirectionSeries = field(default_factory=DirectionSeries)
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
        return self.end - self.begin

    def durations(self) -> dict[str, float]:
        ends = [time for time, _ in self.phases[1:]] + [self.end]
        pairs = zip(self.phases, ends, strict=True)
        return {name: end - begin for (begin, name), end in pairs}

    def _way(self, event: TraceEvent) -> DirectionSeries:
        return self.to_robot if event.values["way"] == "TX" else self.from_robot

    def update(self, event: TraceEvent) -> None:
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
