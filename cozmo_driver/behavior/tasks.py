"""How a task is ended by whoever waits for it."""

from __future__ import annotations

import asyncio
from typing import Any


async def end(task: asyncio.Task[Any]) -> None:
    """Cancel a task and wait for its end; what it raises is dropped.

    The caller's own cancellation is not: it is told apart from the task's.
    """
    task.cancel()
    await asyncio.wait([task])
    if not task.cancelled():
        task.exception()
