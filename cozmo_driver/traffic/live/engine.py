"""Connections to a robot for measuring and replaying: awaited, without a session of the driver."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from typing import Any

from ...link import UdpLink, with_timeout
from ...protocol import (
    Connected,
    ConnectionLost,
    Direction,
    Disconnected,
    DisconnectReason,
    Event,
    Message,
    MessageReceived,
    NotConnected,
    NVOperation,
    all_specs,
    spec_of,
)
from ...protocol.messages import (
    AbortAnimation,
    NVCommand,
    OtaWrite,
    ShutdownRobot,
    StopAllMotors,
    WiFiOff,
)
from ..endpoint import Endpoint, TrafficError
from .replay import TimedMessage

_WITHHELD = (OtaWrite, ShutdownRobot, WiFiOff)
_FROM_ENGINE = tuple(
    spec.cls for spec in all_specs() if spec.direction is Direction.ENGINE_TO_ROBOT
)
_FAREWELL_TIMEOUT = 1.0


class EngineLink(UdpLink):
    """A link whose connection is awaited; ``options`` are those of ``UdpLink``."""

    def __init__(self, robot: Endpoint, **options: Any) -> None:
        super().__init__(*robot, self._handle, **options)
        self.robot = robot
        self.received: Counter[str] = Counter()
        """Messages of the robot, by name."""
        self.reason = ""
        """Why there is no connection any more."""
        self._changed = asyncio.Event()

    async def established(self) -> None:
        """Connect. Raises ``TrafficError`` when no robot answers, ``LinkError``."""
        self.open()
        self.reason = ""
        self._changed.clear()
        self.connect()
        await self._changed.wait()
        if not self.is_connected:
            raise TrafficError(self._no_robot())
        self._changed.clear()

    async def wait_until(self, time: float) -> None:
        """Wait until a time of the loop. Raises ``ConnectionLost`` as soon as it is."""
        delay = time - asyncio.get_running_loop().time()
        with suppress(TimeoutError):
            if delay > 0:
                await with_timeout(delay, self._changed.wait())
        if self._changed.is_set():
            raise ConnectionLost(self.reason)

    def _handle(self, event: Event, _now: float) -> None:
        if isinstance(event, MessageReceived):
            self.received[type(event.message).__name__] += 1
        elif isinstance(event, Connected | Disconnected):
            if isinstance(event, Disconnected):
                self.reason = event.reason.value
            self._changed.set()

    def _no_robot(self) -> str:
        if self.reason != DisconnectReason.NO_ANSWER.value:
            return f"{self.robot}: {self.reason}"
        if self.robot.address.startswith("127."):
            why = "is an emulator (cozmo emulator) running there, no other program connected?"
        else:
            why = (
                "is this computer in the robot's Wi-Fi (Cozmo_...), and is no other program "
                "connected to it?"
            )
        return f"no robot answers at {self.robot}; {why}"


def is_withheld(message: Message) -> bool:
    """Tell whether a message of a recording is never sent to a robot.

    That is what writes to its flash, switches it off or can harm it.
    """
    if spec_of(message).never_send or isinstance(message, _WITHHELD):
        return True
    return isinstance(message, NVCommand) and message.op != NVOperation.READ


class EngineReplay:
    """Sends recorded messages of an engine to one robot; counts them by name."""

    def __init__(self, robot: Endpoint, speed: float = 1.0, network_interface: str = "") -> None:
        """``speed`` is how many times as fast as it was recorded."""
        self.link = EngineLink(robot, network_interface=network_interface)
        self.sent: Counter[str] = Counter()
        self.withheld: Counter[str] = Counter()
        self._speed = speed

    async def play(self, timeline: Iterator[TimedMessage]) -> None:
        """Connect, send everything at its time, leave the robot still and disconnect.

        Raises ``TrafficError`` when there is no robot, it is lost or the recording is damaged.
        """
        first = next(timeline)
        try:
            await self.link.established()
            await self._send_all(first, timeline)
        except (ConnectionLost, NotConnected):
            reason = f"the connection is gone: {self.link.reason}"
            raise TrafficError(f"{self.link.robot}: {reason}") from None
        finally:
            await self._disconnect()

    async def _send_all(self, first: TimedMessage, rest: Iterator[TimedMessage]) -> None:
        started = asyncio.get_running_loop().time()
        for seconds, message in chain((first,), rest):
            await self.link.wait_until(started + seconds / self._speed)
            if message is not None:
                await self._send(message)
        await self.link.drained()

    async def _send(self, message: Message) -> None:
        name = type(message).__name__
        if is_withheld(message):
            self.withheld[name] += 1
            return
        while self.link.room <= 0:
            await self.link.drained(self.link.waiting - 1)
        self.link.send(message)
        self.sent[name] += 1

    async def _disconnect(self) -> None:
        if self.link.is_connected:
            with suppress(ConnectionLost, NotConnected, TimeoutError):
                # Of what waits nothing may happen after the stop.
                self.link.send(StopAllMotors(), is_urgent=True, instead_of=_FROM_ENGINE)
                self.link.send(AbortAnimation(), is_urgent=True)
                await with_timeout(_FAREWELL_TIMEOUT, self.link.drained())
        self.link.close()
