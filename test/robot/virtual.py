"""A robot and an emulated one in virtual time: both real, joined by a wire without a network.

Time jumps to the next timer, so that a minute takes milliseconds and every run is the same.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import inspect
from collections import deque

import pytest

from cozmo_driver import virtual_time
from cozmo_driver.emulator import EmulatorOptions, Firmware
from cozmo_driver.emulator.core import Schedule
from cozmo_driver.emulator.wifi import WIFI, Wifi
from cozmo_driver.link import Backoff, udp
from cozmo_driver.robot import CameraOptions, Phase, Robot, RobotOptions

_LATENCY = 0.002
_ROUNDING = 1e-6
_LOOK = 0.01
TIMEOUT = 120.0
"""Virtual seconds after which what is awaited will not come."""


class VirtualLoop(virtual_time.VirtualLoop):
    """A loop in virtual time whose only socket is a ``Wire``."""

    def __init__(self):
        super().__init__(1000.0)

    def add_reader(self, fd, callback, *args):
        if isinstance(fd, Wire):
            fd.callback = callback
        else:
            super().add_reader(fd, callback, *args)

    def remove_reader(self, fd):
        if isinstance(fd, Wire):
            fd.callback = None
            return True
        return super().remove_reader(fd)

    def run_in_executor(self, executor, func, *args):
        """Do the work at once: time must not run away while a thread does it."""
        done = self.create_future()
        try:
            done.set_result(func(*args))
        except Exception as error:
            done.set_exception(error)
        return done


class Stall:
    """A Wi-Fi that holds back until ``end`` what goes to the robot, and what comes, too."""

    def __init__(self, end, *, both_ways=True):
        self.end, self.both_ways = end, both_ways

    def to_robot(self, now, is_connected):
        return max(now, self.end) + _LATENCY

    def to_engine(self, now):
        return (max(now, self.end) if self.both_ways else now) + _LATENCY


class Wire:
    """The engine's socket, with the emulated robot at its other end."""

    def __init__(self, loop, **options):
        self.loop = loop
        self.is_cut = False
        """Whether every datagram is lost."""
        self.is_lost = lambda datagram: False
        """Decides which datagrams are lost, in both directions."""
        self.options = options
        self.callback = None
        self.log = []
        """Every message the robot received, with its time."""
        self._inbox = deque()
        # Timers of the same time may come in any order, datagrams do not.
        self._deliveries = Schedule()
        self._timer = None
        wifi = self.options.pop("wifi", "")
        self.wifi = Wifi(WIFI[wifi], options.get("seed", 0), loop.time()) if wifi else None
        self.restart()

    def restart(self):
        """Switch the robot on, having forgotten everything."""
        options = dict(self.options)
        make_world = options.pop("world", lambda: None)
        self.firmware = Firmware(EmulatorOptions(**options), self.loop.time(), make_world())
        dispatch = self.firmware.core._dispatch

        def record(message):
            self.log.append((self.loop.time(), message))
            dispatch(message)

        self.firmware.core._dispatch = record

    @property
    def cubes(self):
        return self.firmware.cubes

    def received(self, *classes):
        """Return the messages of some classes that the robot received."""
        return [message for _, message in self.log if isinstance(message, classes)]

    def wake(self):
        """Let the robot go on at once, after something was done to it."""
        now = self.loop.time()
        for datagram in self.firmware.datagrams_to_send(now):
            at = now + _LATENCY if self.wifi is None else self.wifi.to_engine(now)
            self._send(datagram, at, self._arrive)
        if self._timer is not None:
            self._timer.cancel()
        due = self.firmware.next_timer()
        self._timer = None if due is None else self.loop.call_at(due, self.wake)

    def _send(self, datagram, at, arrive):
        if at is not None and not self.is_cut and not self.is_lost(datagram):
            self._deliveries.at(at, functools.partial(arrive, datagram))
            self.loop.call_at(at, self._deliver)

    def _deliver(self):
        while (deliver := self._deliveries.pop_due(self.loop.time() + _ROUNDING)) is not None:
            deliver()

    def _arrive(self, datagram):
        self._inbox.append(datagram)
        if self.callback is not None:
            self.callback()

    def _reach_robot(self, datagram):
        self.firmware.receive(datagram, self.loop.time())
        self.wake()

    # -- what a socket has

    def sendto(self, datagram, address):
        now = self.loop.time()
        at = now + _LATENCY
        if self.wifi is not None:
            at = self.wifi.to_robot(now, self.firmware.connected)
        self._send(datagram, at, self._reach_robot)

    def recvfrom(self, size):
        if not self._inbox:
            raise BlockingIOError
        return self._inbox.popleft(), ("127.0.0.1", 5551)

    def close(self):
        self._inbox.clear()


