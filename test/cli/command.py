"""Runs the real ``cozmo`` command as a user does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CAPTURES = ROOT / "test" / "data" / "captures"
COMMAND = [sys.executable, "-m", "cozmo_driver.cli.main"]
DEADLINE = 120.0


def environment() -> dict[str, str]:
    """Return an environment in which the package of this checkout is found."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
    return {**os.environ, "PYTHONPATH": path}


def cozmo(*arguments: str | Path | int) -> subprocess.CompletedProcess[str]:
    """Run ``cozmo`` to its end."""
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=DEADLINE,
        check=False,
    )


@contextmanager
def started(
    *arguments: str | Path | int, words: Sequence[str] = COMMAND, merged: bool = False
) -> Iterator[subprocess.Popen[str]]:
    """Run ``cozmo``, or ``words``, while a block does; nothing of it is left afterwards.

    With ``merged`` its errors come with its output.
    """
    process = subprocess.Popen(
        [*words, *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if merged else subprocess.PIPE,
        text=True,
        env=environment(),
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def printed(process: subprocess.Popen[str], text: str) -> str:
    """Wait for an output with ``text``; return all that came."""
    assert process.stdout is not None
    seen = ""
    while text not in seen:
        line = process.stdout.readline()
        assert line, f"it ended before it printed {text!r}: {seen!r}"
        seen += line
    return seen


def ended(
    process: subprocess.Popen[str], number: signal.Signals | None = None
) -> tuple[int, str, str]:
    """Send a signal, if any, and wait for the end; return exit code, output and errors."""
    if number is not None:
        process.send_signal(number)
    output, errors = process.communicate(timeout=DEADLINE)
    return process.returncode, output, errors or ""
