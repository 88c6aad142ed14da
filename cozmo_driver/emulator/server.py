"""The emulator on UDP: one socket, one timer, one engine at a time."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

from .body import Pose2D
from .commands import perform
from .core import Schedule
from .firmware import EmulatorState, Firmware
from .ground_truth import GroundTruth, ground_truth
from .options import EmulatorOptions, ImpairmentOptions
from .wifi import Wifi, WifiOptions
from .world import World

DEFAULT_HOST, DEFAULT_PORT = "127.0.0.1", 5551
_LATEST = 0.1
"""s that the robot catches up when its computer was busy; it does not run away for longer."""
_BATCH = 64
"""Datagrams read at once before anything else is due."""
Address = tuple[str, int]


class EmulatorServer:
    """Serves one emulated robot in the running asyncio loop. Not thread-safe."""

    def __init__(
        self,
        options: EmulatorOptions | None = None,
        *,
        host: str = DEFAULT_HOST,
        port: int = 0,
        uplink: ImpairmentOptions | None = None,
        downlink: ImpairmentOptions | None = None,
        wifi: WifiOptions | None = None,
        world: World | None = None,
        speed: float = 1.0,
    ) -> None:
        """Describe the robot and the link to it; port 0 takes a free one.

        ``uplink`` is the way to the robot, ``downlink`` the way from it, ``wifi`` what does
        something to both at once; ``world`` may be shared by several, None is an endless floor;
        ``speed`` is how fast its time passes.
        """
        if not 0.1 <= speed <= 100.0:
            raise ValueError(f"EmulatorServer.speed is {speed}; it is from 0.1 to 100")
        options = options or EmulatorOptions()
        self.world = world or World(seed=options.seed, ideal=options.ideal)
        self._speed = speed
        self._where: Pose2D | None = None
        """Where the robot was when it was switched off."""
        self.host = host
        self.port = port
        self.options = options
        self.peer: Address | None = None
        self.foreign_datagrams = 0
        self.lost_time = 0.0
        """s that the robot did not live through, because its computer was busy."""
        self.on_change: Callable[[], None] = lambda: None
        """Called after every datagram and timer."""
        self._impairments = {
            "uplink": uplink or ImpairmentOptions(),
            "downlink": downlink or ImpairmentOptions(),
        }
        self._wifi_options = wifi
        self._socket: socket.socket | None = None
        self._timer: asyncio.TimerHandle | None = None

    async def start(self) -> None:
        """Switch the robot on and listen. Raises ``OSError``.

        Switched off and on again it is where it was. Raises ``ValueError`` if the world is full.
        """
        self._loop = asyncio.get_running_loop()
        self._zero = self._robot_zero = self._loop.time()
        seed = self.options.seed
        self.firmware = Firmware(self.options, self._zero, self.world, self._where)
        if self.firmware.camera.eye is not None:
            self.firmware.camera.eye.prepare()
        self._up = Impairment(self._impairments["uplink"], seed, "uplink")
        self._down = Impairment(self._impairments["downlink"], seed, "downlink")
        wifi = self._wifi_options
        self._wifi = None if wifi is None else Wifi(wifi, seed, self._zero)
        self._deliveries = Schedule()
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        try:
            self._socket.bind((self.host, self.port))
        except OSError as error:
            self._socket.close()
            self._socket = None
            self.firmware.place.leave()
            where = f"UDP port {self.port} of {self.host}"
            raise OSError(error.errno, f"{where}: {error.strerror or error}") from error
        self.port = self._socket.getsockname()[1]
        self._loop.add_reader(self._socket, self._read)

    async def stop(self) -> None:
        """Switch the robot off: it falls silent at once and the port is free."""
        if self._socket is None:
            return
        self._loop.remove_reader(self._socket)
        self._socket.close()
        self._socket = None
        if self._timer is not None:
            self._timer.cancel()
        self.peer = None
        self._where = self.firmware.body.world_pose
        self.firmware.place.leave()

    def state(self) -> EmulatorState:
        """Return what is the case now; once stopped, what was the case last."""
        snapshot = self.firmware.snapshot(self._now())
        return replace(snapshot, foreign_datagrams=self.foreign_datagrams)

    def truth(self) -> GroundTruth:
        """Return where everything is now; once stopped, where it was last."""
        self._live()
        return ground_truth(self.firmware)

    def control(self, request: object) -> dict[str, Any]:
        """Carry out a request of ``commands.py`` now. Raises ``CommandRefused``."""
        self._live()
        answer = perform(self.firmware, request)
        self._work()
        return answer

    # -- inside

    def _now(self) -> float:
        """Return the robot's time, which passes ``speed`` times as fast as the loop's.

        It stops when the robot is switched off, and where what is due would be late.
        """
        if self._socket is None:
            return self.firmware.core.now
        now = self._robot_zero + (self._loop.time() - self._zero) * self._speed
        due = self._due()
        if due is not None and (skipped := now - due - _LATEST * self._speed) > 0.0:
            self._robot_zero -= skipped
            self.lost_time += skipped
            self.firmware.core.skip_clock(skipped)
            now -= skipped
        return now

    def _live(self) -> float:
        """Let the robot do what is due, and return its time.

        What comes in one turn comes at one time: pictures are drawn once for all of it.
        """
        now = self._now()
        self.firmware.handle_timer(now)
        return now

    def _due(self) -> float | None:
        times = (self.firmware.next_timer(), self._deliveries.next_time())
        return min((time for time in times if time is not None), default=None)

    def _read(self) -> None:
        """Read all that has come: one in a turn is too few where pictures fill the time."""
        now, wifi = self._live(), self._wifi
        for _ in range(_BATCH):
            if self._socket is None:
                return
            try:
                data, source = self._socket.recvfrom(0x10000)
            except BlockingIOError:
                break
            except OSError:
                # An engine that has gone makes the socket report errors; the robot does not care.
                continue
            sent = now if wifi is None else wifi.to_robot(now, self.firmware.connected)
            if sent is not None:
                self._deliver(self._up, data, partial(self._receive, source), sent)
        self._work()

    def _deliver(
        self, link: Impairment, datagram: bytes, receive: Callable[[bytes], None], sent: float
    ) -> None:
        now = self.firmware.core.now
        for arrival, copy in link.pass_through(datagram, sent):
            if arrival <= now:
                receive(copy)
            else:
                self._deliveries.at(arrival, partial(receive, copy))

    def _receive(self, source: Address, datagram: bytes) -> None:
        """While an engine is connected, others are ignored (spec 01 §1)."""
        if self.peer is not None and source != self.peer and self.firmware.connected:
            self.foreign_datagrams += 1
            return
        self.firmware.receive(datagram, self.firmware.core.now)
        self.peer = source
        if not self.firmware.connected:
            # What is left for an engine that has gone is not for the next one.
            self.firmware.datagrams_to_send(self.firmware.core.now)
            self.peer = None

    def _work(self) -> None:
        if self._socket is None:
            return
        now = self._live()
        while (deliver := self._deliveries.pop_due(now)) is not None:
            deliver()
        peer = self.peer
        for datagram in self.firmware.datagrams_to_send(now):
            sent = now if self._wifi is None else self._wifi.to_engine(now)
            if sent is not None:
                self._deliver(self._down, datagram, partial(self._send, peer), sent)
        if not self.firmware.connected:
            self.peer = None
        self._set_timer()
        self.on_change()

    def _send(self, peer: Address | None, datagram: bytes) -> None:
        if self._socket is not None and peer is not None:
            # What finds no room, or no engine, is lost.
            with contextlib.suppress(OSError):
                self._socket.sendto(datagram, peer)

    def _set_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if (due := self._due()) is not None:
            at = self._zero + (due - self._robot_zero) / self._speed
            self._timer = self._loop.call_at(at, self._work)


class Impairment:
    """One direction of the link, sans-I/O.

    What happens to the n-th datagram depends on the seed and on n only.
    """

    def __init__(self, options: ImpairmentOptions, seed: int, direction: str) -> None:
        self.options = options
        self._random = Random(f"{seed} {direction}")

    def pass_through(self, datagram: bytes, now: float) -> list[tuple[float, bytes]]:
        """Return when the datagram and its copies arrive: ``(time, datagram)``, none if lost."""
        options = self.options
        # Five numbers for each datagram, used or not, so that its fate does not depend on others'.
        lose, copy, swap, hold, copy_hold = (self._random.random() for _ in range(5))
        if lose < options.loss:
            return []
        arrival = now + options.latency
        arrivals = [(arrival, datagram)]
        if swap < options.reorder:
            arrivals = [(arrival + hold * options.hold, datagram)]
        if copy < options.duplicate:
            arrivals.append((arrival + copy_hold * options.hold, datagram))
        return arrivals
