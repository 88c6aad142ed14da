"""The signals that end a program in order."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable


def ending_signals() -> tuple[signal.Signals, ...]:
    """Return Ctrl-C, SIGTERM and a closed terminal, unless that is ignored as under nohup."""
    if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
        return signal.SIGINT, signal.SIGTERM
    return signal.SIGINT, signal.SIGTERM, signal.SIGHUP


def on_signals(end: Callable[[int], object]) -> None:
    """Have the signals call ``end`` with their number in the running loop."""
    for number in ending_signals():
        asyncio.get_running_loop().add_signal_handler(number, end, number)


def cancel_on_first_signal(may_end: Callable[[], bool] = lambda: True) -> list[int]:
    """Have one signal cancel the running task; return a list that gets its number then.

    What the task does when it is cancelled, such as leaving a robot at rest, no second signal
    interrupts. ``may_end`` returns whether a signal ends the task now.
    """
    task = asyncio.current_task()
    assert task is not None
    ended_by: list[int] = []

    def end(number: int) -> None:
        if not ended_by and may_end():
            ended_by.append(number)
            task.cancel()

    on_signals(end)
    return ended_by
