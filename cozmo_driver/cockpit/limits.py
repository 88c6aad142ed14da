"""How much pages may ask for: connections, the time of a request, messages."""

from __future__ import annotations

import asyncio
import contextlib
import math
import socket
from typing import Any, ClassVar

import h11
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from .security import network_of

MOST_CONNECTIONS = 500
"""Of the 1024 files that a process may usually have open."""
ACCEPTED_AT_ONCE = 64
"""Asyncio's backlog is how many it accepts before it tells any protocol, too."""
MOST_OF_ONE_CLIENT = 100
"""Of these; a page has two for good, and six while it loads."""
_MOST_HANDSHAKES = 200
"""Asyncio makes a ``Connection`` known after its TLS handshake only."""
_TIMEOUTS = {h11.IDLE: 10.0, h11.SEND_BODY: 120.0}
"""s for what comes before the body, and for the body: 11 MB by a slow Wi-Fi."""
RATE, _RATE_OF_ALL = 400.0, 2000.0
"""Messages/s, one of 1 kB counted twice. A page that is driven sends up to 200: a gamepad on a
fast display, pictures acknowledged."""
_BURST = 2.0
"""s for which nothing is slowed down: what Wi-Fi has held up comes at once."""


class Listener(socket.socket):
    """Ends a connection whose TLS is not settled in time; the oldest where there are too many."""

    _unsettled: ClassVar[dict[int, tuple[socket.socket, asyncio.TimerHandle]]] = {}
    """By the numbers of their files, the oldest first."""

    def accept(self) -> tuple[socket.socket, Any]:
        connection, address = super().accept()
        for number, (one, _) in list(self._unsettled.items()):
            if one.fileno() < 0:
                self.settle(number)  # its other end has closed it
        if len(self._unsettled) >= _MOST_HANDSHAKES:
            number, (oldest, _) = next(iter(self._unsettled.items()))
            self.settle(number)
            _shut(oldest)
        loop = asyncio.get_running_loop()
        timer = loop.call_later(_TIMEOUTS[h11.IDLE], _shut, connection)
        self._unsettled[connection.fileno()] = connection, timer
        return connection, address

    @classmethod
    def settle(cls, number: int) -> None:
        """From now on a ``Connection`` looks after it, or it is no more."""
        if found := cls._unsettled.pop(number, None):
            found[1].cancel()


def _shut(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):  # it may be closed by now
        connection.shutdown(socket.SHUT_RDWR)


class Connection(H11Protocol):
    """One of so many. Where there are too many, the oldest one whose request is unfinished goes."""

    _unfinished: ClassVar[dict[Connection, None]] = {}
    _state: Any = None
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        Listener.settle(transport.get_extra_info("socket").fileno())
        mine = self._network(self)
        same = [one for one in self.connections if self._network(one) == mine]
        for group, most in ((same, MOST_OF_ONE_CLIENT), (self.connections, MOST_CONNECTIONS)):
            if len(group) > most:
                victim = next((one for one in self._unfinished if one in group), self)
                victim.transport.abort()
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._watch(is_lost=True)

    @staticmethod
    def _network(connection: Any) -> str:
        return network_of((connection.client or ("?",))[0])

    def _watch(self, *, is_lost: bool = False) -> None:
        """Give each part of a request its time; a WebSocket has a protocol of its own."""
        is_http = not is_lost and self.transport.get_protocol() is self
        state = self.conn.their_state if is_http else None
        if state is self._state:
            return
        self._state = state
        if self._timer is not None:
            self._timer.cancel()
        self._unfinished.pop(self, None)
        if state and (timeout := _TIMEOUTS.get(state)):
            self._timer = self.loop.call_later(timeout, self.transport.abort)
            self._unfinished[self] = None


class Pace:
    """Slows down whoever sends more messages than ``rate``/s for longer than a burst."""

    def __init__(self, rate: float) -> None:
        self._rate, self._free_at = rate, -math.inf

    async def take(self, cost: float) -> None:
        now = asyncio.get_running_loop().time()
        self._free_at = max(self._free_at, now - _BURST) + cost / self._rate
        if self._free_at > now:
            await asyncio.sleep(self._free_at - now)


class PacedSockets:
    """ASGI middleware: what a WebSocket sends too fast is read later, and nothing is lost."""

    def __init__(self, app: ASGIApp) -> None:
        self._app, self._all = app, Pace(_RATE_OF_ALL)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await self._app(scope, receive, send)
            return
        own = Pace(RATE)

        async def paced() -> Message:
            message = await receive()
            cost = 1.0 + len(message.get("text") or message.get("bytes") or "") / 1000
            await own.take(cost)
            await self._all.take(cost)
            return message

        await self._app(scope, paced, send)
