"""Trials over the graph: emulator, driver, vision and manipulation talk by UDP and ROS.

Each trial has programs and a namespace of its own, as learned things and origins must not go over
from one robot to the next.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from builtin_interfaces.msg import Time

from cozmo_driver.emulator import running_emulator
from cozmo_driver.emulator.world import World
from cozmo_driver.link import LoopThread, with_timeout
from cozmo_driver.manipulation.ros_manipulator import RosManipulator
from cozmo_driver.robot import Pose2D, Reason, RobotError
from cozmo_driver.ros.clients import GoalClient, OwnGoals
from cozmo_driver.ros.context import NodeContext
from cozmo_driver.ros.geometry import stamped_pose_message
from cozmo_driver.ros.parameter_set import ParameterSet
from cozmo_interfaces.action import (
    DockCharger,
    GoToObject,
    PickUpCube,
    PlaceCube,
    RollCube,
    StackCubes,
    Undock,
)
from test.nodes.graph import running_graph

from .. import DOMAIN
from ..node_cpu import ros_program
from .trial import Outcome, Scene, Task, identity

_TIMEOUT = 300.0
"""s for a whole trial, which no goal takes."""
_POLL = 0.2
_ACTIONS = {
    "undock": Undock,
    "go_to_object": GoToObject,
    "dock_charger": DockCharger,
    "pick_up_cube": PickUpCube,
    "place_cube": PlaceCube,
    "stack_cubes": StackCubes,
    "roll_cube": RollCube,
}


class _Actions:
    """``Actions`` over the actions of driver and manipulation."""

    def __init__(self, context: NodeContext, body: RosManipulator) -> None:
        self._body, own = body, OwnGoals()
        self._goals = {
            name: GoalClient(context, kind, name, own) for name, kind in _ACTIONS.items()
        }

    async def is_ready(self, has_vision: bool) -> bool:
        """Whether all actions are offered, and manipulation knows of the robot and of vision."""
        if not all(goals.is_there for goals in self._goals.values()):
            return False
        try:
            await self._goals["go_to_object"].do(object="nothing")
        except RobotError as error:
            return error.reason is (Reason.NOT_FOUND if has_vision else Reason.NOT_SEEN)
        return False

    async def undock(self) -> None:
        await self._goals["undock"].do()

    async def dock_charger(self) -> int:
        return int((await self._goals["dock_charger"].do()).attempts)

    async def pick_up(self, name: str) -> int:
        return int((await self._goals["pick_up_cube"].do(object=name)).attempts)

    async def place(self, pose: Pose2D) -> int:
        there = stamped_pose_message(pose, Time(), self._body.odom_frame)
        goal = {"target": PlaceCube.Goal.AT_POSE, "pose": there}
        return int((await self._goals["place_cube"].do(**goal)).attempts)

    async def stack(self, top: str, bottom: str) -> int:
        return int((await self._goals["stack_cubes"].do(top=top, bottom=bottom)).attempts)

    async def roll(self, name: str) -> int:
        return int((await self._goals["roll_cube"].do(object=name)).attempts)


def trial(task: Task, seed: int) -> Outcome:
    """Let one robot do one task."""
    layout, rng = task.start(seed)
    namespace = f"/trial_{seed}"
    with (
        tempfile.TemporaryDirectory() as folder,
        running_emulator(
            calibration_time=0.0,
            world=World(layout, seed=seed),
            seed=seed,
            identity=identity(seed),
        ) as emulator,
        _programs(namespace, emulator.port, Path(folder), task.has_vision),
        running_graph(namespace) as graph,
    ):
        thread = LoopThread("trial")
        try:

            def scene() -> tuple[Scene, _Actions]:
                parameters = ParameterSet(graph.node, ())
                context = NodeContext(graph.node, thread, parameters, "the trial")
                body = RosManipulator(context)
                actions = _Actions(context, body)
                return Scene(body, actions, emulator.call, rng), actions

            # Entities that are made beside the executor's thread may break it off.
            return thread.run(_run(task, *graph.in_executor(scene)))
        finally:
            thread.stop()


async def _run(task: Task, scene: Scene, actions: _Actions) -> Outcome:
    async def run() -> Outcome:
        while not await actions.is_ready(task.has_vision):
            await asyncio.sleep(_POLL)
        return await task.run(scene)

    try:
        return await with_timeout(_TIMEOUT, run())
    except TimeoutError:
        return Outcome(False, False, time=_TIMEOUT, why=f"no end within {_TIMEOUT:g} s")


@contextmanager
def _programs(namespace: str, port: int, folder: Path, has_vision: bool) -> Iterator[None]:
    """Run driver, manipulation and perhaps vision, which know nothing of an earlier robot."""
    kept = dict.fromkeys(("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"), str(folder))
    os.environ.update(kept, ROS_DOMAIN_ID=DOMAIN)
    with ExitStack() as stack:

        def start(name: str, **parameters: object) -> None:
            stack.enter_context(ros_program(name, namespace, **parameters))

        start("driver_node", robot_address="127.0.0.1", robot_port=port, camera_enabled=has_vision)
        if has_vision:
            start("vision_node")
        start("manipulation_node", state_dir=str(folder))
        yield
