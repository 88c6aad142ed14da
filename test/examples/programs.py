"""Runs the examples as a user does, and keeps what the emulated robot was like meanwhile."""

from __future__ import annotations

import contextlib
import io
import re
import runpy
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Generic, TypeVar

import pytest

from cozmo_driver.emulator import Firmware, RunningEmulator
from cozmo_driver.protocol import Message

from ..programs import Program, running_program

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
_LOOK = 0.01

_Seen = TypeVar("_Seen")


def at(emulator: RunningEmulator) -> list[str]:
    return ["--robot", f"{emulator.host}:{emulator.port}"]


def run(name: str | Path, *words: object) -> str:
    """Run an example, or any file, to its end, here; return what it printed. It must end well."""
    path = EXAMPLES / name
    output = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(output):
        patch.setattr(sys, "argv", [str(path), *map(str, words)])
        runpy.run_path(str(path), run_name="__main__")
    return output.getvalue()


def program_on(page: str, folder: Path) -> Path:
    """Return a file with the Python program on a page, as somebody copies it."""
    (code,) = re.findall(r"^```python\n(.*?)^```$", (ROOT / page).read_text(), re.M | re.S)
    file = folder / "copied.py"
    file.write_text(code)
    return file


@contextmanager
def started(name: str, *words: object, stdin: int = subprocess.DEVNULL) -> Iterator[Program]:
    """Run an example beside the test; it is ended with Ctrl-C unless it has ended before."""
    with program([sys.executable, str(EXAMPLES / name), *map(str, words)], stdin) as it:
        yield it


@contextmanager
def program(command: list[str], stdin: int = subprocess.DEVNULL) -> Iterator[Program]:
    """Run a program beside the test and end it with Ctrl-C; its end must be a good one."""
    env = {"PYTHONUNBUFFERED": "1", "ROS_PYTHON_CHECK_FIELDS": "1"}
    with running_program(command, stdin=stdin, merged=True, **env) as running:
        yield running
        is_over = running.process.poll() is not None
        code, output, _ = running.end(None if is_over else signal.SIGINT)
        assert code == 0, output
        assert "Traceback" not in output, output


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


def at_each(
    emulator: RunningEmulator, kind: type[Message], look: Callable[[Firmware], _Seen]
) -> list[_Seen]:
    """Return the list into which what is seen of the robot goes at each message of a kind."""
    seen: list[_Seen] = []
    emulator.call(lambda robot: robot.core.handle(kind, lambda _: seen.append(look(robot))))
    return seen


def in_order(wanted: list[_Seen], seen: list[_Seen]) -> bool:
    """Tell whether all that was wanted was seen, in this order, with anything between."""
    rest = iter(seen)
    return all(one in rest for one in wanted)


def shades(colors: tuple[tuple[float, float, float], ...]) -> tuple[str, ...]:
    """Name each colour by what shines in it."""
    letters = ("".join(c for c, x in zip("rgb", color, strict=True) if x > 0.1) for color in colors)
    return tuple(letter or "-" for letter in letters)
