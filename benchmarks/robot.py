"""An emulated robot in a process of its own that records when commands arrive.

``python -m benchmarks.robot --loss 0.01``: prints ``{"port": N}``, then at the end of its input
what it saw: times (monotonic clock, s) at which each SetAudioVolume first came over the wire, and
the values it delivered, in order.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from random import Random

from cozmo_driver.emulator.firmware import Firmware
from cozmo_driver.emulator.options import EmulatorOptions
from cozmo_driver.protocol import ProtocolError, messages
from cozmo_driver.protocol.frames import parse_frame


class RecordingRobot(asyncio.DatagramProtocol):
    """The firmware on UDP, with independent loss both ways."""

    def __init__(self, loss: float, seed: int) -> None:
        """Lose this share of the datagrams, by the seed."""
        self._loop = asyncio.get_running_loop()
        self._firmware = Firmware(
            EmulatorOptions(seed=seed, calibration_time=0.0), self._loop.time()
        )
        self._random = Random(seed)
        self._loss = loss
        self._peer: tuple[str, int] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self.arrivals: dict[int, float] = {}
        self.delivered: list[int] = []
        self._firmware.core.handle(
            messages.SetAudioVolume, lambda message: self.delivered.append(message.volume)
        )

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self._transport = transport

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        """Record, then maybe lose, then handle a datagram."""
        now = self._loop.time()
        self._record(data, now)
        if self._random.random() < self._loss:
            return
        self._peer = addr
        self._firmware.receive(data, now)
        self._pump()

    def _record(self, data: bytes, now: float) -> None:
        try:
            for sub in parse_frame(data).sub_messages():
                if sub.payload[:1] == b"\x64":
                    self.arrivals.setdefault(int.from_bytes(sub.payload[1:3], "little"), now)
        except ProtocolError:
            return

    def _pump(self) -> None:
        now = self._loop.time()
        for datagram in self._firmware.datagrams_to_send(now):
            if self._peer and self._random.random() >= self._loss:
                self._transport.sendto(datagram, self._peer)  # type: ignore[attr-defined]
        due = self._firmware.next_timer()
        if self._timer is not None:
            self._timer.cancel()
        if due is not None:
            self._timer = self._loop.call_at(due, self._pump)


async def _main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--loss", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    loop = asyncio.get_running_loop()
    transport, robot = await loop.create_datagram_endpoint(
        lambda: RecordingRobot(args.loss, args.seed), local_addr=("127.0.0.1", 0)
    )
    print(json.dumps({"port": transport.get_extra_info("sockname")[1]}), flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    print(json.dumps({"arrivals": robot.arrivals, "delivered": robot.delivered}), flush=True)
    transport.close()


if __name__ == "__main__":
    asyncio.run(_main())
