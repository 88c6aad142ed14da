"""Coroutines in the loop's thread that callbacks of the executor await: services and goals."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import Future as ThreadFuture
from typing import Any, TypeVar

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.task import Future

from ..link import LoopThread
from ..robot import Reason, RobotError
from .errors import accept, refuse

_Result = TypeVar("_Result")
_ROUNDS = 2
"""Of the executor after a callback has returned: what it returned is sent in the second one."""
_DELIVERY = 0.1
"""s: whoever hears first that the node has left the graph drops what it sent last."""


class Job:
    """One coroutine that can be ended early, and why; every method in the loop's thread."""

    def __init__(self) -> None:
        self.is_done = False
        self._task: asyncio.Task[Any] | None = None
        self._ending: tuple[Reason, str] | None = None

    async def run(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        """Return what ``work`` returns. Raises what it raises, or why it was ended."""
        try:
            if self._ending is not None:
                work.close()
                raise RobotError(*self._ending)
            self._task = asyncio.current_task()
            return await work
        except asyncio.CancelledError:
            if self._ending is None:
                raise
            raise RobotError(*self._ending) from None
        finally:
            self.is_done, self._task = True, None

    def end(self, reason: Reason, text: str) -> None:
        """Cancel the coroutine, again if need be; the first reason counts."""
        if self.is_done:
            return
        self._ending = self._ending or (reason, text)
        if self._task is not None:
            self._task.cancel()


class Jobs:
    def __init__(self, node: Node, thread: LoopThread, what: str = "the driver") -> None:
        """Run jobs in ``thread``; ``what`` it is that shuts down at the end, for people."""
        self._node, self._thread = node, thread
        self._at_end = Reason.SHUTDOWN, f"{what} shuts down"
        self._is_closed = self._is_over = False
        self._running: set[Job] = set()
        self._changed = threading.Condition()
        # A callback that awaits keeps its group busy.
        self.callback_group = ReentrantCallbackGroup()

    def serve(
        self, kind: Any, name: str, handle: Callable[[Any, Any], Coroutine[Any, Any, str]]
    ) -> None:
        """Offer a service: ``handle(request, response)`` runs in the loop's thread.

        It returns the message of a success, or raises why there is none; the client is answered
        in any case.
        """

        async def on_request(request: Any, response: Any) -> Any:
            try:
                text = await self.result_of(handle(request, response))
            except Exception as error:
                return refuse(response, error, name)
            return accept(response, text)

        self._node.create_service(kind, name, on_request, callback_group=self.callback_group)

    async def result_of(
        self, work: Coroutine[Any, Any, _Result], job: Job | None = None
    ) -> _Result:
        """Await ``work`` in a callback of the executor, which goes on meanwhile."""
        job = job or Job()
        with self._changed:
            if self._is_closed:
                work.close()
                raise RobotError(*self._at_end)
            self._running.add(job)
        try:
            # In a variable the error would hold this function's frame, and the frame the error.
            return (await self._ended(job.run(work))).result()
        finally:
            with self._changed:
                self._running.discard(job)
                self._changed.notify_all()

    async def _ended(self, work: Coroutine[Any, Any, _Result]) -> ThreadFuture[_Result]:
        outcome, arrival = self._thread.submit(work), Future()

        def on_end(_: ThreadFuture[_Result]) -> None:
            # Called in the loop's thread: older executors do not notice by themselves.
            with self._changed:
                if not self._is_over:
                    arrival.set_result(None)
                    self.wake()

        outcome.add_done_callback(on_end)
        await arrival
        return outcome

    def wake(self) -> None:
        """Let the executor look anew at what it waits for; call in any thread."""
        with self._changed:
            # An executor that has ended cannot be woken.
            if not self._is_over and (executor := self._node.executor) is not None:
                executor.wake()

    def close(self, timeout: float) -> None:
        """End all jobs with ``SHUTDOWN`` and let the executor answer those who wait for them.

        Waits at most ``timeout`` s. Call in a thread of your own while the executor spins.
        """
        deadline = time.monotonic() + timeout
        with self._changed:
            self._is_closed = True
            running = tuple(self._running)
        for job in running:
            self._thread.post(job.end, *self._at_end)
        with self._changed:
            are_done = self._changed.wait_for(lambda: not self._running, timeout)
        if running and are_done:
            self._wait_for_rounds(deadline)
            time.sleep(_DELIVERY)
        with self._changed:
            self._is_over = True

    def _wait_for_rounds(self, deadline: float) -> None:
        for _ in range(_ROUNDS):
            turned = threading.Event()
            self._node.executor.create_task(turned.set)
            turned.wait(max(0.0, deadline - time.monotonic()))
