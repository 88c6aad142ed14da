"""The engine's sending rules: window, packing, resend by age, pings (spec 01 §6-7)."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from itertools import islice

from .config import EngineConfig, Statistics
from .delivery import Entry, Outbox
from .errors import EncodeError, SendQueueFull
from .frames import (
    HEADER_SIZE,
    SUB_HEADER_SIZE,
    Frame,
    FrameType,
    Ping,
    SubMessage,
    build_frame,
    build_ping,
    pack_sub_messages,
)

_FIRST_AFTER_REQUEST = 2
_RELAYED_TAGS = range(0x01, 0x80)
_LOST_AFTER = 1.0
_FOLLOWS = 0.2
"""A ping that is due within this share of its longest pause follows a message at once: it would
hold up the next one if it went just before."""


class EngineSender:
    """Decides what the engine's next datagram is and when it is due."""

    def __init__(self, config: EngineConfig, statistics: Statistics, now: float) -> None:
        """Start right after the connection request, which was number 1."""
        self._config = config
        self._statistics = statistics
        self.outbox = Outbox(_FIRST_AFTER_REQUEST)
        self._unsent: deque[tuple[int, SubMessage]] = deque()
        """With their ordinals; the first ``_urgent`` pass the limits of window and queue."""
        self._urgent = 0
        self._sent: deque[int] = deque()
        """Ordinals of the messages in the outbox."""
        self._pushed = 0
        self._unacknowledged: set[int] = set()
        self._relay = RelayBudget(config.relay_bytes, config.relay_interval)
        self._resend_interval = config.resend_after
        self._resent = 0
        """How many of the oldest messages were resent in the round that goes on; 0 between two."""
        self._last_datagram = now - config.spacing
        self._last_ping = now
        self.pings = Pings(statistics)

    @property
    def waiting(self) -> int:
        """Messages not yet acknowledged, sent or not."""
        return len(self.outbox) + len(self._unsent)

    @property
    def room(self) -> int:
        """Messages that may be queued before one is refused."""
        return self._config.queue - len(self._unsent)

    def push(self, payload: bytes, *, is_urgent: bool = False) -> int:
        """Queue one message (tag and fields); return its ordinal, 1 for the first.

        An urgent one goes before all that is not and is always taken. Raises ``SendQueueFull`` or
        ``EncodeError``.
        """
        room = self._config.max_frame - HEADER_SIZE
        if len(payload) > room:
            raise EncodeError(
                f"message {payload[0]:#04x} has {len(payload)} bytes, a frame holds {room}"
            )
        if not is_urgent and self.room <= 0:
            raise SendQueueFull(
                f"{len(self._unsent)} messages wait to be sent, the limit is {self._config.queue}; "
                "wait for acknowledgements"
            )
        self._pushed += 1
        self._unacknowledged.add(self._pushed)
        entry = self._pushed, SubMessage(FrameType.SINGLE_RELIABLE, payload)
        if is_urgent:
            self._unsent.insert(self._urgent, entry)
            self._urgent += 1
        else:
            self._unsent.append(entry)
        return self._pushed

    def discard(self, tags: Collection[int]) -> None:
        """Drop messages with these tags that are not sent yet, but for urgent ones.

        They never count as acknowledged.
        """
        self._unsent = deque(
            (ordinal, sub)
            for index, (ordinal, sub) in enumerate(self._unsent)
            if index < self._urgent or sub.payload[0] not in tags
        )

    def is_acknowledged(self, ordinal: int) -> bool:
        return ordinal not in self._unacknowledged

    def acknowledge(self, ack: int, now: float) -> None:
        done = self.outbox.acknowledge(ack)
        if done:
            self._resend_interval = self._config.resend_after
            self._resent = max(0, self._resent - len(done))
            self._unacknowledged.difference_update(self._sent.popleft() for _ in done)
            self._relay.settle(done, now)

    def next_time(self) -> float:
        """Return when the next datagram is due; never later than the next ping."""
        due = self._ping_due
        if self.outbox.entries:
            due = min(due, self._resend_due)
        if self._may_send_new:
            due = min(due, self._relay.ready_at(self._unsent[0][1]))
        return max(due, self._last_datagram + self._config.spacing)

    def frames(self, now: float, ack: int) -> list[bytes]:
        """Return the datagram that is due, if any: resends before new messages before pings."""
        if now < self._last_datagram + self._config.spacing:
            return []
        datagram = None
        if now < self._last_ping + self._config.ping_longest_pause:
            datagram = self._messages(now, ack)
        if datagram is None and now >= self._ping_due - self._config.ping_early:
            self._last_ping = now
            datagram = build_frame(Frame(FrameType.PING, 0, 0, ack, self.pings.next(now)))
        if datagram is None:
            return []
        self._last_datagram = now
        return [datagram]

    def _messages(self, now: float, ack: int) -> bytes | None:
        if self.outbox.entries and now >= self._resend_due:
            return self._resend(now, ack)
        return self._send_new(now, ack) if self._may_send_new else None

    @property
    def _ping_due(self) -> float:
        pause = self._config.ping_longest_pause
        if self._last_datagram > self._last_ping + pause * (1.0 - _FOLLOWS):
            return self._last_datagram
        return min(self._last_datagram + self._config.ping_interval, self._last_ping + pause)

    @property
    def _resend_due(self) -> float:
        """Return when the next resend is due: of the oldest message by its age, then of those
        behind it as soon as the robot's relay takes them.
        """
        if self._resent:
            return self._relay.ready_at(self.outbox.entries[self._resent].sub)
        return self.outbox.entries[0].sent_at + self._resend_interval

    @property
    def _may_send_new(self) -> bool:
        if not self._unsent or self._urgent:
            return bool(self._unsent)
        return len(self.outbox) < self._config.window and self._relay.has_room(self._unsent[0][1])

    def _resend(self, now: float, ack: int) -> bytes:
        """Return the frame with the oldest message, or with the next of those behind it.

        The robot has dropped everything behind a lost message (spec 01 §4), so all of that follows
        in its order, without waiting for the acknowledgement of the first.
        """
        if not self._resent:
            self._resend_interval = min(
                self._resend_interval * self._config.resend_backoff, self._config.resend_limit
            )
        chosen: list[Entry] = []
        size = HEADER_SIZE
        for entry in islice(self.outbox.entries, self._resent, None):
            size += entry.size
            if chosen and (size > self._config.max_frame or not self._relay.allows(entry.sub, now)):
                break
            self._relay.spend(entry.sub, now)
            chosen.append(entry)
        for entry in chosen:
            entry.sent_at, entry.is_resent = now, True
        self._statistics.resends += len(chosen)
        self._resent += len(chosen)
        if self._resent >= len(self.outbox):
            self._resent = 0
        return _reliable_frame(chosen, ack)

    def _send_new(self, now: float, ack: int) -> bytes | None:
        chosen: list[Entry] = []
        size = HEADER_SIZE
        while self._may_send_new:
            ordinal, sub = self._unsent[0]
            size += SUB_HEADER_SIZE + len(sub.payload)
            if chosen and size > self._config.max_frame:
                break
            if not self._relay.allows(sub, now):
                break
            self._relay.send(sub, now)
            self._unsent.popleft()
            self._urgent = max(0, self._urgent - 1)
            self._sent.append(ordinal)
            chosen.append(self.outbox.number(sub, now))
        self._statistics.messages_sent += len(chosen)
        return _reliable_frame(chosen, ack) if chosen else None


