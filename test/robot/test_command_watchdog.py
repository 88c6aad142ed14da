from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from cozmo_driver.robot import CommandTimer

from .virtual import VirtualLoop


class Driven:
    """A timer in virtual time and the times at which it expired."""

    def __init__(self) -> None:
        self.loop = VirtualLoop()
        self.stops: list[float] = []
        self.timer = CommandTimer(0.5, lambda: self.stops.append(self.loop.time() - 1000.0))

    def run(self, scenario: Callable[[Driven], Coroutine[Any, Any, None]]) -> None:
        try:
            self.loop.run_until_complete(scenario(self))
        finally:
            self.loop.close()


def test_a_timer_calls_once_when_the_sender_falls_silent() -> None:
    async def scenario(driven: Driven) -> None:
        for _ in range(10):
            driven.timer.command(True)
            await asyncio.sleep(0.3)
        await asyncio.sleep(10.0)

    driven = Driven()
    driven.run(scenario)
    assert driven.stops == [pytest.approx(2.7 + 0.5)]


def test_a_timer_of_a_sender_that_stops_calls_nobody() -> None:
    async def scenario(driven: Driven) -> None:
        driven.timer.command(True)
        await asyncio.sleep(0.4)
        driven.timer.command(False)
        await asyncio.sleep(10.0)

    driven = Driven()
    driven.run(scenario)
    assert driven.stops == []


def test_a_shorter_timeout_holds_for_the_command_under_way() -> None:
    async def scenario(driven: Driven) -> None:
        driven.timer.change_timeout(5.0)
        driven.timer.command(True)
        await asyncio.sleep(1.0)
        driven.timer.change_timeout(1.5)
        await asyncio.sleep(10.0)

    driven = Driven()
    driven.run(scenario)
    assert driven.stops == [pytest.approx(1.5)]
    assert driven.timer.timeout == 1.5
