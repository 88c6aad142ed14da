"""A relay between one engine and one robot, with a tap."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Callable
from typing import Any

from ...link import open_socket
from ...protocol import FrameType, ProtocolError, parse_frame
from ..endpoint import Endpoint, TrafficError

_ENGINE_TIMEOUT = 5.0
"""Seconds of silence after which a robot drops its engine, so that another may take its place."""

Tap = Callable[[Endpoint, Endpoint, bytes], None]
"""Gets source, destination and content of every datagram, as if there were no relay."""


async def listen(
    protocol: asyncio.DatagramProtocol, where: Endpoint, advice: str
) -> tuple[asyncio.DatagramTransport, Endpoint]:
    """Bind a UDP socket; return it and its address. Raises ``TrafficError``, with ``advice``."""
    loop = asyncio.get_running_loop()
    try:
        transport, _ = await loop.create_datagram_endpoint(lambda: protocol, local_addr=where)
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise TrafficError(f"cannot listen on {where}: {error.strerror}") from error
        raise TrafficError(f"port {where} is in use; {advice}") from None
    return transport, Endpoint(*transport.get_extra_info("sockname")[:2])


class _Port(asyncio.DatagramProtocol):
    def __init__(self, received: Callable[[bytes, Endpoint], None]) -> None:
        self._received = received

    def datagram_received(self, data: bytes, addr: tuple[Any, ...]) -> None:
        self._received(data, Endpoint(addr[0], addr[1]))

    def error_received(self, exc: Exception) -> None:
        """An end that is not there makes the socket report errors; the other end times out."""


class Relay:
    """Passes datagrams on, unchanged; those of others than the engine and the robot are dropped."""

    def __init__(self, robot: Endpoint, tap: Tap, network_interface: str = "") -> None:
        self.robot = robot
        self._tap = tap
        self._network_interface = network_interface
        self._engine: Endpoint | None = None
        self._received_at = 0.0

    async def start(self, listen_on: Endpoint) -> Endpoint:
        """Listen for the engine; return where. Raises ``TrafficError`` and ``OSError``."""
        self._loop = asyncio.get_running_loop()
        upstream = open_socket(self.robot.address, self.robot.port, self._network_interface)
        self._to_robot, _ = await self._loop.create_datagram_endpoint(
            lambda: _Port(self._from_robot), sock=upstream
        )
        try:
            self._to_engine, where = await listen(
                _Port(self._from_engine), listen_on, "--listen takes another one"
            )
        except TrafficError:
            self._to_robot.close()
            raise
        return where

    def close(self) -> None:
        self._to_robot.close()
        self._to_engine.close()

    def _from_engine(self, data: bytes, source: Endpoint) -> None:
        now = self._loop.time()
        if source != self._engine and self._engine and now - self._received_at < _ENGINE_TIMEOUT:
            return
        self._engine, self._received_at = source, now
        self._tap(source, self.robot, data)
        self._to_robot.sendto(data, self.robot)
        if _disconnects(data):
            # Another engine may come at once; what the robot still sends is for nobody.
            self._engine = None

    def _from_robot(self, data: bytes, source: Endpoint) -> None:
        if source != self.robot or self._engine is None:
            return
        self._tap(source, self._engine, data)
        self._to_engine.sendto(data, self._engine)


def _disconnects(data: bytes) -> bool:
    try:
        return any(
            sub.type == FrameType.DISCONNECT_REQUEST for sub in parse_frame(data).sub_messages()
        )
    except ProtocolError:
        return False
