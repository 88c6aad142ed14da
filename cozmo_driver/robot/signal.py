"""Signals: callbacks called in the loop's thread."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Generic, TypeVar

_log = logging.getLogger(__name__)

_Value = TypeVar("_Value")


class Signal(Generic[_Value]):
    """Calls every connected callback with each value, in the order of connecting."""

    def __init__(self) -> None:
        self._callbacks: list[Callable[[_Value], object]] = []

    def connect(self, callback: Callable[[_Value], object]) -> Callable[[], None]:
        """Call ``callback`` with every value from now on; return what disconnects it."""
        self._callbacks.append(callback)
        return lambda: self._callbacks.remove(callback)

    async def next(self, condition: Callable[[_Value], object] = lambda _: True) -> _Value:
        """Return the first value from now on that the condition holds for."""
        found: asyncio.Future[_Value] = asyncio.get_running_loop().create_future()

        def check(value: _Value) -> None:
            if not found.done() and condition(value):
                found.set_result(value)

        disconnect = self.connect(check)
        try:
            return await found
        finally:
            disconnect()

    def emit(self, value: _Value, *, raise_errors: bool = False) -> None:
        """Call the callbacks. One that raises is logged and does not harm the others.

        With ``raise_errors`` it is not logged, and the callbacks after it are not called.
        """
        for callback in tuple(self._callbacks):
            try:
                callback(value)
            except Exception:
                if raise_errors:
                    raise
                _log.exception("a callback failed on %s", type(value).__name__)
