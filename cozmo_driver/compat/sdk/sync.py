"""Methods that run on the loop's thread, whichever thread calls them (spec 21 §2).

On that thread a coroutine function gives a coroutine, to be awaited. On any other thread the same
call blocks until its result is there, so that plain programs need not know of the loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import inspect
import threading
from collections.abc import Awaitable, Callable
from typing import Any

from ...link import run_in, with_timeout
from .exceptions import SDKShutdown, TimedOut


async def limited(work: Awaitable[Any], timeout: float | None) -> Any:
    """Await, for ``timeout`` s at most, None or 0 for any time. Raises ``asyncio.TimeoutError``."""
    try:
        return await with_timeout(timeout or None, work)
    except TimeoutError:
        raise TimedOut(f"not within {timeout:g} s") from None


class Side:
    """The loop of a program, and the thread it runs in."""

    def __init__(self, loop: asyncio.AbstractEventLoop, thread: int | None = None) -> None:
        self._loop = loop
        self.thread = threading.get_ident() if thread is None else thread
        self.ended: BaseException | None = None
        """What calls raise once the connection has ended."""
        self._calls: set[asyncio.Task[Any]] = set()

    @property
    def is_here(self) -> bool:
        return threading.get_ident() == self.thread

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The loop that runs in its thread: a program may have begun another one meanwhile."""
        if self.is_here:
            with contextlib.suppress(RuntimeError):
                self._loop = asyncio.get_running_loop()
        return self._loop

    @property
    def is_running(self) -> bool:
        return self._loop.is_running()

    def post(self, function: Callable[..., object], *values: Any) -> None:
        """Call on the loop's thread, soon; from any thread, and in vain once the loop is closed."""
        try:
            self.loop.call_soon_threadsafe(function, *values)
        except RuntimeError:
            if not self.loop.is_closed():
                raise

    def call(self, function: Callable[..., Any], *values: Any, **named: Any) -> Any:
        """Call on the loop's thread, wait for what it returns, also of a coroutine."""
        if self.ended is not None or not self.loop.is_running():
            raise self.ended or SDKShutdown("the program's connection has ended")

        async def work() -> Any:
            task = asyncio.current_task()
            assert task is not None
            self._calls.add(task)
            # Whoever waits may be interrupted, and never ask for the error.
            task.add_done_callback(lambda done: done.cancelled() or done.exception())
            try:
                result = function(*values, **named)
                return await result if inspect.iscoroutine(result) else result
            except asyncio.CancelledError:
                raise self.ended or SDKShutdown("the call was cancelled") from None
            finally:
                self._calls.discard(task)

        return run_in(self.loop, work())

    def end(self, error: BaseException) -> None:
        """Let every call that waits, and all later ones, raise ``error``."""
        self.ended = error
        for task in tuple(self._calls):
            task.cancel()


class Synced:
    """Its public methods, and those of classes derived from it, run on the loop's thread."""

    _side: Side | None = None

    def __init_subclass__(cls, **named: Any) -> None:
        super().__init_subclass__(**named)
        for name, value in list(vars(cls).items()):
            if inspect.isfunction(value) and not name.startswith(("_", "recv_")):
                setattr(cls, name, _synced(value))


def _synced(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(self: Synced, *values: Any, **named: Any) -> Any:
        side = self._side
        if side is None or side.is_here:
            return function(self, *values, **named)
        return side.call(function, self, *values, **named)

    return call
