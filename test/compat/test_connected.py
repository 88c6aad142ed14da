"""A connected robot as programs of the SDK know it: its connection, cubes by radio (spec 21)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from cozmo_driver.compat.sdk.conn import CozmoConnection
from cozmo_driver.compat.sdk.event import Event
from cozmo_driver.compat.sdk.objects import EvtObjectMovingStarted, EvtObjectMovingStopped
from cozmo_driver.compat.sdk.robot import EvtRobotStateUpdated, Robot
from cozmo_driver.compat.sdk.sync import Side
from cozmo_driver.emulator import Identity, RunningEmulator, running_emulator

CUBE, OTHER = 0xC1000011, 0xC1000099
"""Both of kind 1."""
DEADLINE = 120.0


@asynccontextmanager
async def connected(emulator: RunningEmulator, told: list[Event]) -> AsyncIterator[Robot]:
    """Connect as a program."""
    conn = CozmoConnection(Side(asyncio.get_running_loop()), (emulator.host, emulator.port))
    await conn._open()
    try:
        yield await conn.wait_for_robot()
    finally:
        await conn.shutdown()


def run(program: Callable[[RunningEmulator, list[Event]], Awaitable[None]], **robot: Any) -> None:
    with running_emulator(calibration_time=0.0, ideal=True, **robot) as emulator:
        asyncio.run(asyncio.wait_for(program(emulator, []), DEADLINE))


async def until(robot: Robot, condition: Callable[[], object]) -> None:
    while not condition():
        await robot.wait_for(EvtRobotStateUpdated)


def test_a_cube_that_is_lost_while_it_moves_has_stopped_and_starts_again() -> None:
    async def program(emulator: RunningEmulator, told: list[Event]) -> None:
        async with connected(emulator, told) as robot:
            told.clear()
            cube = robot.world.light_cubes[1]
            for kind in (EvtObjectMovingStarted, EvtObjectMovingStopped):
                cube.add_event_handler(kind, lambda event, **_: told.append(event))
            # A cube reports nothing before it has lights.
            await until(robot, lambda: emulator.call(lambda firmware: firmware.cubes.move(CUBE)))
            await until(robot, lambda: len(told) == 1)
            emulator.call(lambda firmware: firmware.cubes.drop(CUBE))
            await until(robot, lambda: len(told) == 2)
            assert not cube.is_moving
            await until(robot, lambda: emulator.call(lambda firmware: firmware.cubes.move(CUBE)))
            await until(robot, lambda: len(told) == 3)
            assert cube.is_moving
            assert [type(event) for event in told] == [
                EvtObjectMovingStarted,
                EvtObjectMovingStopped,
                EvtObjectMovingStarted,
            ]

    run(program)


def test_a_second_cube_of_a_kind_that_is_only_heard_hides_none() -> None:
    async def program(emulator: RunningEmulator, told: list[Event]) -> None:
        emulator.call(lambda firmware: setattr(firmware.cubes.cubes[OTHER], "rssi", 120))
        async with connected(emulator, told) as robot:
            await until(robot, lambda: len(robot._engine.robot.cubes.all) == 4)
            assert await robot.world.connect_to_cubes()
            assert len(list(robot.world.connected_light_cubes)) == 3

    run(program, identity=Identity(cubes=(*Identity().cubes, (OTHER, 1))))
