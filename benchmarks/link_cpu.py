"""CPU of an idle, connected link: protocol and link layers alone, 33 states/s coming in."""

from __future__ import annotations

import asyncio
import time

from cozmo_driver.emulator import running_emulator
from cozmo_driver.link import UdpLink, with_timeout
from cozmo_driver.protocol import Connected, Event, messages

from .rows import Row, limit_row

_SECONDS = 10.0


async def _idle(port: int) -> tuple[float, int]:
    """Return the CPU in % of a core and the states per second."""
    connected = asyncio.Event()
    states = 0

    def count(event: Event, now: float) -> None:
        nonlocal states
        if isinstance(event, Connected):
            connected.set()
        states += isinstance(getattr(event, "message", None), messages.RobotState)

    link = UdpLink("127.0.0.1", port, count)
    link.open()
    link.connect()
    await with_timeout(10.0, connected.wait())
    link.send(messages.SyncTime())
    await asyncio.sleep(3.0)
    before, start, states = time.thread_time(), time.monotonic(), 0
    await asyncio.sleep(_SECONDS)
    elapsed = time.monotonic() - start
    cpu = (time.thread_time() - before) / elapsed * 100.0
    link.close()
    return cpu, round(states / elapsed)


def rows() -> list[Row]:
    """Measure and return the rows of this section."""
    with running_emulator() as emulator:
        cpu, states = asyncio.run(_idle(emulator.port))
    return [limit_row(f"CPU of an idle link, {states} states/s", None, cpu, 1.0, "%")]
