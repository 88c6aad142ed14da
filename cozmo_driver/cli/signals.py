"""SIGINT, SIGTERM and SIGHUP for a sub-command: it ends in order."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from ..signals import ending_signals

_SIGNALLED = 128
_Result = TypeVar("_Result")


def on_signals(end: Callable[[int], object]) -> None:
    """Have the signals call ``end`` with their number in the running loop."""
    for number in ending_signals():
        asyncio.get_running_loop().add_signal_handler(number, end, number)


def cancel_on_signals() -> None:
    """Have the signals cancel the running task."""
    task = asyncio.current_task()
    assert task is not None
    on_signals(lambda _: task.cancel())


def run_until_signalled(
    work: Coroutine[Any, Any, _Result], may_end: Callable[[], bool] = lambda: True
) -> _Result:
    """Return the result of ``work``; the signals cancel it and end the command.

    What ``work`` does when it is cancelled, such as leaving a robot at rest, no second signal
    interrupts. ``may_end`` returns whether a signal ends the work now.
    """
    ended_by: list[int] = []

    async def cancellable() -> _Result:
        task = asyncio.current_task()
        assert task is not None

        def end(number: int) -> None:
            if not ended_by and may_end():
                ended_by.append(number)
                task.cancel()

        on_signals(end)
        return await work

    try:
        return asyncio.run(cancellable())
    except asyncio.CancelledError:
        raise SystemExit(_SIGNALLED + ended_by[0]) from None
