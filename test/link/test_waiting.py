"""No cancellation is lost, also one that comes as the waiting ends."""

from __future__ import annotations

import asyncio
import functools

import pytest

from cozmo_driver.link import end, with_timeout
from cozmo_driver.virtual_time import run_in_virtual_time


def in_virtual_time(scenario):
    @functools.wraps(scenario)
    def test():
        run_in_virtual_time(scenario())

    return test


async def linger():
    try:
        await asyncio.sleep(100)
    finally:
        await asyncio.sleep(1)


async def fail():
    try:
        await asyncio.sleep(100)
    finally:
        raise ConnectionResetError


async def outcome(task):
    """Wait for a task's end; return what it raised."""
    await asyncio.wait([task])
    return asyncio.CancelledError if task.cancelled() else type(task.exception())


# -- within


@in_virtual_time
async def test_what_ends_in_time_is_returned_or_raised():
    assert await with_timeout(2.0, asyncio.sleep(1.0, "done")) == "done"
    assert await with_timeout(None, asyncio.sleep(1.0, "done")) == "done"
    task = asyncio.ensure_future(fail())
    asyncio.get_running_loop().call_later(1.0, task.cancel)
    with pytest.raises(ConnectionResetError):
        await with_timeout(2.0, task)


@in_virtual_time
async def test_what_does_not_end_in_time_is_cancelled_and_its_end_awaited():
    loop = asyncio.get_running_loop()
    begin, task = loop.time(), asyncio.ensure_future(linger())
    with pytest.raises(TimeoutError):
        await with_timeout(2.0, task)
    assert task.cancelled()
    assert loop.time() - begin == pytest.approx(3.0)


# Steps of the loop after the moment at which the time is out, or the work is done.
@pytest.mark.parametrize("steps", range(6))
@pytest.mark.parametrize(("limit", "work_time"), [(1.0, 100.0), (1.0, 1.0), (100.0, 1.0)])
@pytest.mark.parametrize("is_cancelled_first", [True, False])
def test_a_caller_cancelled_at_the_moment_of_the_time_out_is_cancelled(
    steps, limit, work_time, is_cancelled_first
):
    @in_virtual_time
    async def scenario():
        loop = asyncio.get_running_loop()
        moment = loop.time() + 1.0
        caller, cancelled = None, []

        def cancel(left):
            if left:
                loop.call_soon(cancel, left - 1)
            elif not caller.done():
                cancelled.append(caller.cancel())

        if is_cancelled_first:
            loop.call_at(moment, cancel, steps)
        caller = asyncio.ensure_future(with_timeout(limit, asyncio.sleep(work_time)))
        await asyncio.sleep(0)
        if not is_cancelled_first:
            loop.call_at(moment, cancel, steps)
        how = await outcome(caller)
        assert how is asyncio.CancelledError or not cancelled

    scenario()


# -- end


@in_virtual_time
async def test_an_ended_task_has_ended_and_its_error_is_returned():
    for work, error in ((linger, None), (fail, ConnectionResetError)):
        task = asyncio.ensure_future(work())
        await asyncio.sleep(1)
        raised = await end(task)
        assert task.done()
        assert raised is None if error is None else isinstance(raised, error)


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
