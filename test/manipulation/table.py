"""A robot among cubes in virtual time: it sees them, or is told of them."""

from __future__ import annotations

import contextlib
import math
from dataclasses import replace

import pytest

from cozmo_driver.emulator.world import World
from cozmo_driver.emulator.world.layout_file import layout_of
from cozmo_driver.manipulation.robot_manipulator import RobotManipulator
from cozmo_driver.perception import RobotPerception
from cozmo_driver.perception.world.frames import pose
from cozmo_driver.perception.world.objects import CUBE_EDGE, Kind, LocatedObject, PoseState
from cozmo_driver.robot import Pose2D, RobotError

FLOOR = [{"rectangle": [-2.0, -2.0, 2.0, 2.0], "pattern": "wood"}]


def emulated(*cubes: dict[str, object], seed: int = 0, ideal: bool = False) -> dict[str, object]:
    """Return the emulator's options: a robot at the origin among cubes."""
    layout = layout_of({"name": "table", "floor": FLOOR, "cubes": list(cubes)}, "table.yaml")
    return {"world": lambda: World(layout, seed=seed, ideal=ideal), "seed": seed, "ideal": ideal}


class Knowing(RobotManipulator):
    """A body that knows where cubes truly are; it sees all but the one on its lift."""

    def __init__(self, world, has_vision=True):
        super().__init__(world.robot)
        self._world, self._has_vision = world, has_vision

    has_vision = property(lambda self: self._has_vision)

    @property
    def objects(self):
        return {f"cube_{n}": self._known(n) for n in self._world.firmware.place.world.cubes}

    def _known(self, number: int) -> LocatedObject:
        place = self._world.firmware.place.world.cube(number).place
        there, is_held = in_odom(self._world, number), held(self._world) == number
        robot, here = self._world.firmware.body.world_pose, self._world.robot.localization.pose
        matrix = pose(there.x, there.y, float(place.center[2]) / 1000.0, here.yaw - robot.angle)
        matrix[:3, :3] = matrix[:3, :3] @ place.rotation
        return LocatedObject(
            f"cube_{number}",
            Kind.CUBE,
            PoseState.KNOWN,
            matrix,
            (CUBE_EDGE,) * 3,
            None,
            0.0,
            is_visible=not is_held,
            is_carried=is_held,
            on_top_of=f"cube_{place.on}" if place.on else None,
        )


@contextlib.asynccontextmanager
async def looking(world, *numbers: int):
    """Yield a body that knows of cubes what its eyes see, once it has turned to each of them."""
    async with RobotPerception(world.robot) as eyes:
        body = RobotManipulator(world.robot, eyes.world)
        await body.move_head(math.radians(-10.0))
        for number in numbers:
            there, here = in_odom(world, number), body.state.pose
            await body.turn_to(math.atan2(there.y - here.y, there.x - here.x))
            await eyes.find(f"cube_{number}", 10.0)
        yield body


class Told(Knowing):
    """A body that was told where cubes are, and believes it."""

    def __init__(self, world, has_vision=True):
        super().__init__(world, has_vision)
        self._told = super().objects

    objects = property(lambda self: self._told)

    def change(self, name: str, **fields: object) -> None:
        self._told[name] = replace(self._told[name], **fields)


class Phases:
    """What was reported."""

    def __init__(self):
        self.all: list[tuple[str, int]] = []

    def __call__(self, phase: str, attempt: int) -> None:
        self.all.append((phase, attempt))

    def reached(self, phase: str) -> bool:
        return bool(self.all) and self.all[-1][0] == phase


async def failure(doing) -> RobotError:
    """Return why something is not done."""
    with pytest.raises(RobotError) as caught:
        await doing
    return caught.value


async def until_docking(world, phases: Phases) -> None:
    await world.until(lambda: phases.reached("docking") and world.firmware.docking.is_pathing)


def held(world):
    """Return the number of the cube that is truly on the lift."""
    cube = world.firmware.place.fork.cube
    return None if cube is None else cube.number


def is_safe(world) -> bool:
    """Whether the robot stands and stops at edges."""
    return not world.firmware.wheels.moving and world.robot.cliff.is_active


def in_odom(world, number: int) -> Pose2D:
    """Return where a cube truly is, in the odometry frame, with its nearest direction."""
    seen = world.firmware.place.world.cube(number).pose.seen_from(world.firmware.body.world_pose)
    angle = math.remainder(seen.angle, math.pi / 2)
    return world.robot.localization.pose.compose(Pose2D(seen.x / 1e3, seen.y / 1e3, angle))
