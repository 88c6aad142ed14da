"""An engine and an emulated robot joined without a network, in made-up time."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TypeVar

from cozmo_driver.emulator import EmulatorOptions, EmulatorState, Firmware
from cozmo_driver.emulator.world import World
from cozmo_driver.media import mini_jpeg
from cozmo_driver.media.image_assembler import ImageAssembler
from cozmo_driver.protocol import Connection, Message, MessageReceived, Role
from cozmo_driver.protocol.messages import (
    AbsoluteLocalizationUpdate,
    GetManufacturingInfo,
    ImageChunk,
    RobotState,
    SyncTime,
)

_Kind = TypeVar("_Kind", bound=Message)
SWITCHED_ON = 1000.0


class Bench:
    """Drives both ends by their own timers; times are seconds since the robot was switched on."""

    def __init__(self, options: EmulatorOptions | None = None, world: World | None = None) -> None:
        self.now = SWITCHED_ON
        self.firmware = Firmware(options, self.now, world)
        self.engine = Connection(Role.ENGINE)
        self.received: list[tuple[float, Message]] = []
        """What the engine got, with the time of arrival."""
        self.frames: list[tuple[float, bytes]] = []
        """What the robot sent."""

    @property
    def time(self) -> float:
        return self.now - SWITCHED_ON

    @property
    def state(self) -> EmulatorState:
        return self.firmware.snapshot(self.now)

    def run(self, seconds: float) -> None:
        """Let time pass."""
        end = self.now + seconds
        while True:
            self._exchange()
            timers = (self.engine.next_timer(), self.firmware.next_timer())
            due = min((t for t in timers if t is not None), default=math.inf)
            if due > end:
                break
            # A timer of the past (something to be sent at once) costs no time.
            self.now = max(self.now, due)
            self.firmware.handle_timer(self.now)
            self.engine.handle_timer(self.now)
        self.now = end
        self._exchange()

    def send(self, *messages: Message) -> None:
        """Let the engine send messages; they arrive in the next ``run``."""
        for message in messages:
            self.engine.send(message, self.now)

    def connect(self) -> None:
        """Connect and let the robot say who it is."""
        self.engine.connect(self.now)
        self.run(0.1)

    def start(self) -> None:
        """Connect and do what an engine does to get a calibrated robot that reports its state."""
        self.connect()
        self.send(GetManufacturingInfo(), SyncTime(), AbsoluteLocalizationUpdate())
        self.run(2.0)
        self.forget()

    def forget(self) -> None:
        """Clear what was received so far."""
        self.received.clear()

    def got(self, kind: type[_Kind]) -> list[_Kind]:
        """Return the received messages of a kind."""
        return [message for _, message in self.received if isinstance(message, kind)]

    def times_of(self, kind: type[Message]) -> list[float]:
        """Return when messages of a kind arrived."""
        return [time for time, message in self.received if isinstance(message, kind)]

    def images(self) -> list[mini_jpeg.ImageArray]:
        """Return the images that the engine got whole."""
        assembler = ImageAssembler()
        whole = [assembler.add(chunk) for chunk in self.got(ImageChunk)]
        return [mini_jpeg.picture(mini_jpeg.to_jpeg(data)) for data in whole if data is not None]

    def last_state(self) -> RobotState:
        return self.got(RobotState)[-1]

    def _exchange(self) -> None:
        moved = True
        while moved:
            up = self.engine.datagrams_to_send(self.now)
            self._deliver_up(up)
            down = self.firmware.datagrams_to_send(self.now)
            for datagram in down:
                self.frames.append((self.time, datagram))
                self.engine.receive(datagram, self.now)
            while (event := self.engine.next_event()) is not None:
                if isinstance(event, MessageReceived):
                    self.received.append((self.time, event.message))
            moved = bool(up or down)

    def _deliver_up(self, datagrams: Iterable[bytes]) -> None:
        for datagram in datagrams:
            self.firmware.receive(datagram, self.now)


def started(options: EmulatorOptions | None = None, world: World | None = None) -> Bench:
    """Return a calibrated robot that is connected to an engine and reports its state."""
    bench = Bench(options, world)
    bench.start()
    return bench
