from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from cozmo_driver.emulator import running_emulator

from .dump import prepare

__all__ = ["MEANWHILE", "prepare"]


@contextmanager
def MEANWHILE(line: str) -> Iterator[str]:
    if "--live" not in line:
        yield ""
        return
    with running_emulator() as emulator:
        yield f"--live 127.0.0.1:{emulator.port} --seconds 0.5"
        assert emulator.state().sessions == 1
