"""Runs the examples as a user does, and keeps what the emulated robot was like meanwhile."""

from __future__ import annotations

import contextlib
import io
import os
import runpy
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, TypeVar

import pytest

from cozmo_driver.emulator import RunningEmulator

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
PATIENCE = 30.0
"""Deadline of every wait, s: never reached unless something is broken."""
_LOOK = 0.01

_Seen = TypeVar("_Seen")


def at(emulator: RunningEmulator) -> list[str]:
    """Return the arguments that name an emulated robot."""
    return ["--robot", f"{emulator.host}:{emulator.port}"]


def run(name: str, *words: object) -> str:
    """Run an example to its end, here; return what it printed. It must end well."""
    path = EXAMPLES / name
    output = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(output):
        patch.setattr(sys, "argv", [str(path), *map(str, words)])
        runpy.run_path(str(path), run_name="__main__")
    return output.getvalue()


class Started:
    """A program that runs in a process of its own until it is told to end."""

    def __init__(self, command: list[str], stdin: int | None = None) -> None:
        self.lines: list[str] = []
        self.process = subprocess.Popen(
            command,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1", "ROS_PYTHON_CHECK_FIELDS": "1"},
        )
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def wait_for(self, *texts: str) -> str:
        """Wait for a line with all the texts in it and return it."""

        def find() -> str:
            hits = (line for line in tuple(self.lines) if all(text in line for text in texts))
            return next(hits, "")

        return wait_until(find, f"{texts} not in {self.lines}")

    def end(self, number: signal.Signals = signal.SIGINT) -> None:
        """Send a signal; the example must end well."""
        self.process.send_signal(number)
        self.wait()

    def wait(self) -> None:
        """Wait for the end, which must be a good one."""
        try:
            code = self.process.wait(PATIENCE)
        finally:
            self.kill()
        assert code == 0, "".join(self.lines)
        assert "Traceback" not in "".join(self.lines), "".join(self.lines)

    def kill(self) -> None:
        """End it in any case."""
        self.process.kill()
        self.process.wait()
        self._reader.join()
        assert self.process.stdout is not None
        self.process.stdout.close()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)


@contextmanager
def started(name: str, *words: object, stdin: int | None = None) -> Iterator[Started]:
    """Run an example beside the test; it is ended with Ctrl-C unless it has ended before."""
    with program([sys.executable, str(EXAMPLES / name), *map(str, words)], stdin) as it:
        yield it


@contextmanager
def program(command: list[str], stdin: int | None = None) -> Iterator[Started]:
    """Run a program beside the test; it is ended with Ctrl-C unless it has ended before."""
    started = Started(command, stdin)
    try:
        yield started
        if started.process.poll() is None:
            started.end()
        else:
            started.wait()
    finally:
        started.kill()


class Watch(Generic[_Seen]):
    """What was seen of the emulated robot, each once as long as it stayed the same."""

    def __init__(self, emulator: RunningEmulator, look: Callable[[RunningEmulator], _Seen]) -> None:
        self.seen: list[_Seen] = []
        self._emulator, self._look = emulator, look
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self) -> list[_Seen]:
        self._thread.start()
        return self.seen

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._ended.wait(_LOOK):
            now = self._look(self._emulator)
            if not self.seen or self.seen[-1] != now:
                self.seen.append(now)


def wait_until(condition: Callable[[], Any], what: str) -> Any:
    """Wait for a condition that nobody announces; return what it gave."""
    end = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < end, what
        time.sleep(_LOOK)
    return found


def in_order(wanted: list[_Seen], seen: list[_Seen]) -> bool:
    """Tell whether all that was wanted was seen, in this order, with anything between."""
    rest = iter(seen)
    return all(one in rest for one in wanted)


def shades(colors: tuple[tuple[float, float, float], ...]) -> tuple[str, ...]:
    """Name each colour by what shines in it."""
    letters = ("".join(c for c, x in zip("rgb", color, strict=True) if x > 0.1) for color in colors)
    return tuple(letter or "-" for letter in letters)
