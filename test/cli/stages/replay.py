from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from cozmo_driver.emulator import running_emulator

from .dump import prepare

__all__ = ["ENDS", "MEANWHILE", "prepare"]

SERVE = "cozmo replay session.pcap --serve"
ENDS = {SERVE: "the recorded robot is on"}


@contextmanager
def MEANWHILE(line: str) -> Iterator[str]:
    if line.startswith(SERVE):
        yield "--serve 127.0.0.1:0"
        return
    with running_emulator() as emulator:
        yield f"--engine-to 127.0.0.1:{emulator.port} --speed 20"
        assert emulator.state().received["SetHeadAngle"] == 1
