from __future__ import annotations

import asyncio
import threading

import pytest

from cozmo_driver.link import LoopThread

from ..waiting import TIMEOUT


@pytest.fixture
def thread():
    thread = LoopThread("test-loop")
    yield thread
    thread.stop()
    assert not thread.post(lambda: None)


def test_work_runs_in_the_loops_own_thread(thread):
    async def name() -> str:
        return threading.current_thread().name

    assert thread.run(name(), timeout=TIMEOUT) == "test-loop"


def test_errors_reach_the_caller(thread):
    async def fail() -> None:
        raise ValueError("as expected")

    with pytest.raises(ValueError, match="as expected"):
        thread.run(fail(), timeout=TIMEOUT)


def test_an_error_in_a_posted_callback_is_logged_with_its_traceback(thread, caplog):
    thread.post(lambda: {}["posted"])
    thread.run(asyncio.sleep(0), timeout=TIMEOUT)
    (record,) = caplog.records
    assert record.name.startswith("cozmo_driver.")
    assert "KeyError: 'posted'" in caplog.text


def test_the_thread_refuses_to_wait_for_itself(thread):
    async def outer() -> None:
        thread.run(asyncio.sleep(0))

    with pytest.raises(RuntimeError, match="cannot wait for itself"):
        thread.run(outer(), timeout=TIMEOUT)


def test_stopping_cancels_what_still_runs():
    thread = LoopThread()
    cancelled = threading.Event()
    started = threading.Event()

    async def wait_for_ever() -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    thread.submit(wait_for_ever())
    assert started.wait(TIMEOUT)
    thread.stop()
    assert cancelled.is_set()
    assert not thread.post(lambda: None)
