"""Tricks and Keepaway with the robot's own perception and manipulation, in virtual time."""

from __future__ import annotations

import asyncio
import contextlib
import math

from cozmo_driver.behavior.executor import Request
from cozmo_driver.behavior.games import Phase
from cozmo_driver.behavior.games.keepaway import FRONT, HALF_CUBE
from cozmo_driver.emulator import Pose2D as WorldPose
from cozmo_driver.manipulation.robot_manipulator import RobotManipulator
from cozmo_driver.perception import RobotPerception

from ...manipulation.table import emulated, in_odom, is_safe
from ...robot.hands import act, with_robot
from ..alive import Personality

BEHIND = {"number": 1, "x": -0.25, "y": 0.05, "yaw": 20}
AHEAD = {"number": 1, "x": 0.25, "y": 0.0, "yaw": 0}
IN_REACH = 0.055
"""m from the front to the cube's edge: nearer than 0.068, not so near that it pounces at once."""


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


@with_robot(emulator=emulated(AHEAD, ideal=True))
async def test_it_plays_keepaway_with_a_cube_that_it_sees(world):
    states = []
    async with seeing(world) as life:
        await world.until(lambda: life.body.sight.cubes, 60)
        await world.until(lambda: any(c.is_connected for c in world.robot.cubes.all), 60)
        behavior = life.engine.behaviors["Game_Keepaway"]
        values = {"level": 1, "rounds": 1, "points": 1, "playerCube": 1}
        game = asyncio.ensure_future(
            life.engine.serve(Request(behavior, values=values, on_game=states.append))
        )
        await world.until(lambda: states and states[-1].phase is Phase.WAITING, 60)
        hold_out(world)
        await world.until(game.done, 120)
        assert await game == 1
    phases = [state.phase for state in states]
    assert phases.index(Phase.WAITING) < phases.index(Phase.PLAYER) < phases.index(Phase.JUDGED)
    last = states[-1]
    assert (last.phase, last.robot_points + last.player_points) == (Phase.OVER, 1)


def hold_out(world):
    """Put the cube before the robot."""
    here = world.firmware.body.world_pose
    center = world.robot.localization.drive_center
    origin = world.robot.localization.pose
    reach = FRONT + HALF_CUBE + IN_REACH - math.dist((center.x, center.y), (origin.x, origin.y))
    x = here.x + 1000.0 * reach * math.cos(here.angle)
    y = here.y + 1000.0 * reach * math.sin(here.angle)
    act(world, lambda f: f.place.world.move_cube(1, WorldPose(x, y, here.angle)))
