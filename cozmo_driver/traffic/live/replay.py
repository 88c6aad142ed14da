"""The messages of a recorded session, and a robot that sends them again."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ...protocol import (
    Connected,
    Connection,
    Direction,
    Disconnected,
    EncodeError,
    FrameType,
    Message,
    MessageReceived,
    RobotConfig,
    Role,
    State,
    spec_of,
)
from ...protocol.messages import ImageChunk
from ..dissect import DissectedFrame, Dissector, type_name
from ..endpoint import Endpoint, TrafficError
from ..sources import STDIN, open_file
from .relay import listen

_CONFIG = RobotConfig(store_messages=4096, store_bytes=1 << 22, unreliable_bytes=1 << 22)
"""What a robot drops because its store is full was not recorded; this one drops nothing."""


_GAP = 5.0
"""s without a frame, after which an engine would have given up: they were not recorded."""
_REORDERED = 1.0
"""s by which a frame may seem older than the one before it; more, and the clock was set back."""


class TimedMessage(NamedTuple):
    """A message and when it was sent: s since the robot answered the connection request.

    The last one of a timeline has no message: it says when the session ended.
    """

    seconds: float
    message: Message | None


def timeline(
    path: str,
    *,
    to_robot: bool,
    session: int | None = None,
    on_read: Callable[[int], object] = lambda size: None,
) -> Iterator[TimedMessage]:
    """Yield what one end sent in a session, by default the first in which it sent something.

    Of a session whose beginning was not recorded, times count from its first frame; gaps in the
    recording and steps back of its clock are left out, and so are messages that only the other
    end may send. Raises ``TrafficError`` for a damaged file or one without such a session, and
    ``OSError``.
    """
    if path == STDIN:
        raise TrafficError("a replay needs a file: what comes from a pipe is gone once it was read")
    direction = Direction.ENGINE_TO_ROBOT if to_robot else Direction.ROBOT_TO_ENGINE
    dissector = Dissector()
    begins: dict[int, float] = {}
    answered: set[int] = set()
    last: dict[int, float] = {}
    end = 0.0
    found = None
    with open_file(path, on_read) as traffic:
        for recorded in traffic.frames:
            number = recorded.session
            if number != (session or found or number):
                continue
            begins.setdefault(number, recorded.seconds)
            gap = recorded.seconds - last.get(number, recorded.seconds)
            last[number] = recorded.seconds
            if gap > _GAP or gap < -_REORDERED:
                begins[number] += gap
            frame = dissector.dissect(recorded)
            if number not in answered and _holds(frame, FrameType.CONNECTION_RESPONSE):
                answered.add(number)
                begins[number] = recorded.seconds
            if _holds(frame, FrameType.DISCONNECT_REQUEST) and number == found:
                break
            if found is not None:
                end = max(end, recorded.seconds - begins[number])
            if recorded.to_robot is not to_robot:
                continue
            for item in frame.items:
                message = item.message
                if message is None or item.repeated or spec_of(message).direction is not direction:
                    continue
                found = number
                yield TimedMessage(recorded.seconds - begins[number], message)
    if found is None:
        who = "engine" if to_robot else "robot"
        what = f"session {session}" if session is not None else "any session"
        raise TrafficError(f"{path}: the {who} says nothing in {what} of it")
    yield TimedMessage(end, None)


def _holds(frame: DissectedFrame, kind: FrameType) -> bool:
    name = type_name(kind)
    return frame.name == name or any(item.name == name for item in frame.items)


class RobotReplay(asyncio.DatagramProtocol):
    """Serves one engine at a time from the recording; lives in one asyncio loop."""

    def __init__(self, timeline: Callable[[], Iterator[TimedMessage]], speed: float = 1.0) -> None:
        """Prepare; ``timeline`` opens the recording for every connection."""
        self.sent: Counter[str] = Counter()
        self.received: Counter[str] = Counter()
        """What engines said, by name; nothing acts on it."""
        self.sessions = 0
        self.on_end: Callable[[Exception | None], None] = lambda problem: None
        """Called when the recording was played to its end, or why it could not be."""
        self._timeline = timeline
        self._speed = speed
        self._connection = Connection(Role.ROBOT, robot=_CONFIG)
        self._peer: tuple[Any, ...] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._playing: asyncio.Task[None] | None = None
        self._acknowledged = asyncio.Event()

    async def start(self, listen_on: Endpoint) -> Endpoint:
        self._loop = asyncio.get_running_loop()
        self._transport, where = await listen(self, listen_on, "name another one")
        return where

    def close(self) -> None:
        """Fall silent, as a robot that was switched off, and give the socket back."""
        self.disconnect()
        self._transport.close()

    def disconnect(self) -> None:
        """Forget the engine, which will notice; the next connection starts again."""
        self._stop_playing()
        self._connection.disconnect(self._loop.time())
        self._pump()

    def datagram_received(self, data: bytes, addr: tuple[Any, ...]) -> None:
        if self._peer is not None and addr != self._peer:
            # A robot ignores others while an engine is connected (spec 01 §1).
            return
        self._peer = addr
        self._connection.receive(data, self._loop.time())
        self._pump()

    def error_received(self, exc: Exception) -> None:
        """An engine that has gone makes the socket report errors; a robot does not care."""

    def _pump(self) -> None:
        now = self._loop.time()
        while (event := self._connection.next_event()) is not None:
            if isinstance(event, MessageReceived):
                self.received[type(event.message).__name__] += 1
            elif isinstance(event, Connected):
                self._stop_playing()
                self.sessions += 1
                self._playing = self._loop.create_task(self._play(now))
            elif isinstance(event, Disconnected):
                self._stop_playing()
        for datagram in self._connection.datagrams_to_send(now):
            if self._peer is not None:
                self._transport.sendto(datagram, self._peer)
        if self._connection.state is State.IDLE:
            self._peer = None
        if not self._connection.waiting:
            self._acknowledged.set()
        self._arm()

    def _arm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        due = self._connection.next_timer()
        self._timer = None if due is None else self._loop.call_at(due, self._timer_due)

    def _timer_due(self) -> None:
        self._connection.handle_timer(self._loop.time())
        self._pump()

    def _stop_playing(self) -> None:
        if self._playing is not None and self._playing is not asyncio.current_task():
            self._playing.cancel()
        self._playing = None

    async def _play(self, begin: float) -> None:
        problem = None
        try:
            for seconds, message in self._timeline():
                await asyncio.sleep(begin + seconds / self._speed - self._loop.time())
                if message is not None:
                    self._send(message)
            # What needs no acknowledgement goes out at the next tick.
            await asyncio.sleep(2 * _CONFIG.tick)
            self._acknowledged.clear()
            self._pump()
            await self._acknowledged.wait()
        except (TrafficError, EncodeError, OSError) as error:
            problem = error
        self.on_end(problem)

    def _send(self, message: Message) -> None:
        """A camera image's last chunk makes the frame go out at once (spec 01 §5)."""
        hot = isinstance(message, ImageChunk) and message.image_chunk_count > 0
        self._connection.send(message, self._loop.time(), hot=hot)
        self.sent[type(message).__name__] += 1
        self._pump()
