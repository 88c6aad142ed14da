"""SIGTERM for a sub-command that has to say goodbye: a robot without one is busy for 5 s."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Coroutine
from typing import Any, TypeVar

_TERMINATED = 143
_Result = TypeVar("_Result")


def run_until_terminated(work: Coroutine[Any, Any, _Result]) -> _Result:
    """Return the result of ``work``; SIGTERM cancels it and ends the command."""
    try:
        return asyncio.run(_cancelled_by_signal(work))
    except asyncio.CancelledError:
        raise SystemExit(_TERMINATED) from None


async def _cancelled_by_signal(work: Coroutine[Any, Any, _Result]) -> _Result:
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    return await work
