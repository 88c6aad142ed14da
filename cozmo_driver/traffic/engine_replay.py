"""The engine's side of a recorded session, said again to a robot over a connection of its own."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from ..link import UdpLink, within
from ..protocol import (
    Connected,
    ConnectionLost,
    Disconnected,
    DisconnectReason,
    Event,
    Message,
    MessageReceived,
    NotConnected,
    SendQueueFull,
    spec_of,
)
from ..protocol.enums import NVOperation
from ..protocol.messages import (
    AbortAnimation,
    NVCommand,
    OtaWrite,
    ShutdownRobot,
    StopAllMotors,
    WiFiOff,
)
from .errors import TrafficError
from .network import Endpoint
from .timeline import TimedMessage

_WITHHELD = (OtaWrite, ShutdownRobot, WiFiOff)
_FAREWELL = 0.5


@dataclass(slots=True)
class ReplayReport:
    """What a replay did, by names of messages."""

    sent: Counter[str] = field(default_factory=Counter)
    withheld: Counter[str] = field(default_factory=Counter)
    """Not sent, because it writes to the robot's flash, switches it off or can harm it."""
    received: Counter[str] = field(default_factory=Counter)


def is_withheld(message: Message) -> bool:
    """Tell whether a message of a recording is never said again to a robot."""
    if spec_of(message).never_send or isinstance(message, _WITHHELD):
        return True
    return isinstance(message, NVCommand) and message.op != NVOperation.READ


class EngineReplay:
    """Plays timelines to one robot, one after the other."""

    def __init__(self, robot: Endpoint, speed: float = 1.0, network_interface: str = "") -> None:
        """Prepare; ``speed`` is how many times as fast as it was recorded."""
        self.report = ReplayReport()
        self._robot = robot
        self._speed = speed
        self._link = UdpLink(*robot, self._on_event, network_interface=network_interface)
        self._changed = asyncio.Event()
        self._reason: DisconnectReason | None = None

    async def play(self, timeline: Iterator[TimedMessage]) -> None:
        """Connect, say everything at its time, leave the robot still and disconnect.

        Raises ``TrafficError`` when there is no robot, it is lost or the recording is damaged.
        """
        first = next(timeline)
        self._link.open()
        try:
            await self._connect()
            await self._say_all(first, timeline)
        except (ConnectionLost, NotConnected):
            raise TrafficError(f"{self._robot}: the connection is gone: {self._why()}") from None
        finally:
            await self._leave()

    def _on_event(self, event: Event, _now: float) -> None:
        if isinstance(event, MessageReceived):
            self.report.received[type(event.message).__name__] += 1
        elif isinstance(event, Disconnected):
            self._reason = event.reason
            self._changed.set()
        elif isinstance(event, Connected):
            self._changed.set()

    def _why(self) -> str:
        return self._reason.value if self._reason is not None else "unknown"

    async def _connect(self) -> None:
        self._reason = None
        self._changed.clear()
        self._link.connect()
        await self._changed.wait()
        if not self._link.is_connected:
            raise TrafficError(f"no robot at {self._robot}: {self._why()}")
        self._changed.clear()

    async def _say_all(self, first: TimedMessage, rest: Iterator[TimedMessage]) -> None:
        begin = asyncio.get_running_loop().time()
        one: TimedMessage | None = first
        while one is not None:
            await self._until(begin + one.seconds / self._speed)
            if one.message is not None:
                await self._say(one.message)
            one = next(rest, None)
        await self._link.drained()

    async def _until(self, time: float) -> None:
        delay = time - asyncio.get_running_loop().time()
        with suppress(TimeoutError):
            if delay > 0:
                await within(delay, self._changed.wait())
        if self._changed.is_set():
            raise ConnectionLost

    async def _say(self, message: Message) -> None:
        name = type(message).__name__
        if is_withheld(message):
            self.report.withheld[name] += 1
            return
        try:
            self._link.send(message)
        except SendQueueFull:
            await self._link.drained(self._link.waiting - 1)
            self._link.send(message)
        self.report.sent[name] += 1

    async def _leave(self) -> None:
        if self._link.is_connected:
            with suppress(ConnectionLost, NotConnected, SendQueueFull, TimeoutError):
                self._link.send(StopAllMotors())
                self._link.send(AbortAnimation())
                await within(_FAREWELL, self._link.drained())
        self._link.close()
