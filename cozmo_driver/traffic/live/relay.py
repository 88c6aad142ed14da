"""A relay between one engine and one robot, with a tap."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Callable
from typing import Any

from ...link import open_socket
from ...protocol import FrameType, ProtocolError, parse_frame
from ..endpoint import Endpoint, TrafficError

_TIMEOUT = 5.0
"""Seconds of silence after which a robot drops its engine, so that another may take its place, and
an engine its robot."""

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
        self._received_at = self._answered_at = 0.0
        self._renewing: asyncio.Task[None] | None = None

    async def start(self, listen_on: Endpoint) -> Endpoint:
        """Listen for the engine; return where. Raises ``TrafficError`` and ``OSError``."""
        self._loop = asyncio.get_running_loop()
        self._to_robot = await self._open()
        try:
            self._to_engine, where = await listen(
                _Port(self._from_engine), listen_on, "--listen takes another one"
            )
        except TrafficError:
            self._to_robot.close()
            raise
        return where

    async def _open(self) -> asyncio.DatagramTransport:
        """Take a socket towards the robot. Raises ``OSError``."""
        upstream = open_socket(self.robot.address, self.robot.port, self._network_interface)
        transport, _ = await self._loop.create_datagram_endpoint(
            lambda: _Port(self._from_robot), sock=upstream
        )
        self._answered_at = self._loop.time()
        return transport

    def close(self) -> None:
        if self._renewing is not None:
            self._renewing.cancel()
        self._to_robot.close()
        self._to_engine.close()

    def _from_engine(self, data: bytes, source: Endpoint) -> None:
        now = self._loop.time()
        if source != self._engine and self._engine and now - self._received_at < _TIMEOUT:
            return
        self._engine, self._received_at = source, now
        self._tap(source, self.robot, data)
        is_silent = now - self._answered_at > _TIMEOUT
        if is_silent and _holds(data, FrameType.CONNECTION_REQUEST):
            if self._renewing is None or self._renewing.done():
                self._renewing = self._loop.create_task(self._renew(data))
            return
        self._to_robot.sendto(data, self.robot)
        if _holds(data, FrameType.DISCONNECT_REQUEST):
            # Another engine may come at once; what the robot still sends is for nobody.
            self._engine = None

    async def _renew(self, request: bytes) -> None:
        """Ask the robot by another socket: adapter and address may be others by now."""
        try:
            transport = await self._open()
        except OSError:
            # There is no network to the robot; the engine asks again.
            return
        self._to_robot.close()
        self._to_robot = transport
        self._to_robot.sendto(request, self.robot)

    def _from_robot(self, data: bytes, source: Endpoint) -> None:
        if source != self.robot or self._engine is None:
            return
        self._answered_at = self._loop.time()
        self._tap(source, self._engine, data)
        self._to_engine.sendto(data, self._engine)


def _holds(data: bytes, kind: FrameType) -> bool:
    try:
        return any(sub.type == kind for sub in parse_frame(data).sub_messages())
    except ProtocolError:
        return False
