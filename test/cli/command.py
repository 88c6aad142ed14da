"""Runs the real ``cozmo`` command: here, which is faster, or as a program of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

from cozmo_driver.cli import main as cli

from ..programs import DEADLINE, Program, running_program

ROOT = Path(__file__).resolve().parents[2]
CAPTURES = ROOT / "test" / "data" / "captures"
COMMAND = [sys.executable, "-m", "cozmo_driver.cli.main"]


def environment() -> dict[str, str]:
    """Return an environment in which the package of this checkout is found."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
    return {**os.environ, "PYTHONPATH": path}


@contextmanager
def deadline() -> Iterator[None]:
    """Raise ``TimeoutError`` in what never ends."""

    def end(*_: object) -> None:
        raise TimeoutError(f"it did not end within {DEADLINE:g} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(int(DEADLINE))
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


class _Until(StringIO):
    """An output that interrupts the program, as Ctrl-C does, once it holds a text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def write(self, text: str) -> int:
        size = super().write(text)
        if self._text and self._text in self.getvalue():
            self._text = ""
            signal.raise_signal(signal.SIGINT)
        return size


def cozmo(*arguments: str | Path | int, until: str = "") -> subprocess.CompletedProcess[str]:
    """Run ``cozmo`` in this process, whose main thread this must be, to its end.

    With ``until`` it is interrupted as soon as it has printed that.
    """
    words = [*map(str, arguments)]
    with (
        deadline(),
        redirect_stdout(_Until(until)) as output,
        redirect_stderr(StringIO()) as errors,
    ):
        try:
            code = cli.main(words)
        except SystemExit as ending:
            code = int(ending.code or 0)
    return subprocess.CompletedProcess(words, code, output.getvalue(), errors.getvalue())


def run(*arguments: str | Path | int) -> tuple[int, str, str]:
    """Run ``cozmo`` to its end here; return exit code, output and errors."""
    done = cozmo(*arguments)
    return done.returncode, done.stdout, done.stderr


def cozmo_program(*arguments: str | Path | int) -> subprocess.CompletedProcess[str]:
    """Run ``cozmo`` to its end in a process of its own."""
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=DEADLINE,
        check=False,
    )


def started(
    *arguments: str | Path | int, words: Sequence[str] = COMMAND, merged: bool = False
) -> AbstractContextManager[Program]:
    """Run ``cozmo``, or ``words``, while a block does."""
    command = [*words, *map(str, arguments)]
    return running_program(command, merged=merged, PYTHONPATH=environment()["PYTHONPATH"])
