"""Tricks with the robot's own perception and manipulation, in virtual time."""

from __future__ import annotations

import contextlib
import math

from cozmo_driver.behavior.executor import Request
from cozmo_driver.manipulation.robot_manipulator import RobotManipulator
from cozmo_driver.perception import RobotPerception

from ...manipulation.table import emulated, in_odom, is_safe
from ...robot.hands import with_robot
from ..alive import Personality

BEHIND = {"number": 1, "x": -0.25, "y": 0.05, "yaw": 20}


@contextlib.asynccontextmanager
async def seeing(world):
    async with (
        RobotPerception(world.robot) as eyes,
        Personality(world, RobotManipulator(world.robot, eyes.world)) as life,
    ):
        await world.until(lambda: life.now.state.value, 60)
        yield life


def away(world):
    """Return m from the drive center to the cube, and rad aside of the robot's front."""
    off = world.robot.localization.drive_center.inverse().compose(in_odom(world, 1))
    return math.hypot(off.x, off.y), math.atan2(off.y, off.x)


@with_robot(emulator=emulated(BEHIND, ideal=True))
async def test_it_looks_for_a_cube_and_stands_before_it(world):
    async with seeing(world) as life:
        for trick in ("Trick_LookForObject", "Trick_AlignWithCube"):
            behavior = life.engine.behaviors[trick]
            done = await life.engine.serve(Request(behavior, values={"object": "cube_1"}))
            assert done == 1
        distance, aside = away(world)
        # Its lift is at the cube: 65 mm to the middle.
        assert abs(distance - 0.065) < 0.006
        assert abs(aside) < math.radians(8.0)
    await world.until(lambda: is_safe(world))
