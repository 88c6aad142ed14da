"""A robot that says what a recorded one said, at the same times, to whoever connects."""

from __future__ import annotations

import asyncio
import errno
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from ..protocol import (
    Connected,
    Connection,
    Disconnected,
    Message,
    MessageReceived,
    RobotConfig,
    Role,
    State,
)
from ..protocol.messages import ImageChunk
from .errors import TrafficError
from .network import Endpoint
from .timeline import TimedMessage

_CONFIG = RobotConfig(store_messages=4096, store_bytes=1 << 22, unreliable_bytes=1 << 22)
"""What a robot drops because its store is full was not recorded; this one drops nothing."""


class RobotReplay(asyncio.DatagramProtocol):
    """Serves one engine at a time from the recording; lives in one asyncio loop."""

    def __init__(self, timeline: Callable[[], Iterator[TimedMessage]], speed: float = 1.0) -> None:
        """Prepare; ``timeline`` opens the recording anew for every connection."""
        self.sent: Counter[str] = Counter()
        self.received: Counter[str] = Counter()
        """What engines said, by name; nothing acts on it."""
        self.sessions = 0
        self.foreign = 0
        """Datagrams of others while an engine is connected, ignored (spec 01 §1)."""
        self.on_end: Callable[[Exception | None], None] = lambda problem: None
        """Called when the recording was played to its end, or why it could not be."""
        self._timeline = timeline
        self._speed = speed
        self._connection = Connection(Role.ROBOT, robot=_CONFIG)
        self._peer: tuple[Any, ...] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._playing: asyncio.Task[None] | None = None
        self._acknowledged = asyncio.Event()

    async def start(self, listen: Endpoint) -> Endpoint:
        """Listen; return where. Raises ``TrafficError``."""
        self._loop = asyncio.get_running_loop()
        try:
            self._transport, _ = await self._loop.create_datagram_endpoint(
                lambda: self, local_addr=listen
            )
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise TrafficError(f"cannot listen on {listen}: {error.strerror}") from error
            raise TrafficError(f"port {listen} is in use; name another one") from None
        return Endpoint(*self._transport.get_extra_info("sockname")[:2])

    def close(self) -> None:
        """Fall silent, as a robot that was switched off, and give the socket back."""
        self.fall_silent()
        self._transport.close()

    def fall_silent(self) -> None:
        """Forget the engine, which will notice; the next connection begins anew."""
        self._stop_playing()
        self._connection.disconnect(self._loop.time())
        self._pump()

    def datagram_received(self, data: bytes, addr: tuple[Any, ...]) -> None:
        """Take a datagram of an engine."""
        if self._peer is not None and addr != self._peer:
            self.foreign += 1
            return
        self._peer = addr
        self._connection.receive(data, self._loop.time())
        self._pump()

    def error_received(self, exc: Exception) -> None:
        """An engine that has gone makes the socket report errors; a robot does not care."""

    def _pump(self) -> None:
        """Hand on events, send what is due, arm the timer."""
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
                    self._say(message)
            # What needs no acknowledgement goes out at the next tick.
            await asyncio.sleep(2 * _CONFIG.tick)
            self._acknowledged.clear()
            self._pump()
            await self._acknowledged.wait()
        except (TrafficError, OSError) as error:
            problem = error
        self.on_end(problem)

    def _say(self, message: Message) -> None:
        """A camera image's last chunk makes the frame go out at once (spec 01 §5)."""
        hot = isinstance(message, ImageChunk) and message.image_chunk_count > 0
        self._connection.send(message, self._loop.time(), hot=hot)
        self.sent[type(message).__name__] += 1
        self._pump()
