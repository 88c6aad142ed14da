"""A robot of which no states come, as in a Wi-Fi stall."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from cozmo_driver.emulator import RunningEmulator
from cozmo_driver.protocol import Message
from cozmo_driver.protocol.messages import RobotState


@contextmanager
def silence(emulator: RunningEmulator) -> Iterator[None]:
    """Let all but states leave the robot, until it is switched on again."""
    send = emulator.call(lambda firmware: firmware.core.send)

    def send_no_state(message: Message, *, hot: bool = False) -> None:
        if not isinstance(message, RobotState):
            send(message, hot=hot)

    emulator.call(lambda firmware: setattr(firmware.core, "send", send_no_state))
    try:
        yield
    finally:
        emulator.call(lambda firmware: vars(firmware.core).pop("send", None))
