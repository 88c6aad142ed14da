"""Time that jumps to whatever comes next: a day in minutes, always the same."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _Jump(selectors.DefaultSelector):
    """Waits for nothing: where the loop would wait, its time goes on."""

    loop: VirtualLoop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        events = super().select(0)
        if not events:
            if timeout is None:
                raise RuntimeError("everything waits and nothing will happen")
            self.loop.moment += timeout
        return events


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose time is virtual; ``moment`` is the present one, s."""

    def __init__(self, moment: float = 0.0) -> None:
        selector = _Jump()
        selector.loop = self
        self.moment = moment
        super().__init__(selector)

    def time(self) -> float:
        return self.moment


def run_in_virtual_time(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine that neither waits for sockets nor for threads; return its result."""
    loop = VirtualLoop()
    try:
        return loop.run_until_complete(work)
    finally:
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        if left:
            loop.run_until_complete(asyncio.wait(left))
        loop.close()