def _reliable_frame(entries: list[Entry], ack: int) -> bytes:
    first, last = entries[0], entries[-1]
    if len(entries) == 1:
        return build_frame(Frame(first.sub.type, first.seq, last.seq, ack, first.sub.payload))
    body = pack_sub_messages([entry.sub for entry in entries])
    return build_frame(Frame(FrameType.MULTIPLE_RELIABLE, first.seq, last.seq, ack, body))


def _relay_cost(sub: SubMessage) -> int:
    return len(sub.payload) if sub.payload[0] in _RELAYED_TAGS else 0


class RelayBudget:
    """Bytes that the robot's inner relay can take: never more than its queue in any interval.

    All that is unacknowledged may arrive at once, as when a Wi-Fi held it back: that fits, too.
    """

    def __init__(self, capacity: int, interval: float) -> None:
        self._capacity = capacity
        self._interval = interval
        self._spent: deque[tuple[float, int]] = deque()
        self._level = 0
        self._under_way = 0

    def has_room(self, sub: SubMessage) -> bool:
        """Tell whether a message may be under way together with those that are."""
        cost = _relay_cost(sub)
        return not cost or self._under_way + min(cost, self._capacity) <= self._capacity

    def send(self, sub: SubMessage, now: float) -> None:
        """Spend a new message; until it is settled it is under way."""
        self.spend(sub, now)
        self._under_way += _relay_cost(sub)

    def settle(self, entries: list[Entry], now: float) -> None:
        """Take messages for acknowledged, those behind a resent one for just arrived."""
        is_late = any(entry.is_resent for entry in entries)
        for entry in entries:
            self._under_way -= _relay_cost(entry.sub)
            if is_late:
                self.spend(entry.sub, now)

    def allows(self, sub: SubMessage, now: float) -> bool:
        return now >= self.ready_at(sub)

    def ready_at(self, sub: SubMessage) -> float:
        excess = self._level + min(_relay_cost(sub), self._capacity) - self._capacity
        ready = 0.0
        for at, cost in self._spent:
            if excess <= 0:
                break
            excess -= cost
            ready = at + self._interval
        return ready

    def spend(self, sub: SubMessage, now: float) -> None:
        while self._spent and now >= self._spent[0][0] + self._interval:
            self._level -= self._spent.popleft()[1]
        cost = _relay_cost(sub)
        if cost:
            self._spent.append((now, cost))
            self._level += cost


class Pings:
    """Numbers pings, matches echoes with them and counts the lost ones."""

    def __init__(self, statistics: Statistics) -> None:
        self._statistics = statistics
        self._outstanding: deque[tuple[float, float]] = deque()
        self._echoes = 0

    def next(self, now: float) -> bytes:
        while self._outstanding and self._outstanding[0][1] < now - _LOST_AFTER:
            self._outstanding.popleft()
            self._statistics.pings_lost += 1
        self._statistics.pings_sent += 1
        sent_ms = now * 1000.0
        self._outstanding.append((sent_ms, now))
        return build_ping(Ping(sent_ms, self._statistics.pings_sent, self._echoes))

    def on_echo(self, ping: Ping, now: float) -> None:
        """Record an echo; one that answers no ping of ours, or a second one, is ignored."""
        for index, (sent_ms, sent_at) in enumerate(self._outstanding):
            if sent_ms == ping.time_sent_ms:
                del self._outstanding[index]
                self._echoes += 1
                self._statistics.record_round_trip(now - sent_at)
                return
