"""Waiting with a time limit and ending tasks, such that no cancellation is lost.

In their place stands neither ``asyncio.wait_for``, which before Python 3.12 drops a cancellation
that comes as the waiting ends, nor ``suppress(CancelledError)``, which drops the caller's own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

_Result = TypeVar("_Result")


async def within(seconds: float | None, work: Awaitable[_Result]) -> _Result:
    """Return what ``work`` returns; it is cancelled after ``seconds``, or when the caller is.

    Raises ``TimeoutError`` and what ``work`` raises.
    """
    task = asyncio.ensure_future(work)
    try:
        await asyncio.wait([task], timeout=seconds)
        if not task.done():
            raise TimeoutError
        return task.result()
    finally:
        if not task.done():
            await end(task)


async def end(task: asyncio.Future[Any]) -> BaseException | None:
    """Cancel a task and wait for its end; return what it raised, if anything else."""
    task.cancel()
    await asyncio.wait([task])
    return None if task.cancelled() else task.exception()


@contextmanager
def set_at(event: asyncio.Event, deadline: float) -> Iterator[None]:
    """Set ``event`` at ``deadline``, s of the running loop's clock, unless the block ended before.

    Whoever awaits the event in the block then looks at what it waits for.
    """
    timer = asyncio.get_running_loop().call_at(deadline, event.set)
    try:
        yield
    finally:
        timer.cancel()
