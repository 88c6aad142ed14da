"""The asyncio loop in a thread of its own, waiting that loses no cancellation, and back-off."""

from __future__ import annotations

import asyncio
import concurrent.futures
import gc
import logging
import sys
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

_log = logging.getLogger(__name__)

_Result = TypeVar("_Result")
_SWITCH_INTERVAL = 0.5e-3
"""s after which a thread lets others run: by default the loop waits ten times as long."""
_WORKERS = 3


class LoopThread:
    """Runs an asyncio loop in a daemon thread; everything handed over runs there."""

    def __init__(self, name: str = "cozmo-link", workers: int | None = _WORKERS) -> None:
        """``workers``: threads for what blocks; None: as many as asyncio's own."""
        self.loop = asyncio.new_event_loop()
        # Every thread keeps memory of its own for the pictures and files that it reads.
        self.loop.set_default_executor(ThreadPoolExecutor(workers, f"{name}-worker"))
        self.loop.set_exception_handler(_log_fault)
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        try:
            self.loop.run_forever()
        finally:
            for task in asyncio.all_tasks(self.loop):
                task.cancel()
                self.loop.run_until_complete(asyncio.gather(task, return_exceptions=True))
            self.loop.run_until_complete(self.loop.shutdown_asyncgens())
            self.loop.close()

    @property
    def ident(self) -> int:
        assert self._thread.ident is not None
        return self._thread.ident

    def post(self, function: Callable[..., object], *args: Any) -> bool:
        """Call a function soon in the thread; return False when the thread has ended."""
        try:
            self.loop.call_soon_threadsafe(function, *args)
        except RuntimeError:
            return False
        return True

    def submit(self, coroutine: Coroutine[Any, Any, _Result]) -> concurrent.futures.Future[_Result]:
        """Run a coroutine in the thread; its result or error arrives in the future."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop)

    def run(self, coroutine: Coroutine[Any, Any, _Result], timeout: float | None = None) -> _Result:
        """Run a coroutine in the thread and wait for it. Raises what it raises."""
        if threading.current_thread() is self._thread:
            coroutine.close()
            raise RuntimeError("the loop's own thread cannot wait for itself")
        return self.submit(coroutine).result(timeout)

    def finish(self, coroutine: Coroutine[Any, Any, Any], timeout: float) -> bool:
        """Run a coroutine in the thread; return whether it ended in time. Raises what it raises.

        It does not where something blocks the loop, or the machine is too busy.
        """
        future = self.submit(coroutine)
        concurrent.futures.wait([future], timeout)
        if not future.done():
            return False
        future.result()
        return True

    def stop(self, timeout: float = 5.0) -> None:
        """End the loop, cancel what is left in it and join the thread; safe to call twice."""
        self.post(self.loop.stop)
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout)


def run_in(loop: asyncio.AbstractEventLoop, coroutine: Coroutine[Any, Any, _Result]) -> _Result:
    """Run a coroutine in the loop of another thread and wait; cancel it if that is interrupted."""
    future = asyncio.run_coroutine_threadsafe(coroutine, loop)
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


def shorten_pauses() -> None:
    """Keep the interpreter from holding up the loop; call once everything has been made.

    The garbage collector leaves out what exists by now: going through it takes tens of ms.
    """
    sys.setswitchinterval(_SWITCH_INTERVAL)
    gc.collect()
    gc.freeze()


def _log_fault(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log what a callback raised, or a task whose error nobody asked for."""
    _log.error("%s", context["message"], exc_info=context.get("exception"))


async def with_timeout(seconds: float | None, work: Awaitable[_Result]) -> _Result:
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


@dataclass(frozen=True, slots=True)
class Backoff:
    """Delays, s: ``initial``, then times ``factor`` to ``limit``. Raises ``ValueError``."""

    initial: float = 0.5
    factor: float = 2.0
    limit: float = 4.0

    def __post_init__(self) -> None:
        if not (0 < self.initial <= self.limit and self.factor >= 1):
            raise ValueError(
                f"back-off needs 0 < initial <= limit and factor >= 1, not {self.initial} s, "
                f"{self.limit} s and {self.factor}"
            )

    def delay(self, failures: int) -> float:
        """Return the wait after this many failures in a row (1 or more)."""
        # The exponent is bounded: a robot that is away for days must not overflow a float.
        return min(self.limit, self.initial * self.factor ** min(failures - 1, 64))
