"""A user's behaviour from one file, and what becomes of a bad file."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from cozmo_driver.behavior.system import load_classes
from cozmo_driver.behavior.testing import FakeBody, run_behavior
from cozmo_driver.behavior.testing import connected_cube as cube
from cozmo_driver.robot import CubeEvent, CubeEventType
from cozmo_driver.virtual_time import run_in_virtual_time

from .paper import Home, in_virtual_time, own_system

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "nod_at_taps.py"


def tap(body, loop):
    body.events.add(CubeEvent(loop.time(), CubeEventType.TAPPED, cube()))


@in_virtual_time
async def test_the_example_nods_once_for_each_tap():
    classes, _, warnings = load_classes([EXAMPLE])
    assert warnings == []
    body, loop = FakeBody(cubes=[cube()]), asyncio.get_running_loop()
    for second in (1, 5, 9):
        loop.call_later(second, tap, body, loop)
    await run_behavior(classes["NodAtTaps"], body)
    assert body.done("play") == ["play Nod"] * 3
    assert body.is_still


def test_what_waits_for_nothing_is_told():
    async def wait_for_nothing():
        await asyncio.get_running_loop().create_future()

    with pytest.raises(RuntimeError, match="nothing will happen"):
        run_in_virtual_time(wait_for_nothing())


@in_virtual_time
async def test_a_file_adds_behaviours_that_can_be_asked_for():
    classes, configs, _ = load_classes([EXAMPLE])
    behaviors = {**own_system().behaviors, **{config.id: config for config in configs}}
    system = replace(own_system(), behaviors=behaviors, classes=classes)
    async with Home(cubes=[cube()], system=system) as home:
        nodding = asyncio.ensure_future(home.engine.run_behavior("NodForTenSeconds"))
        await home.until(lambda: home.now.step == "listens for taps")
        tap(home.body, home.loop)
        assert await nodding == 1
        assert home.body.done("play Nod")
        assert not home.chosen("reaction")


def test_a_file_that_is_wrong_is_told_and_left_out(tmp_path):
    broken, empty = tmp_path / "broken.py", tmp_path / "empty.py"
    broken.write_text("1 / 0\n")
    empty.write_text("A = 1\n")
    classes, configs, warnings = load_classes([broken, empty, tmp_path / "missing.py"])
    assert configs == []
    assert "PlayAnim" in classes
    texts = [str(warning) for warning in warnings]
    assert len(texts) == 3
    assert any("ZeroDivisionError" in text for text in texts)
    assert any("no @behavior" in text for text in texts)
    assert any("no such file" in text for text in texts)
