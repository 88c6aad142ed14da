"""One asyncio loop in a thread of its own; it owns the socket and every timer."""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

_log = logging.getLogger(__name__)

_Result = TypeVar("_Result")


class LoopThread:
    """Runs an asyncio loop in a daemon thread; everything handed over runs there."""

    def __init__(self, name: str = "cozmo-link") -> None:
        """Start the thread and wait until its loop runs."""
        self.loop = asyncio.new_event_loop()
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
    def is_running(self) -> bool:
        """Tell whether work handed over will still run."""
        return self._thread.is_alive() and not self.loop.is_closed()

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

    def stop(self, timeout: float = 5.0) -> None:
        """End the loop, cancel what is left in it and join the thread; safe to call twice."""
        self.post(self.loop.stop)
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout)


def _log_fault(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log what a callback raised, or a task whose error nobody asked for."""
    _log.error("%s", context["message"], exc_info=context.get("exception"))
