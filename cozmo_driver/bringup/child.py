"""Become a command that the kernel ends when the parent dies, however that happens (Linux).

``python -I -S child.py PARENT COMMAND...``
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Sequence

_PR_SET_PDEATHSIG = 1


def ending_with_this(command: Sequence[str]) -> list[str]:
    """Return a child's command, such that the child ends with the process that calls this."""
    # Neither the environment nor what is installed has a say, and nothing is searched for.
    return [sys.executable, "-I", "-S", __file__, str(os.getpid()), *command]


def main(parent: str, *command: str) -> None:
    """Never return."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != int(parent):
        # It died before.
        sys.exit(1)
    os.execvp(command[0], command)


if __name__ == "__main__":
    main(*sys.argv[1:])
