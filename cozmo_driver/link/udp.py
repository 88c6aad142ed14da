"""A connection over UDP in an asyncio loop: no polling, one timer, one socket."""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ..protocol import (
    MAX_RECEIVED_FRAME,
    Connection,
    ConnectionLost,
    EngineConfig,
    Event,
    Message,
    ProtocolViolation,
    Role,
    State,
    Statistics,
)
from .sockets import LinkError, open_socket, reverse_path_hint

__all__ = ["LinkError", "LinkStatistics", "UdpLink"]

_log = logging.getLogger(__name__)

_BATCH = 64
"""Datagrams read in one loop turn before timers get a chance."""


@dataclass(slots=True)
class LinkStatistics:
    """What the socket saw; the connection's own counters are ``UdpLink.statistics``."""

    foreign: int = 0
    """Datagrams from another address than the robot's, ignored."""
    send_errors: int = 0
    """Datagrams the operating system did not take."""
    last_receive: float | None = None
    """Loop time of the last datagram of the robot, seconds."""


class UdpLink:
    """The engine's end of a connection to one robot.

    Lives in one asyncio loop; every method is called there. ``on_event(event, now)`` gets each
    event of the connection with the loop time in seconds at which its datagram arrived.
    """

    def __init__(
        self,
        address: str,
        port: int,
        on_event: Callable[[Event, float], None],
        *,
        network_interface: str = "",
        config: EngineConfig | None = None,
        tap: Callable[[bool, bytes, float], object] | None = None,
    ) -> None:
        """Prepare a link to ``address``:``port``; ``open`` takes a socket.

        ``tap(to_robot, datagram, now)`` gets a copy of what is sent and received, for a trace.
        """
        self.address, self.port = address, port
        self.network_interface = network_interface
        self.socket_statistics = LinkStatistics()
        self._on_event = on_event
        self.tap = tap
        """May be set at any time."""
        self._connection = Connection(Role.ENGINE, engine=config)
        self._socket: socket.socket | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._progress = asyncio.Event()
        self._is_answered = False
        self._explained_send_error = 0
        self._pumping = False

    # -- socket

    def open(self) -> None:
        """Take a socket and listen. Raises ``LinkError`` with what to do.

        A socket at which the robot answered since the last error of sending is kept, because the
        robot knows its engine by the port for 5 s; otherwise it is replaced: adapter and address
        may be others by now.
        """
        is_answered, self._is_answered = self._is_answered, False
        if self._socket is not None and is_answered:
            return
        self.close()
        self._loop = asyncio.get_running_loop()
        self._socket = open_socket(self.address, self.port, self.network_interface)
        if self.network_interface and (
            hint := reverse_path_hint(self.address, self.network_interface)
        ):
            _log.warning("%s", hint)
        self._loop.add_reader(self._socket, self._readable)

    def close(self) -> None:
        if self._socket is None:
            return
        self.disconnect()
        self._cancel_timer()
        self._loop.remove_reader(self._socket)
        self._socket.close()
        self._socket = None

    # -- connection

    @property
    def is_connected(self) -> bool:
        return self._connection.state is State.CONNECTED

    @property
    def statistics(self) -> Statistics:
        return self._connection.statistics

    @property
    def waiting(self) -> int:
        return self._connection.waiting

    @property
    def room(self) -> int:
        """Messages that may be sent before one is refused with ``SendQueueFull``."""
        return self._connection.room

    def connect(self) -> None:
        """Ask the robot for a connection; ``Connected`` or ``Disconnected`` follows as an event."""
        self._connection.connect(self._loop.time())
        self._pump(self._loop.time())

    def disconnect(self) -> None:
        """End the connection at once; nothing is sent afterwards."""
        self._connection.disconnect(self._loop.time())
        self._pump(self._loop.time())

    def send(
        self,
        message: Message,
        *,
        is_urgent: bool = False,
        instead_of: Iterable[type[Message]] = (),
    ) -> int:
        """Send a message, in this loop turn if it may go now; return its ordinal.

        An urgent one goes before all that waits, ``instead_of`` what waits of these classes.
        Raises ``NotConnected``, ``EncodeError``, ``RefusedMessage`` or ``SendQueueFull``.
        """
        now = self._loop.time() if self.is_connected else 0.0
        if instead_of:
            self._connection.discard(instead_of)
        ordinal = self._connection.send(message, now, is_urgent=is_urgent)
        self._pump(now)
        return ordinal

    def is_acknowledged(self, ordinal: int) -> bool:
        return self._connection.is_acknowledged(ordinal)

    async def acknowledged(self, ordinal: int) -> None:
        """Wait until the robot has acknowledged the message. Raises ``ConnectionLost``."""
        await self._until(lambda: self.is_acknowledged(ordinal))

    async def drained(self, limit: int = 0) -> None:
        """Wait until at most ``limit`` messages are unacknowledged. Raises ``ConnectionLost``."""
        await self._until(lambda: self._connection.waiting <= limit)

    async def _until(self, condition: Callable[[], bool]) -> None:
        while not condition() or not self.is_connected:
            if not self.is_connected:
                raise ConnectionLost("the connection ended before the robot acknowledged")
            self._progress.clear()
            await self._progress.wait()

    def _readable(self) -> None:
        for _ in range(_BATCH):
            if self._socket is None:
                # The last datagram made its receiver close the link.
                return
            try:
                datagram, source = self._socket.recvfrom(MAX_RECEIVED_FRAME + 1)
            except BlockingIOError:
                return
            except OSError as error:
                # ICMP errors of sent datagrams surface here; silence is judged by the connection.
                _log.debug("receiving from %s: %s", self.address, error)
                return
            now = self._loop.time()
            if source != (self.address, self.port):
                self.socket_statistics.foreign += 1
                continue
            self.socket_statistics.last_receive = now
            self._is_answered = True
            if self.tap is not None:
                self.tap(False, datagram, now)
            self._connection.receive(datagram, now)
            self._pump(now)

    def _pump(self, now: float) -> None:
        """Hand on events, send what is due, arm the timer; the one way through the connection.

        What an event handler sends is sent here after the handler, in the same loop turn.
        """
        if self._pumping:
            return
        self._pumping = True
        try:
            while (event := self._connection.next_event()) is not None:
                if isinstance(event, ProtocolViolation):
                    _log.warning("robot %s broke the protocol: %s", self.address, event.detail)
                self._on_event(event, now)
            for datagram in self._connection.datagrams_to_send(now):
                self._transmit(datagram)
        finally:
            self._pumping = False
        self._progress.set()
        self._arm()

    def _transmit(self, datagram: bytes) -> None:
        if self._socket is None:
            return
        if self.tap is not None:
            self.tap(True, datagram, self._loop.time())
        try:
            self._socket.sendto(datagram, (self.address, self.port))
        except OSError as error:
            # As good as lost on the air: what matters is resent, or the link times out.
            self.socket_statistics.send_errors += 1
            if error.errno == errno.EAGAIN:
                return
            self._is_answered = False
            if error.errno != self._explained_send_error:
                self._explained_send_error = error.errno or 0
                _log.warning("sending to %s: %s", self.address, error.strerror)

    def _arm(self) -> None:
        due = self._connection.next_timer()
        if due is None or self._socket is None:
            self._cancel_timer()
            return
        if self._timer is not None:
            if self._timer.when() == due:
                return
            self._timer.cancel()
        self._timer = self._loop.call_at(due, self._timer_due)

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _timer_due(self) -> None:
        assert self._timer is not None
        # The loop may call within its clock resolution too early; what was due is due.
        now = max(self._loop.time(), self._timer.when())
        self._timer = None
        self._connection.handle_timer(now)
        self._pump(now)
