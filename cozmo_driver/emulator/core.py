"""What the parts of the robot share: its connection, its time and who handles which message."""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Callable
from itertools import count
from random import Random
from typing import Any, TypeVar

from ..protocol import (
    Connected,
    Connection,
    Disconnected,
    DisconnectReason,
    Message,
    MessageReceived,
    Role,
    State,
)
from ..protocol.messages import PrintTrace

_Message = TypeVar("_Message", bound=Message)
Action = Callable[[], object]
_ROUNDING = 1e-6
_WRAP = 1 << 32


class Timer:
    """Handle of a scheduled action; one without an action does nothing."""

    def __init__(self, action: Action | None = None) -> None:
        self.action = action

    def cancel(self) -> None:
        self.action = None


class Schedule:
    """A queue of actions; equal times keep the order in which they were entered."""

    def __init__(self) -> None:
        self._queue: list[tuple[float, int, Timer]] = []
        self._order = count()

    def at(self, time: float, action: Action) -> Timer:
        timer = Timer(action)
        heapq.heappush(self._queue, (time, next(self._order), timer))
        return timer

    def next_time(self) -> float | None:
        return self._queue[0][0] if self._queue else None

    def pop_due(self, now: float) -> Action | None:
        while self._queue and self._queue[0][0] <= now:
            action = heapq.heappop(self._queue)[2].action
            if action is not None:
                return action
        return None

    def clear(self) -> None:
        self._queue.clear()


class Core:
    """The bus between the parts; sans-I/O, ``now`` is set by the firmware's methods."""

    def __init__(self, now: float, seed: int, noise: bool = True) -> None:
        self.connection = Connection(Role.ROBOT)
        self.now = now
        """Time of what is being handled, in seconds of the host's clock."""
        self._clock_zero, self._clock_base = now, 0
        self.received: Counter[str] = Counter()
        """Messages received since power on, by name."""
        self.last_received: dict[str, Message] = {}
        self.refused: Counter[str] = Counter()
        """Messages with values that are not numbers, by name; nothing acts on them."""
        self.sessions = 0
        self._is_in_session = False
        self.last_disconnect: DisconnectReason | None = None
        self.schedule = Schedule()
        self.noise = 1.0 if noise else 0.0
        """Factor of the noise of every sensor."""
        self._seed = seed
        self._handlers: dict[type, list[Callable[[Any], None]]] = {}
        self._on_connected: list[Action] = []
        self._on_disconnected: list[Action] = []

    # -- for the parts

    @property
    def timestamp(self) -> int:
        """What the robot's clock shows now, ms."""
        return self.timestamp_at(self.now)

    def timestamp_at(self, time: float) -> int:
        return (self._clock_base + int((time - self._clock_zero) * 1000.0 + _ROUNDING)) % _WRAP

    def set_clock(self, milliseconds: int) -> None:
        """Set the robot's own clock, as SyncTime does; it starts at 0 (spec 07 §12)."""
        self._clock_zero, self._clock_base = self.now, milliseconds

    def skip_clock(self, seconds: float) -> None:
        """Let the robot's own clock go on by what nothing else lived through."""
        self._clock_zero -= seconds

    def random(self, part: str) -> Random:
        """Return the random numbers of one part, the same for the same seed."""
        return Random(f"{self._seed} {part}")

    def handle(self, cls: type[_Message], handler: Callable[[_Message], None]) -> None:
        self._handlers.setdefault(cls, []).append(handler)

    def when_connected(self, action: Action) -> None:
        self._on_connected.append(action)

    def when_disconnected(self, action: Action) -> None:
        """Call ``action`` when a connection has ended; nothing can be sent any more."""
        self._on_disconnected.append(action)

    def after(self, delay: float, action: Action) -> Timer:
        """Call ``action`` in ``delay`` seconds unless the connection ends before."""
        return self.schedule.at(self.now + delay, action)

    def send(self, message: Message, *, hot: bool = False) -> None:
        """Send a message to the engine; nobody gets it if that has just said goodbye."""
        if self.connection.state is State.CONNECTED:
            self.connection.send(message, self.now, hot=hot)

    def trace(self, format_id: int, name_id: int, level: int, *args: int) -> None:
        """Send a log line, whose texts are in tables that the engine has."""
        self.send(PrintTrace(format_id, 0, name_id, level, args))

    # -- for the firmware

    def handle_events(self) -> None:
        while (event := self.connection.next_event()) is not None:
            if isinstance(event, MessageReceived):
                self._dispatch(event.message)
            elif isinstance(event, Connected):
                if self._is_in_session:
                    self._end_session()
                # What hands began without a connection goes on.
                self._is_in_session = True
                self.sessions += 1
                for action in self._on_connected:
                    action()
            elif isinstance(event, Disconnected):
                self.last_disconnect = event.reason
                self._end_session()

    def _end_session(self) -> None:
        self._is_in_session = False
        self.schedule.clear()
        for action in self._on_disconnected:
            action()

    def _dispatch(self, message: Message) -> None:
        name = type(message).__name__
        self.received[name] += 1
        self.last_received[name] = message
        if not all(math.isfinite(value) for value in message if isinstance(value, float)):
            self.refused[name] += 1
            return
        for handler in self._handlers.get(type(message), ()):
            handler(message)
