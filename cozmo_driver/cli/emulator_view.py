"""``cozmo emulator --view`` and ``--truth``: what a running emulator shows and writes."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TextIO

from ..emulator import EmulatorServer, TerminalView, ViewFolder
from .common import CommandError

TERMINAL = "terminal"
STDOUT = "-"
VIEW_PERIOD = 0.2
TRUTH_PERIOD = 0.1
"""s between two updates, and by the robot's clock between two lines."""
Print = Callable[[str], None]
_Update = Callable[[list[Any]], object]
"""Shows the firmware of all robots."""


class Outputs:
    """What is asked for besides the robots themselves."""

    def __init__(self, view: str | None, truth: str | None, count: int) -> None:
        """Open what is written to. Raises ``CommandError``."""
        self._update: _Update | None = None
        self._truth: TextIO | None = sys.stdout if truth == STDOUT else None
        self._print: Print = lambda line: print(line, flush=True)
        option = f"--view {view}"
        try:
            if view == TERMINAL:
                terminal = _terminal(truth)
                self._update = lambda robots: terminal.update(robots[0])
                self._print = terminal.print
            elif view is not None:
                self._update = ViewFolder(Path(view), count).update
            option = f"--truth {truth}"
            if truth is not None and truth != STDOUT:
                self._truth = _opened(truth)
        except OSError as error:
            raise CommandError(f"{option}: {error.strerror or error}") from error

    def print(self, line: str) -> None:
        """Print a line for the user; the robot does not care whether anybody reads it."""
        with contextlib.suppress(OSError):
            self._print(line)

    def start(self, servers: Sequence[EmulatorServer], speed: float) -> list[asyncio.Task[None]]:
        """Return tasks that write until they are cancelled, for servers that have started."""
        work = []
        if self._update is not None:
            work.append(self._show(servers, self._update))
        if self._truth is not None:
            work.append(self._write_truth(servers, self._truth, TRUTH_PERIOD / speed))
        return [asyncio.ensure_future(one) for one in work]

    def close(self) -> None:
        if self._truth is not None and self._truth is not sys.stdout:
            self._truth.close()

    async def _show(self, servers: Sequence[EmulatorServer], update: _Update) -> None:
        while True:
            for server in servers:
                server.state()
            try:
                update([server.firmware for server in servers])
            except OSError as error:
                _report(f"--view ends: {error}")
                return
            await asyncio.sleep(VIEW_PERIOD)

    async def _write_truth(
        self, servers: Sequence[EmulatorServer], out: TextIO, period: float
    ) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            try:
                for server in servers:
                    line = {"time": round(time.time(), 6), "port": server.port}
                    print(json.dumps(line | server.truth().as_json()), file=out)
                out.flush()
            except OSError as error:
                _report(f"--truth ends: {error}")
                return
            # A late line does not shift the next ones, and missed ones are left out.
            due = max(due + period, loop.time())
            await asyncio.sleep(due - loop.time())


def _terminal(truth: str | None) -> TerminalView:
    if not sys.stdout.isatty():
        raise CommandError(
            "--view terminal: the output is not a terminal; give a folder instead, "
            "or ./terminal if that is its name",
            2,
        )
    if truth == STDOUT:
        raise CommandError("--view terminal and --truth both need the output: give --truth FILE", 2)
    return TerminalView(sys.stdout)


def _opened(name: str) -> TextIO:
    return Path(name).open("w", encoding="utf-8")


def _report(text: str) -> None:
    print(f"cozmo emulator: {text}", file=sys.stderr, flush=True)
