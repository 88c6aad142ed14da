"""Speak to the robot in single messages, below everything that makes it easy.

python3 examples/python/raw_messages.py --robot 127.0.0.1
"""

from __future__ import annotations

import asyncio
from argparse import ArgumentParser

from cozmo_driver.link import UdpLink
from cozmo_driver.protocol import Connected, Disconnected, Event, MessageReceived, messages


async def main(address: str, port: int) -> None:
    """Set the volume a hundred times, each time reliably."""
    answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

    def take(event: Event, _: float) -> None:
        if isinstance(event, MessageReceived):
            print(type(event.message).__name__)
        elif not answer.done():
            answer.set_result(isinstance(event, Connected))
        if isinstance(event, Disconnected):
            print(f"disconnected: {event.reason.name}")

    link = UdpLink(address, port, take)
    link.open()
    try:
        link.connect()
        if not await answer:
            return
        for volume in range(100):
            link.send(messages.SetAudioVolume(volume))
            await link.drained(limit=10)
        await link.drained()
        print(link.statistics)
    finally:
        link.close()


if __name__ == "__main__":
    parser = ArgumentParser(description=main.__doc__)
    parser.add_argument("--robot", default="172.31.1.1", metavar="ADDRESS[:PORT]")
    address, _, port = parser.parse_args().robot.partition(":")
    asyncio.run(main(address, int(port or 5551)))
