"""Nodes as processes of their own, forked from one that has imported what they need.

Importing takes each of them a second of the processor.
"""

from __future__ import annotations

import itertools
import multiprocessing
import os
import signal
import sys
import threading
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from cozmo_driver import programs

from ..waiting import TIMEOUT, wait_until

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(["test.nodes.imported"])
_numbers = itertools.count(1)


def _end_with_tests() -> None:
    tests = multiprocessing.parent_process()
    assert tests
    tests.join()
    os._exit(1)


def _run(program: str, words: list[str], log_file: str, environment: dict[str, str]) -> None:
    log = os.open(log_file, os.O_WRONLY)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    sys.argv = [program, *words]
    threading.Thread(target=_end_with_tests, daemon=True).start()
    is_installed = program in programs.MODULES
    main = getattr(programs, program) if is_installed else import_module(program).main
    sys.exit(main())


class DriverProcess:
    """A node, the driver's unless told, or a module's ``main``; its log goes to a file."""

    def __init__(
        self,
        namespace: str,
        parameters: dict[str, Any],
        folder: Path,
        program: str = "driver_node",
    ) -> None:
        self.log_file = folder / f"{program}{next(_numbers)}.log"
        self.log_file.touch()
        words = ["--ros-args", "-r", f"__ns:={namespace}"]
        for name, value in parameters.items():
            text = str(value).lower() if isinstance(value, bool) else str(value)
            words += ["-p", f"{name}:={text}"]
        self.process = _FORKS.Process(
            target=_run, args=(program, words, str(self.log_file), dict(os.environ))
        )
        self.process.start()

    @property
    def log(self) -> str:
        return self.log_file.read_text()

    def wait_for_log(self, text: str) -> None:
        wait_until(lambda: text in self.log, f"the log does not say '{text}'")

    def stop(self, number: signal.Signals = signal.SIGINT) -> int:
        """Send a signal, unless it has ended, and return the exit code."""
        if self.process.is_alive():
            assert self.process.pid
            os.kill(self.process.pid, number)
        return self.wait()

    def wait(self) -> int:
        """Return the exit code; killed where it does not end."""
        self.process.join(TIMEOUT)
        return self.kill()

    def kill(self) -> int:
        self.process.kill()
        self.process.join()
        assert self.process.exitcode is not None
        return self.process.exitcode
