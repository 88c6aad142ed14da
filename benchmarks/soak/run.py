"""Runs a driver on an emulator behind a bad link, with a load, and collects what happens."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import wave
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import psutil
import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from cozmo_driver.emulator import running_emulator
from cozmo_driver.emulator.running import RunningEmulator
from cozmo_driver.ros.runtime import StopRequest, end_spinning, spin

from . import verdict
from .load import SOUND_RATE, Load
from .verdict import Finding

_Made = TypeVar("_Made")
_TIMEOUT = 120.0
_LONG_OUTAGE = 8.0
"""s; the driver notices after 5."""
_SOUND = 2.0
_MEGABYTE = 1e6


@dataclass(frozen=True, slots=True)
class Plan:
    """How long and how hard; times in s."""

    length: float = 600.0
    """Of having a link: a slow machine's outages are longer."""
    loss: float = 0.05
    wifi: str = ""
    """A profile of the emulator, on top of that."""
    first_outage: float = 20.0
    outage_period: float = 60.0


class Failure(RuntimeError):
    """The soak cannot go on; the text says why."""


@contextlib.contextmanager
def running_driver(port: int, namespace: str, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    words = ["-r", f"__ns:={namespace}"]
    for name, value in (("robot_address", "127.0.0.1"), ("robot_port", port)):
        words += ["-p", f"{name}:={value}"]
    with log.open("w") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "cozmo_driver.driver.node", "--ros-args", *words],
            stdout=file,
            stderr=subprocess.STDOUT,
            # The time of each line would make all of them different.
            env={**os.environ, "RCUTILS_CONSOLE_OUTPUT_FORMAT": "[{severity}] {message}"},
        )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextlib.contextmanager
def running_node(namespace: str, name: str, make: Callable[[Node], _Made]) -> Iterator[_Made]:
    """Make something on a node of its own that spins in a thread for the time of the block."""
    context = Context()
    rclpy.init(context=context, signal_handler_options=SignalHandlerOptions.NO)
    node = Node(name, namespace=namespace, context=context)
    made = make(node)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    end = node.create_guard_condition(end_spinning)
    thread = threading.Thread(target=spin, args=(executor, StopRequest()), name=name)
    thread.start()
    try:
        yield made
    finally:
        end.trigger()
        thread.join()
        executor.shutdown()
        node.destroy_node()
        context.try_shutdown()


@contextlib.contextmanager
def running_load(namespace: str) -> Iterator[Load]:
    """Ask everything of the driver in a namespace for the time of the block."""
    with tempfile.TemporaryDirectory(prefix="cozmo_load_") as folder:
        sound = Path(folder) / "sound.wav"
        _write_sound(sound)
        with running_node(namespace, "load", lambda node: Load(node, sound)) as load:
            yield load


