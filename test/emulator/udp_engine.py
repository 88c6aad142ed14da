"""An engine on a real socket, driven by the test itself."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from typing import TypeVar

from cozmo_driver.protocol import (
    Connected,
    Connection,
    Disconnected,
    Event,
    Message,
    MessageReceived,
    Role,
)
from cozmo_driver.protocol.messages import GetManufacturingInfo, SyncTime

_Kind = TypeVar("_Kind", bound=Message)


class UdpEngine:
    """Connects to 127.0.0.1; time passes only inside ``run_until``."""

    def __init__(self, port: int) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self._peer = ("127.0.0.1", port)
        self.connection = Connection(Role.ENGINE)
        self.events: list[Event] = []

    def __enter__(self) -> UdpEngine:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def run_until(self, condition: Callable[[], bool], timeout: float = 60.0) -> None:
        """Exchange datagrams until the condition holds. Raises ``TimeoutError``."""
        end = time.monotonic() + timeout
        while not condition():
            now = time.monotonic()
            if now > end:
                raise TimeoutError(f"not within {timeout} s; the last events: {self.events[-5:]}")
            self.connection.handle_timer(now)
            self._flush(now)
            due = self.connection.next_timer()
            wait = 0.02 if due is None else min(max(due - now, 0.0005), 0.02)
            self._socket.settimeout(wait)
            try:
                datagram, source = self._socket.recvfrom(2048)
            except (TimeoutError, BlockingIOError):
                pass
            else:
                if source == self._peer:
                    self.connection.receive(datagram, time.monotonic())
            while (event := self.connection.next_event()) is not None:
                self.events.append(event)

    def connect(self) -> None:
        # What is left of an earlier connection is no answer to this one.
        while self.connection.next_event() is not None:
            pass
        self.events.clear()
        self.connection.connect(time.monotonic())
        self.run_until(lambda: any(isinstance(e, Connected | Disconnected) for e in self.events))

    def start(self) -> None:
        """Connect and synchronise the clock, which makes the robot calibrate and report."""
        self.connect()
        self.send(GetManufacturingInfo(), SyncTime())

    def send(self, *messages: Message) -> None:
        for message in messages:
            self.connection.send(message, time.monotonic())

    def disconnect(self) -> None:
        self.connection.disconnect(time.monotonic())
        self._flush(time.monotonic())

    def send_raw(self, datagram: bytes) -> None:
        self._socket.sendto(datagram, self._peer)

    def got(self, kind: type[_Kind]) -> list[_Kind]:
        return [
            event.message
            for event in self.events
            if isinstance(event, MessageReceived) and isinstance(event.message, kind)
        ]

    def _flush(self, now: float) -> None:
        for datagram in self.connection.datagrams_to_send(now):
            self.send_raw(datagram)
