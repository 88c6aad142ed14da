"""The driver on a disk that answers nothing below a folder while it holds the file ``stuck``.

Files that are opened in the threads of the loop and of the executor are logged.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import Any

from cozmo_driver.driver import node

SLOW = os.environ["SLOW_FOLDER"]
STUCK = f"{SLOW}/stuck"
DISK = {"open", "os.listdir", "os.mkdir", "os.remove", "os.rename", "os.scandir"}
NEVER = {"cozmo-link", "executor"}


def watch(event: str, args: tuple[Any, ...]) -> None:
    """Hold up and log what reaches for the disk."""
    # Opened by its number a file is open already.
    if event not in DISK or isinstance(args[0], int):
        return
    thread, path = threading.current_thread().name, os.fspath(args[0])
    if thread in NEVER:
        sys.stderr.write(f"DISK: {event} {path} in {thread}\n")
    while str(path).startswith(SLOW) and os.path.exists(STUCK):
        time.sleep(0.01)


def main() -> int:
    sys.addaudithook(watch)
    return node.main()
