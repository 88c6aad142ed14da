"""Programs in processes of their own, of which nothing is left after a test."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

DEADLINE = 120.0
"""Of every wait, s: never reached unless something is broken."""


class _Output(threading.Thread):
    """The lines of a stream so far; they are read as they come, so that no program waits."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._stream = stream
        self._changed = threading.Condition()
        self._is_over = False
        self.start()

    def run(self) -> None:
        with self._stream:
            for line in self._stream:
                self._update(line)
        self._update()

    def _update(self, *lines: str) -> None:
        with self._changed:
            self.lines += lines
            self._is_over = not lines
            self._changed.notify_all()

    def follow(self) -> Iterator[str]:
        index = 0
        while True:
            with self._changed:
                has_more = self._changed.wait_for(
                    lambda at=index: at < len(self.lines) or self._is_over, DEADLINE
                )
                assert has_more, f"nothing more came within {DEADLINE:g} s: {self.lines}"
                if index == len(self.lines):
                    return
            yield self.lines[index]
            index += 1


class Program:
    """A program that runs beside the test."""

    def __init__(self, command: Sequence[str], stdin: int, merged: bool, **env: str) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if merged else subprocess.PIPE,
            text=True,
            env={**os.environ, **env},
        )
        assert self.process.stdout is not None
        self._output = _Output(self.process.stdout)
        self._errors = _Output(self.process.stderr) if self.process.stderr else None

    def follow(self, *, errors: bool = False) -> Iterator[str]:
        """Yield the lines of its output, or ``errors``, from the first one on as they come."""
        output = self._errors if errors else self._output
        assert output is not None
        return output.follow()

    @property
    def lines(self) -> list[str]:
        """The lines of its output so far."""
        return list(self._output.lines)

    def wait_for(self, *texts: str, errors: bool = False) -> str:
        """Wait for a line with all the texts in it, also an earlier one; return it."""
        lines = self.follow(errors=errors)
        found = next((line for line in lines if all(text in line for text in texts)), None)
        assert found is not None, f"it ended without {texts}: {self.end()}"
        return found

    def end(self, number: signal.Signals | None = None) -> tuple[int, str, str]:
        """Send a signal, if any, and wait for the end; return exit code, output and errors."""
        if number is not None:
            self.process.send_signal(number)
        code = self.process.wait(DEADLINE)
        streams = [self._output, *([self._errors] if self._errors else [])]
        for stream in streams:
            stream.join()
        output, *errors = ("".join(stream.lines) for stream in streams)
        return code, output, "".join(errors)


@contextmanager
def running_program(
    command: Sequence[str], *, stdin: int = subprocess.DEVNULL, merged: bool = False, **env: str
) -> Iterator[Program]:
    """Run a program while a block does; with ``merged`` its errors come with its output."""
    program = Program(command, stdin, merged, **env)
    try:
        yield program
    finally:
        program.process.kill()
        program.end()
