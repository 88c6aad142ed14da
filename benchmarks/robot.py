"""An emulated robot in a process of its own that records when commands arrive.

``python -m benchmarks.robot --loss 0.01``: prints ``{"port": N}``, then at the end of its input
what it saw: times (monotonic clock, s) at which each SetAudioVolume first came over the wire, those
of every StopAllMotors, and the volumes delivered, in order.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import socket
import struct
import sys
import time
from random import Random

from cozmo_driver.emulator.firmware import Firmware
from cozmo_driver.emulator.options import EmulatorOptions
from cozmo_driver.protocol import ProtocolError, messages
from cozmo_driver.protocol.frames import MAX_RECEIVED_FRAME, parse_frame

_SO_TIMESTAMPNS = 35
_TIMESPEC = struct.Struct("qq")
_VOLUME, _STOP = b"\x64", b"\x3b"


class RecordingRobot:
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
        self.stops: list[float] = []
        self.delivered: list[int] = []
        self._firmware.core.handle(
            messages.SetAudioVolume, lambda message: self.delivered.append(message.volume)
        )
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        # The kernel's time: this program may be busy with the robot.
        self._socket.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
        self._socket.bind(("127.0.0.1", 0))
        self.port = int(self._socket.getsockname()[1])
        self._loop.add_reader(self._socket, self._readable)

    def _readable(self) -> None:
        data, ancillary, _, self._peer = self._socket.recvmsg(
            MAX_RECEIVED_FRAME, socket.CMSG_SPACE(_TIMESPEC.size)
        )
        seconds, nanoseconds = _TIMESPEC.unpack(ancillary[0][2])
        age = time.time() - (seconds + nanoseconds * 1e-9)
        self._record(data, time.monotonic() - age)
        if self._random.random() >= self._loss:
            self._firmware.receive(data, self._loop.time())
            self._pump()

    def _record(self, data: bytes, at: float) -> None:
        try:
            subs = parse_frame(data).sub_messages()
        except ProtocolError:
            return
        for sub in subs:
            if sub.payload[:1] == _VOLUME:
                self.arrivals.setdefault(int.from_bytes(sub.payload[1:3], "little"), at)
            elif sub.payload[:1] == _STOP:
                self.stops.append(at)

    def _pump(self) -> None:
        now = self._loop.time()
        for datagram in self._firmware.datagrams_to_send(now):
            if self._peer and self._random.random() >= self._loss:
                self._socket.sendto(datagram, self._peer)
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
    robot = RecordingRobot(args.loss, args.seed)
    print(json.dumps({"port": robot.port}), flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    seen = {"arrivals": robot.arrivals, "stops": robot.stops, "delivered": robot.delivered}
    print(json.dumps(seen), flush=True)


if __name__ == "__main__":
    asyncio.run(_main())
