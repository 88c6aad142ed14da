"""A relay between one engine and one robot that hands a copy of everything to whoever records."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Callable
from typing import Any

from ..link.sockets import open_socket
from ..protocol import ProtocolError
from ..protocol.frames import FrameType, parse_frame
from .errors import TrafficError
from .network import Endpoint

_SILENCE = 5.0
"""Seconds after which a robot drops its engine, so that another may take its place."""

Tap = Callable[[Endpoint, Endpoint, bytes], None]
"""Gets source, destination and content of every datagram, as if there were no relay."""


class _Port(asyncio.DatagramProtocol):
    def __init__(self, received: Callable[[bytes, Endpoint], None]) -> None:
        self._received = received

    def datagram_received(self, data: bytes, addr: tuple[Any, ...]) -> None:
        self._received(data, Endpoint(addr[0], addr[1]))

    def error_received(self, exc: Exception) -> None:
        """An end that is not there makes the socket report errors; the other end times out."""


class Relay:
    """Passes datagrams on, unchanged; lives in one asyncio loop."""

    def __init__(self, robot: Endpoint, tap: Tap, network_interface: str = "") -> None:
        """Prepare a relay to ``robot``; ``start`` takes the sockets."""
        self.robot = robot
        self.foreign = 0
        """Datagrams of others than the engine and the robot, dropped."""
        self._tap = tap
        self._network_interface = network_interface
        self._engine: Endpoint | None = None
        self._heard_at = 0.0

    async def start(self, listen: Endpoint) -> Endpoint:
        """Listen for the engine; return where. Raises ``TrafficError`` and ``OSError``."""
        self._loop = asyncio.get_running_loop()
        upstream = open_socket(self.robot.address, self.robot.port, self._network_interface)
        self._to_robot, _ = await self._loop.create_datagram_endpoint(
            lambda: _Port(self._from_robot), sock=upstream
        )
        try:
            self._to_engine, _ = await self._loop.create_datagram_endpoint(
                lambda: _Port(self._from_engine), local_addr=listen
            )
        except OSError as error:
            self._to_robot.close()
            if error.errno != errno.EADDRINUSE:
                raise TrafficError(f"cannot listen on {listen}: {error.strerror}") from error
            raise TrafficError(f"port {listen} is in use; --listen takes another one") from None
        address, port = self._to_engine.get_extra_info("sockname")[:2]
        return Endpoint(address, port)

    def close(self) -> None:
        """Give the sockets back."""
        self._to_robot.close()
        self._to_engine.close()

    def _from_engine(self, data: bytes, source: Endpoint) -> None:
        now = self._loop.time()
        if source != self._engine and self._engine and now - self._heard_at < _SILENCE:
            self.foreign += 1
            return
        self._engine, self._heard_at = source, now
        self._tap(source, self.robot, data)
        self._to_robot.sendto(data, self.robot)
        if _says_goodbye(data):
            # Another engine may come at once; what the robot still says is for nobody.
            self._engine = None

    def _from_robot(self, data: bytes, source: Endpoint) -> None:
        if source != self.robot or self._engine is None:
            self.foreign += source != self.robot
            return
        self._tap(source, self._engine, data)
        self._to_engine.sendto(data, self._engine)


def _says_goodbye(data: bytes) -> bool:
    try:
        return any(
            sub.type == FrameType.DISCONNECT_REQUEST for sub in parse_frame(data).sub_messages()
        )
    except ProtocolError:
        return False
