from __future__ import annotations

import asyncio

import pytest

from cozmo_driver.robot import CommandTimer

from .virtual import VirtualLoop


def stops_after(*steps: tuple[str, float]) -> list[float]:
    """Return when a timer of 0.5 s expires, s; steps change it or command, then wait 0.3 s."""
    loop, stops = VirtualLoop(), []
    begin = loop.time()
    timer = CommandTimer(0.5, lambda: stops.append(loop.time() - begin))

    async def scenario() -> None:
        for what, value in steps:
            if what == "timeout":
                timer.change_timeout(value)
            else:
                timer.command(bool(value))
                await asyncio.sleep(0.3)
        await asyncio.sleep(10.0)

    try:
        loop.run_until_complete(scenario())
    finally:
        loop.close()
    return stops


def test_a_timer_calls_once_when_the_sender_falls_silent() -> None:
    assert stops_after(*[("command", 0.1)] * 10) == [pytest.approx(2.7 + 0.5)]


def test_a_timer_of_a_sender_that_stops_calls_nobody() -> None:
    assert stops_after(("command", 0.1), ("command", 0.0)) == []


def test_a_shorter_timeout_holds_for_the_command_under_way() -> None:
    steps = ("timeout", 5.0), ("command", 0.1), ("timeout", 1.5)
    assert stops_after(*steps) == [pytest.approx(1.5)]
