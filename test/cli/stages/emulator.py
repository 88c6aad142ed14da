from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

from cozmo_driver.emulator.control import socket_path

from ..command import started

READY = "Cozmo emulator on"
HOST = "127.0.0.1"
# Whatever port an example names may be somebody's.
WORDS = {"cozmo emulator": "--port 0", "cozmo emulator ctl": "", "cozmo emulator map": ""}
ENDS = {"cozmo emulator": READY, "cozmo emulator ctl": "", "cozmo emulator map": ""}
PORTS_OF_EXAMPLES = (5551, 5562)


@contextmanager
def MEANWHILE(line: str) -> Iterator[str]:
    if not line.startswith("cozmo emulator ctl"):
        yield ""
        return
    with (
        tempfile.TemporaryDirectory() as folder,
        mock.patch.dict(os.environ, XDG_RUNTIME_DIR=folder),
        started("emulator", "--port", 0, "--world", "room") as process,
    ):
        port = int(process.wait_for(READY).rpartition(":")[2])
        for other in PORTS_OF_EXAMPLES:
            socket_path(HOST, other).symlink_to(socket_path(HOST, port))
        yield ""
