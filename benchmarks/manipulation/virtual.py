"""Trials within one program, in virtual time."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from std_msgs.msg import Header

from cozmo_driver.emulator.world import World
from cozmo_driver.manipulation.charger_docking import dock_charger
from cozmo_driver.manipulation.charger_memory import ChargerMemory
from cozmo_driver.manipulation.cube_pick_up import pick_up_cube
from cozmo_driver.manipulation.cube_placing import place_at
from cozmo_driver.manipulation.cube_rolling import roll_cube
from cozmo_driver.manipulation.cube_stacking import stack_cubes
from cozmo_driver.manipulation.robot_manipulator import RobotManipulator
from cozmo_driver.manipulation.ros_messages import map_boxes
from cozmo_driver.perception import Detections, RobotPerception
from cozmo_driver.perception.ros_floor import MAP_PERIOD, grid_message
from cozmo_driver.planning import Box
from cozmo_driver.robot import CameraOptions, Pose2D, Robot
from cozmo_driver.ros.pacing import Throttle
from test.robot.virtual import in_virtual_time

from .trial import Outcome, Scene, Task, identity

_PICTURES = 4
"""One in so many is taken where it is not about what is seen."""


class _Manipulator(RobotManipulator):
    """With the map of the ground that a vision node makes of the pictures."""

    def __init__(self, robot: Robot, eyes: RobotPerception | None) -> None:
        super().__init__(robot, eyes.world if eyes else None)
        self._eyes, self._map, self._map_due = eyes, list[Box](), Throttle(MAP_PERIOD)
        if eyes is not None:
            eyes.on_detections.connect(self._on_detections)

    @property
    def obstacles(self) -> Sequence[Box]:
        return [*super().obstacles, *self._map]

    def _on_detections(self, seen: Detections) -> None:
        if self._eyes is None:
            return
        core = self._eyes.core
        core.find_floor(seen.frame, is_wanted=False, is_mapped=True)
        if self._map_due.is_due(core.now):
            grid = core.floor.grid(core.now)
            self._map = map_boxes(grid_message(grid, Header()), core.objects(core.now))


class _Coroutines:
    """``Actions`` without ROS."""

    def __init__(self, robot: Robot, body: RobotManipulator) -> None:
        self._robot, self._body = robot, body
        self._memory = ChargerMemory()
        robot.on_state.connect(lambda _: self._memory.update(body.state))

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
        emulator={
            "world": lambda: World(layout, seed=seed),
            "seed": seed,
            "identity": identity(seed),
        },
        camera=CameraOptions(enabled=task.has_vision, auto_exposure=True),
    )
    async def scenario(virtual: Any) -> None:
        async with AsyncExitStack() as stack:
            robot = virtual.robot
            learnt = Path(stack.enter_context(TemporaryDirectory()))
            eyes = RobotPerception(robot, directory=learnt) if task.has_vision else None
            if eyes is not None:
                await stack.enter_async_context(eyes)
            body = _Manipulator(robot, eyes)
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
