"""SIGINT, SIGTERM and SIGHUP for a sub-command: it ends in order."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from ..signals import cancel_on_first_signal

_SIGNALLED = 128
_Result = TypeVar("_Result")


def run_until_signalled(
    work: Coroutine[Any, Any, _Result], may_end: Callable[[], bool] = lambda: True
) -> _Result:
    """Return the result of ``work``; the first signal cancels it and ends the command.

    ``may_end`` returns whether a signal ends the work now.
    """
    ended_by: list[int] = []

    async def cancellable() -> _Result:
        nonlocal ended_by
        ended_by = cancel_on_first_signal(may_end)
        return await work

    try:
        return asyncio.run(cancellable())
    except asyncio.CancelledError:
        raise SystemExit(_SIGNALLED + ended_by[0]) from None
