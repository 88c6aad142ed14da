from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

from cozmo_driver.cli.doctor import robot


@contextmanager
def MEANWHILE(line: str) -> Iterator[str]:
    # The link on this computer needs no 3 s to be measured.
    with mock.patch.object(robot, "MEASURED", 0.3):
        yield ""
