"""A UDP relay between driver and emulator that keeps what passes."""

from __future__ import annotations

import select
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from cozmo_driver.protocol import Message, decode_message
from cozmo_driver.protocol.frames import (
    CONTAINER_TYPES,
    MAX_RECEIVED_FRAME,
    FrameType,
    parse_frame,
)

_MESSAGE_TYPES = (FrameType.SINGLE_RELIABLE, FrameType.SINGLE_UNRELIABLE)


class Relay:
    """Passes datagrams on and records them, each way."""

    def __init__(self, robot_port: int) -> None:
        self._robot = ("127.0.0.1", robot_port)
        self._front, self._back, self._wake, self._waker = (
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(4)
        )
        for sock in (self._front, self._back, self._wake):
            sock.bind(("127.0.0.1", 0))
        self.port = int(self._front.getsockname()[1])
        self.is_deaf = False
        """Whether commands are lost, and only pings reach the robot."""
        self.to_robot: list[bytes] = []
        self.from_robot: list[bytes] = []
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def close(self) -> None:
        self._waker.sendto(b"", self._wake.getsockname())
        self._thread.join()
        for sock in (self._front, self._back, self._wake, self._waker):
            sock.close()

    def _run(self) -> None:
        driver = None
        while True:
            ready, _, _ = select.select([self._front, self._back, self._wake], [], [])
            if self._wake in ready:
                return
            if self._front in ready:
                datagram, driver = self._front.recvfrom(MAX_RECEIVED_FRAME)
                self.to_robot.append(datagram)
                if self.is_deaf and messages_in([datagram]):
                    continue
                self._back.sendto(datagram, self._robot)
            if self._back in ready:
                datagram = self._back.recv(MAX_RECEIVED_FRAME)
                self.from_robot.append(datagram)
                if driver is not None:
                    self._front.sendto(datagram, driver)


@contextmanager
def running_relay(robot_port: int) -> Iterator[Relay]:
    """Relay to a robot on this computer for the time of a ``with`` block."""
    relay = Relay(robot_port)
    try:
        yield relay
    finally:
        relay.close()


def messages_in(datagrams: list[bytes]) -> list[Message]:
    """Return every message in datagrams, repetitions included."""
    return [
        decode_message(sub.payload)
        for datagram in datagrams
        for sub in parse_frame(datagram).sub_messages()
        if sub.type in _MESSAGE_TYPES
    ]


def is_goodbye(datagram: bytes) -> bool:
    frame = parse_frame(datagram)
    kinds = (
        [sub.type for sub in frame.sub_messages()]
        if frame.type in CONTAINER_TYPES
        else [frame.type]
    )
    return FrameType.DISCONNECT_REQUEST in kinds
