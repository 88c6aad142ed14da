"""A task that is ended, and a caller that is ended meanwhile."""

from __future__ import annotations

import asyncio

import pytest

from cozmo_driver.behavior.tasks import end

from .paper import in_virtual_time


async def linger():
    try:
        await asyncio.sleep(100)
    finally:
        await asyncio.sleep(1)


@in_virtual_time
async def test_an_ended_task_has_ended_and_its_error_is_dropped():
    async def fail():
        try:
            await asyncio.sleep(100)
        finally:
            raise OSError

    for work in (linger, fail):
        task = asyncio.ensure_future(work())
        await asyncio.sleep(1)
        await end(task)
        assert task.done()


@in_virtual_time
async def test_a_caller_that_is_cancelled_while_it_ends_a_task_is_cancelled():
    task = asyncio.ensure_future(linger())
    await asyncio.sleep(1)
    caller = asyncio.ensure_future(end(task))
    await asyncio.sleep(0.5)
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    await asyncio.wait([task])