def _write_sound(path: Path) -> None:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(SOUND_RATE)
        count = round(SOUND_RATE * _SOUND)
        file.writeframes(
            array("h", (8000 if n // 50 % 2 else -8000 for n in range(count))).tobytes()
        )


class _Soak:
    def __init__(
        self, plan: Plan, emulator: RunningEmulator, driver: subprocess.Popen[bytes], load: Load
    ) -> None:
        self._plan, self._emulator, self._driver, self._load = plan, emulator, driver, load
        self._usage = psutil.Process(driver.pid)
        self.sizes: list[tuple[float, float]] = []
        self.handles: list[int] = []
        self.outages: list[tuple[float, float]] = []
        self._start = 0.0

    def run(self, report: Callable[[str], None]) -> None:
        """Let it run for the time of the plan. Raises ``Failure``."""
        begin = time.monotonic()
        self._wait(self._is_ready, "the driver does not connect")
        self._start = time.monotonic()
        self.outages.append((begin, self._start))
        # The first outage is a long one, so that whatever it takes is there after the first minute.
        plan, is_long = self._plan, True
        due = plan.first_outage
        while self._linked() < plan.length:
            if (elapsed := self._elapsed()) >= due:
                self._cut(is_long)
                is_long, due = not is_long, due + plan.outage_period
                report(f"{elapsed:.0f} s: {self.sizes[-1][1]:.1f} MB")
            self._sample()
        self._load.end()
        self._wait(lambda: not self._load.pending, "not everything was answered", is_fatal=False)

    def _elapsed(self) -> float:
        return time.monotonic() - self._start

    def _linked(self) -> float:
        """Return for how many s the robot was there, from its first connection on."""
        return self._elapsed() - sum(end - start for start, end in self.outages[1:])

    def _is_ready(self) -> bool:
        return bool(self._load.connections) and self._load.connections[-1][1]

    def _sample(self) -> None:
        """Measure once a second."""
        if self._driver.poll() is not None:
            raise Failure(f"the driver ended by itself with {self._driver.returncode}")
        self.sizes.append((self._elapsed(), self._usage.memory_info().rss / _MEGABYTE))
        time.sleep(max(0.0, 1.0 - self._elapsed() % 1.0))

    def _cut(self, is_long: bool) -> None:
        """Switch the robot off and on; it comes back before it is missed, or after."""
        start, known = time.monotonic(), len(self._load.connections)
        self._emulator.kill()
        while is_long and time.monotonic() - start < _LONG_OUTAGE:
            self._sample()
        self._emulator.restart()
        while not (len(self._load.connections) > known and self._is_ready()):
            if time.monotonic() - start > _TIMEOUT + _LONG_OUTAGE:
                raise Failure("the driver does not connect again")
            self._sample()
        self.outages.append((start, time.monotonic()))
        self.handles.append(self._usage.num_fds())

    def _wait(self, condition: Callable[[], bool], what: str, *, is_fatal: bool = True) -> None:
        end = time.monotonic() + _TIMEOUT
        while not condition():
            if time.monotonic() > end or self._driver.poll() is not None:
                if is_fatal:
                    raise Failure(what)
                return
            time.sleep(0.05)

    def findings(self) -> list[Finding]:
        """Judge what was seen."""
        load, plan = self._load, self._plan
        away = sum(end - start for start, end in self.outages)
        found = [
            Finding(
                f"messages of {topic}", f"{count}, {count / plan.length:.1f}/s", "some", count > 0
            )
            for topic, count in load.received.items()
            if topic not in _RARE
        ]
        found.append(
            Finding("connections", f"{len(self.outages)}, {away:.0f} s without a link", "-", True)
        )
        found += verdict.goals(load.outcomes, load.pending, self.outages)
        each_minute = [f"{size:.1f}" for at, size in self.sizes if at % 60.0 < 1.0]
        found.append(Finding("MB of memory each minute", " ".join(each_minute), "-", True))
        found.append(verdict.memory(self.sizes, self.sizes[-1][0]))
        if self.handles:
            found.append(verdict.handles(self.handles[0], self.handles[-1]))
        return found


_RARE = ("events", "cube_events")
"""Topics on which nothing need come."""


def soak(plan: Plan, report: Callable[[str], None] = lambda _: None) -> list[Finding]:
    """Run the plan and return what was found. Raises ``Failure``; ``report`` gets the progress."""
    namespace = f"/soak_{os.getpid()}"
    with tempfile.TemporaryDirectory(prefix="cozmo_soak_") as name:
        folder = Path(name)
        log = folder / "driver.log"
        with (
            running_emulator(calibration_time=0.0, loss=plan.loss, wifi=plan.wifi) as emulator,
            running_load(namespace) as load,
            running_driver(emulator.port, namespace, log) as driver,
        ):
            running = _Soak(plan, emulator, driver, load)
            try:
                running.run(report)
            except Failure as failure:
                raise Failure(f"{failure}; its log:\n{log.read_text()}") from failure
            findings = running.findings()
            driver.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                driver.wait(_TIMEOUT)
            findings.append(
                Finding("exit code", str(driver.returncode), "0", driver.returncode == 0)
            )
        return findings + verdict.log(log.read_text())
