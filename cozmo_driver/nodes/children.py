"""Child processes whose output is shown and whose end is noticed."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Sequence

_PATIENCE = 5.0
"""Time a child gets to end by itself, s."""


class Child:
    """A process in a session of its own, so that a terminal's Ctrl-C reaches only its parent."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        on_line: Callable[[str], object],
        on_exit: Callable[[Child, int], object],
    ) -> None:
        """Start it. ``on_line`` gets its output, ``on_exit`` its end, both in another thread."""
        self.name = name
        self.is_stopping = False
        self._on_line, self._on_exit = on_line, on_exit
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        self._reader = threading.Thread(target=self._read, name=f"{name} output", daemon=True)
        self._reader.start()

    @property
    def is_running(self) -> bool:
        """Tell whether it has not ended."""
        return self._process.poll() is None

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as output:
            for line in output:
                self._on_line(line.rstrip("\n"))
        self._on_exit(self, self._process.wait())

    def stop(self) -> None:
        """Ask it to end, insist after a while, wait for the end."""
        self.is_stopping = True
        if self.is_running:
            self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(_PATIENCE)


def describe_exit(code: int) -> str:
    """Return an exit code in words."""
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"