class World:
    """A connected robot, the wire to it, and how to await what it does."""

    def __init__(self, loop, emulator, options):
        self.wire = Wire(loop, **emulator)
        options.setdefault("camera", CameraOptions(enabled=False))
        options.setdefault("calibration_directory", None)
        options.setdefault("backoff", Backoff(0.1, 2.0, 1.0))
        self.robot = Robot(RobotOptions("127.0.0.1", 5551, **options))
        self.loop = loop

    @property
    def firmware(self):
        return self.wire.firmware

    async def until(self, condition, timeout=TIMEOUT):
        """Wait until the condition holds; return what it gave."""
        deadline = self.loop.time() + timeout
        while not (result := condition()):
            if self.loop.time() > deadline:
                raise TimeoutError(f"{inspect.getsource(condition).strip()} did not come")
            await asyncio.sleep(_LOOK)
        return result

    async def pass_time(self, seconds):
        """Let virtual time pass in which something must not happen, or goes on."""
        await asyncio.sleep(seconds)

    async def stall(self, seconds, *, is_lost):
        """Let nothing come from the robot for some s; what it sent is lost or comes all at once."""
        wire, read = self.wire, self.wire.callback
        wire.is_cut, wire.callback = is_lost, None
        await self.pass_time(seconds)
        wire.is_cut, wire.callback = False, read
        read()

    async def connected(self):
        await self.until(lambda: self.robot.session_state.phase is Phase.CONNECTED)

    async def reconnect(self, *, restart=False):
        """Lose the link for longer than both ends wait, then have it back."""
        async with self.without_link():
            if restart:
                self.wire.restart()

    @contextlib.asynccontextmanager
    async def without_link(self):
        """Lose the link; the block begins when both ends know, and the robot is back after it."""
        self.wire.is_cut = True
        await self.until(lambda: self.robot.session_state.phase is not Phase.CONNECTED)
        await self.until(lambda: not self.firmware.connected)
        yield
        self.wire.is_cut = False
        await self.connected()


def in_virtual_time(emulator=None, **options):
    """Make a test of ``async def test(world, ...)``: with a connected robot in virtual time."""

    def decorate(scenario):
        signature = inspect.signature(scenario)

        @functools.wraps(scenario)
        def test(**arguments):
            loop = VirtualLoop()
            with pytest.MonkeyPatch.context() as patch:
                try:
                    world = World(loop, emulator or {}, dict(options))
                    patch.setattr(udp, "open_socket", lambda *_: world.wire)
                    loop.run_until_complete(_live(world, scenario, arguments))
                finally:
                    loop.close()

        del test.__wrapped__
        _world, *others = signature.parameters.values()
        test.__signature__ = signature.replace(parameters=others)
        return test

    return decorate


async def _live(world, scenario, arguments):
    await world.robot.start()
    try:
        await world.connected()
        await scenario(world, **arguments)
    finally:
        await world.robot.stop()
        if world.wire._timer is not None:
            world.wire._timer.cancel()


def record(signal):
    """Return the list that every value of a signal from now on goes into."""
    values = []
    signal.connect(values.append)
    return values
