"""Tricks and Keepaway with the robot's own perception and manipulation, in virtual time."""

from __future__ import annotations

import asyncio
import contextlib
import math

from cozmo_driver.behavior.executor import Request
from cozmo_driver.behavior.games import Phase, Side
from cozmo_driver.behavior.games.keepaway import FRONT, HALF_CUBE
from cozmo_driver.emulator import Pose2D as WorldPose
from cozmo_driver.manipulation.robot_manipulator import RobotManipulator
from cozmo_driver.perception import RobotPerception

from ...manipulation.table import emulated, in_odom, is_safe
from ...robot.hands import act, with_robot
from ..alive import Personality

ASIDE = {"number": 1, "x": -0.03, "y": 0.2, "yaw": 20}
AHEAD = {"number": 1, "x": 0.25, "y": 0.0, "yaw": 0}


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


@with_robot(emulator=emulated(ASIDE, ideal=True))
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


def hold(world, distance):
    """Move the cube to before the robot, m from its front wheels to the cube's edge."""
    here = world.firmware.body.world_pose
    center, origin = world.robot.localization.drive_center, world.robot.localization.pose
    ahead = FRONT + HALF_CUBE + distance - math.dist((center.x, center.y), (origin.x, origin.y))
    x = here.x + 1000.0 * ahead * math.cos(here.angle)
    y = here.y + 1000.0 * ahead * math.sin(here.angle)
    act(world, lambda f: f.place.world.move_cube(1, WorldPose(x, y, here.angle)))


@with_robot(emulator=emulated(AHEAD, ideal=True))
async def test_a_cube_that_it_sees_held_out_is_pounced_on_and_pulled_away(world):
    states = []
    async with seeing(world) as life:
        await world.until(lambda: any(cube.is_connected for cube in world.robot.cubes.all), 60)
        await world.until(lambda: life.body.sight.cubes, 60)
        values = {"level": 1, "rounds": 1, "points": 1, "playerCube": 1}
        request = Request(life.engine.behaviors["Game_Keepaway"], values=values)
        request.on_game = states.append
        game = asyncio.ensure_future(life.engine.serve(request))
        await world.until(lambda: states and states[-1].phase is Phase.WAITING, 30)
        # It comes from afar, so quickly that the head has not followed it.
        hold(world, 0.055)
        await world.until(lambda: life.times_of("plays CubePouncePounceNormal"), 30)
        hold(world, 0.20)
        await world.until(game.done, 20)
        assert await game == 1
    phases = list(dict.fromkeys(state.phase for state in states))
    assert phases == [Phase.WAITING, Phase.PLAYER, Phase.JUDGED, Phase.ROUND_OVER, Phase.OVER]
    assert (states[-1].winner, states[-1].player_points) == (Side.PLAYER, 1)
