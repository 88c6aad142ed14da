"""Waiting for an event with a time limit, such that no cancellation is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def set_at(event: asyncio.Event, deadline: float) -> Iterator[None]:
    """Set ``event`` at ``deadline``, s of the running loop's clock, unless the block ended before.

    Whoever awaits the event in the block then looks at what it waits for. Not
    ``asyncio.wait_for``: before Python 3.12 that can swallow a cancellation.
    """
    timer = asyncio.get_running_loop().call_at(deadline, event.set)
    try:
        yield
    finally:
        timer.cancel()
