"""What asks a program to end."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable
from itertools import count
from types import FrameType
from typing import Any

import pytest

from cozmo_driver.ros.runtime import StopRequest

from ..cli.command import deadline
from ..waiting import TIMEOUT


class _Told:
    """A trace function that raises a signal at one of the lines that are run."""

    def __init__(self, line: int) -> None:
        self.lines_left = line

    def __call__(self, frame: FrameType, event: str, _: object) -> Any:
        if event == "line":
            self.lines_left -= 1
            if self.lines_left == 0:
                signal.raise_signal(signal.SIGTERM)
        return self


@pytest.mark.parametrize(
    "act", [StopRequest.set, lambda stop: stop.wait(0.001)], ids=["set", "wait"]
)
def test_a_signal_at_any_moment_ends_it(act: Callable[[StopRequest], object]) -> None:
    for line in count(1):
        told, stop = _Told(line), StopRequest()
        before = sys.gettrace()
        with deadline(), stop.on_signals():
            sys.settrace(told)
            try:
                act(stop)
            finally:
                sys.settrace(before)
            if told.lines_left > 0:
                break
            assert stop.wait(0.0)
    assert line > 2


def test_all_who_wait_learn_of_it() -> None:
    stop = StopRequest()
    told: list[bool] = []
    waiting = [threading.Thread(target=lambda: told.append(stop.wait(TIMEOUT))) for _ in range(3)]
    for thread in waiting:
        thread.start()
    stop.set(3)
    stop.set()
    for thread in waiting:
        thread.join()
    assert told == [True] * 3
    assert stop.is_set
    assert stop.exit_code == 3


def test_nobody_waits_longer_than_told() -> None:
    assert not StopRequest().wait(0.0)
