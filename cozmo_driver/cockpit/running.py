"""A goal that a page has sent."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from .robot_port import Answer


class Running:
    """One goal at a time; a newer one ends it, and so does ``cancel``."""

    def __init__(self) -> None:
        self._task: asyncio.Task[Answer] | None = None

    async def run(self, goal: Coroutine[Any, Any, Answer]) -> None:
        self.cancel()
        task = self._task = asyncio.ensure_future(goal)
        await asyncio.wait([task])

    def cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()
