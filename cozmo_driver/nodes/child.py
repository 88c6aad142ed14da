"""Become a command that the kernel ends when the parent dies, however that happens (Linux).

``python -m cozmo_driver.nodes.child PARENT COMMAND...``
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


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
