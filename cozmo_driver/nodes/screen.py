"""Log lines and one status line that stay apart on a terminal."""

from __future__ import annotations

import shutil
import threading
from typing import TextIO

_CLEAR = "\r\x1b[K"


class Screen:
    """On a terminal the status stays on the last line; elsewhere everything is a line."""

    def __init__(self, stream: TextIO) -> None:
        """Write to ``stream``."""
        self._stream = stream
        self._lock = threading.Lock()
        self._status = ""
        self.is_terminal = stream.isatty()

    def print(self, line: str) -> None:
        """Print a line that stays."""
        with self._lock:
            if self._status:
                self._stream.write(f"{_CLEAR}{line}\n{self._status}")
            else:
                self._stream.write(f"{line}\n")
            self._stream.flush()

    def show(self, status: str) -> None:
        """Replace the status line."""
        if not self.is_terminal:
            self.print(status)
            return
        # A line that wraps could not be replaced.
        status = status[: shutil.get_terminal_size().columns - 1]
        with self._lock:
            self._stream.write(f"{_CLEAR}{status}")
            self._stream.flush()
            self._status = status

    def close(self) -> None:
        """Leave the cursor on a fresh line."""
        with self._lock:
            if self._status:
                self._stream.write("\n")
                self._stream.flush()
                self._status = ""
