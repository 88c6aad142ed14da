"""Trials within one program, in virtual time."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextlib import AsyncExitStack
from functools import partial
from typing import Any

from cozmo_driver.emulator.world import World
from cozmo_driver.eyes.eyes import Eyes
from cozmo_driver.manipulation.charger import dock_charger
from cozmo_driver.manipulation.charger_memory import ChargerMemory
from cozmo_driver.manipulation.pick_up import pick_up_cube
from cozmo_driver.manipulation.place import place_at
from cozmo_driver.manipulation.robot_body import RobotBody
from cozmo_driver.manipulation.roll import roll_cube
from cozmo_driver.manipulation.stack import stack_cubes
from cozmo_driver.robot import CameraOptions, Pose2D, Robot
from test.robot.virtual import in_virtual_time

from .trial import Outcome, Scene, Task

_PICTURES = 4
"""One in so many is taken where it is not about what is seen."""


class _Coroutines:
    """``Hands`` without ROS."""

    def __init__(self, robot: Robot, body: RobotBody) -> None:
        self._robot, self._body = robot, body
        self._memory = ChargerMemory()
        robot.on_state.connect(lambda _: self._memory.update(body.situation))

    async def undock(self) -> None:
        await self._robot.maneuvers.undock()

    async def dock_charger(self) -> int:
        return await dock_charger(self._body, self._memory)

    async def pick_up(self, name: str) -> int:
        return (await pick_up_cube(self._body, name))[1]

    async def place(self, pose: Pose2D) -> int:
        await place_at(self._body, pose, turn_scale=self._memory.turn_scale)
        return 1

    async def stack(self, top: str, bottom: str) -> int:
        return (await stack_cubes(self._body, top, bottom))[2]

    async def roll(self, name: str) -> int:
        return (await roll_cube(self._body, name))[2]


def trial(task: Task, seed: int) -> Outcome:
    """Let one robot do one task."""
    layout, rng = task.start(seed)
    outcomes: list[Outcome] = []

    @in_virtual_time(
        emulator={"world": lambda: World(layout, seed=seed), "seed": seed},
        camera=CameraOptions(enabled=task.has_eyes),
    )
    async def scenario(virtual: Any) -> None:
        async with AsyncExitStack() as stack:
            robot = virtual.robot
            eyes = await stack.enter_async_context(Eyes(robot)) if task.has_eyes else None
            body = RobotBody(robot, eyes.world if eyes else None)
            scene = Scene(
                body,
                _Coroutines(robot, body),
                lambda read: read(virtual.firmware),
                rng,
                partial(_fewer_pictures, virtual),
            )
            outcomes.append(await task.run(scene))

    scenario()
    return outcomes[0]


@contextlib.contextmanager
def _fewer_pictures(virtual: Any) -> Iterator[None]:
    """Let the camera skip most pictures: they cost most of the time that a trial takes."""
    camera = virtual.firmware.camera
    capture = camera._capture

    def sometimes(image_id: int, run: int) -> None:
        if image_id % _PICTURES:
            camera._next_picture()
        else:
            capture(image_id, run)

    camera._capture = sometimes
    try:
        yield
    finally:
        camera._capture = capture
