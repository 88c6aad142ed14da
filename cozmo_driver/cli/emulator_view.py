"""``cozmo emulator --view`` and ``--truth``: what a running emulator shows and writes."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TextIO

from ..emulator import EmulatorServer, TerminalView, ViewFolder
from .common import CommandError

TERMINAL = "terminal"
STDOUT = "-"
VIEW_PERIOD = 0.2
TRUTH_PERIOD = 0.1
"""s between two updates, and by the robot's clock between two lines."""
Print = Callable[[str], None]


class Outputs:
    """What is asked for besides the robots themselves."""

    def __init__(self, view: str | None, truth: str | None, count: int) -> None:
        """Open what is written to. Raises ``CommandError``."""
        self._folder: ViewFolder | None = None
        self._terminal: TerminalView | None = None
        self._truth: TextIO | None = sys.stdout if truth == STDOUT else None
        self.print: Print = lambda line: print(line, flush=True)
        """Prints a line for the user."""
        option = f"--view {view}"
        try:
            if view == TERMINAL:
                self._terminal = _terminal(truth)
                self.print = self._terminal.print
            elif view is not None:
                self._folder = ViewFolder(Path(view), count)
            option = f"--truth {truth}"
            if truth is not None and truth != STDOUT:
                self._truth = _opened(truth)
        except OSError as error:
            raise CommandError(f"{option}: {error.strerror or error}") from error

    def start(self, servers: Sequence[EmulatorServer], speed: float) -> list[asyncio.Task[None]]:
        """Return tasks that write until they are cancelled, for servers that have started."""
        loop = asyncio.get_running_loop()
        tasks = []
        if self._folder is not None or self._terminal is not None:
            tasks.append(loop.create_task(self._show(servers)))
        if self._truth is not None:
            tasks.append(
                loop.create_task(self._write_truth(servers, self._truth, TRUTH_PERIOD / speed))
            )
        return tasks

    def close(self) -> None:
        if self._truth is not None and self._truth is not sys.stdout:
            self._truth.close()

    async def _show(self, servers: Sequence[EmulatorServer]) -> None:
        while True:
            for server in servers:
                server.state()
            robots = [server.firmware for server in servers]
            try:
                if self._folder is not None:
                    self._folder.update(robots)
                if self._terminal is not None:
                    self._terminal.update(robots[0])
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
