"""Cancelling is never swallowed: at every await, again while it is handled, in every maneuver."""

from __future__ import annotations

import asyncio
from random import Random

import pytest

from cozmo_driver.manipulation.charger_docking import dock_charger
from cozmo_driver.manipulation.cube_pick_up import pick_up_cube
from cozmo_driver.manipulation.cube_pyramid import build_pyramid
from cozmo_driver.manipulation.cube_rolling import roll_cube
from cozmo_driver.manipulation.cube_stacking import stack_cubes
from cozmo_driver.manipulation.cube_tricks import align, knock_over, pop_a_wheelie
from cozmo_driver.manipulation.obstacle_avoidance import run_while
from cozmo_driver.robot import Pose2D, RobotError

from ..robot.virtual import in_virtual_time
from . import home, table


class Work:
    """Work whose end takes some turns of the loop."""

    def __init__(self) -> None:
        self.running = 0

    async def __call__(self) -> None:
        self.running += 1
        try:
            await asyncio.sleep(30.0)
        finally:
            try:
                for _ in range(3):
                    await asyncio.sleep(0)
            finally:
                self.running -= 1


async def turns(count: int) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def maneuver(work: Work) -> None:
    """Begin work and leave it, again and again."""
    while True:
        await run_while(work(), iter((True, False)).__next__, 0.0)


@pytest.mark.parametrize("again", [None, 0, 1, 2, 3, 4])
def test_cancelling_ends_what_runs_while_it_is_wanted(again: int | None) -> None:
    async def cancel(first: int) -> None:
        work = Work()
        task = asyncio.ensure_future(maneuver(work))
        await turns(first)
        task.cancel()
        if again is not None:
            await turns(again)
            task.cancel()
        await turns(20)
        assert task.cancelled(), first
        assert work.running == 0, first

    for first in range(40):
        asyncio.run(cancel(first))


CUBES = (
    {"number": 1, "x": 0.2, "y": 0.1},
    {"number": 2, "x": 0.2, "y": -0.15},
    {"number": 3, "x": 0.35, "y": 0.0},
)
STACK = ({"number": 1, "x": 0.25, "y": 0.03}, {"number": 2, "on_cube": 1})
TRICKS = {
    "align": (align, CUBES),
    "pick up": (pick_up_cube, CUBES),
    "roll": (roll_cube, CUBES),
    "stack": (stack_cubes, CUBES),
    "pyramid": (build_pyramid, CUBES),
    "wheelie": (pop_a_wheelie, CUBES),
    "knock over": (knock_over, STACK),
}


async def cancelled(world, work, random: Random) -> None:
    """Cancel work at some time, twice: the robot stands then."""
    task = asyncio.ensure_future(work)
    await world.pass_time(random.choice((0.3, 2.0, 8.0)) * random.uniform(0.2, 1.0))
    was_done = task.done()
    for _ in range(2):
        task.cancel()
        await world.pass_time(random.uniform(0.0, 0.1))
    await asyncio.wait([task], timeout=1.0)
    assert task.done()
    if not was_done:
        assert task.cancelled()
    elif not task.cancelled():
        assert isinstance(task.exception(), RobotError | None)
    await world.until(lambda: table.is_safe(world), 1.5)
    await world.pass_time(0.5)
    assert table.is_safe(world)


@pytest.mark.parametrize("name", TRICKS)
def test_a_maneuver_that_is_cancelled_twice_ends_at_once(name: str) -> None:
    trick, cubes = TRICKS[name]

    @in_virtual_time(emulator=table.emulated(*cubes, ideal=True))
    async def play(world) -> None:
        random = Random(name)
        for _ in range(6):
            await cancelled(world, trick(table.Knowing(world)), random)

    play()


@in_virtual_time(emulator=home.emulated(ideal=True))
async def test_docking_that_is_cancelled_twice_ends_at_once(world) -> None:
    at_home, random = home.Home(world), Random(1)
    await at_home.undock()
    for _ in range(6):
        await at_home.go(Pose2D(-0.3, 0.1, 2.0))
        await cancelled(world, dock_charger(at_home.body, at_home.memory), random)
