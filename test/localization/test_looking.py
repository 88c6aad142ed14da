"""A robot in the emulator's room with tags looks around: it finds itself.

Everything but the network is real: detector, perception, localizer and the emulator's errors.
"""

from __future__ import annotations

import asyncio
import math
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from cozmo_driver.emulator import Pose2D as WorldPose
from cozmo_driver.emulator.world import World, find_world, load_layout
from cozmo_driver.localization import (
    Localizer,
    RobotLocalization,
    TagMap,
    load_map,
    localize,
)
from cozmo_driver.perception import RobotPerception
from cozmo_driver.robot import DRIVE_CENTER, CameraOptions, Pose2D, Reason, RobotError

from ..robot.virtual import in_virtual_time

MAP = Path(__file__).parents[2] / "config" / "maps" / "landmarks_tags.yaml"
LAYOUT = load_layout(find_world("landmarks"))
NEAR, NEAR_ANGLE = 0.03, math.radians(3.0)


def emulated(seed):
    return {"world": lambda: World(LAYOUT, seed=seed), "seed": seed}


@asynccontextmanager
async def looking(world, known):
    localizer = Localizer(known)
    async with (
        RobotPerception(world.robot) as perception,
        RobotLocalization(world.robot, perception, localizer) as robot,
    ):
        yield robot


def truth(world):
    """Where ``base_footprint`` is in the world."""
    pose = world.firmware.body.world_pose
    return Pose2D(pose.x / 1000, pose.y / 1000, pose.angle).compose(DRIVE_CENTER)


def off(known, true):
    """m and rad from the truth."""
    turn = math.remainder(known.yaw - true.yaw, 2 * math.pi)
    return math.hypot(known.x - true.x, known.y - true.y), abs(turn)


def found(seed, where):
    """How far off a robot is that was put somewhere and has looked around, and after how long."""
    result = []

    @in_virtual_time(emulated(seed), camera=CameraOptions(enabled=True))
    async def scenario(world):
        async with looking(world, load_map(MAP)) as robot:
            world.firmware.handling.put_down(where)
            await world.until(lambda: robot.localizer.estimate.stamp > 0.0)
            begun = world.loop.time()
            known = await localize(robot)
            result.append((*off(known, truth(world)), world.loop.time() - begun))

    scenario()
    return result[0]


def test_a_robot_that_was_put_somewhere_finds_itself():
    distance, turn, _ = found(1, WorldPose(-100.0, 200.0, 2.0))
    assert distance < NEAR
    assert turn < NEAR_ANGLE


@in_virtual_time(emulated(1), camera=CameraOptions(enabled=True))
async def test_where_no_tag_is_in_sight_it_says_so(world):
    elsewhere = load_map(MAP)
    others = [tag for name, tag in elsewhere.tags.items() if name == "4x4_50:2"]
    async with looking(world, TagMap.of(others)) as robot:
        world.firmware.handling.put_down(WorldPose(1000.0, -300.0, 0.0))
        with pytest.raises(RobotError, match="no tag of the map is in sight") as failed:
            await localize(robot)
        assert failed.value.reason is Reason.NOT_SEEN
    async with looking(world, TagMap()) as robot:
        with pytest.raises(RobotError, match="there is no map"):
            await localize(robot)


@in_virtual_time(emulated(1), camera=CameraOptions(enabled=True))
async def test_who_drives_meanwhile_ends_looking_around(world):
    async with looking(world, load_map(MAP)) as robot:
        world.firmware.handling.put_down(WorldPose(-100.0, 200.0, 2.0))
        await world.until(lambda: robot.localizer.estimate.stamp > 0.0)

        def on_look(what, _):
            if what == "driving":
                world.loop.call_later(0.2, world.robot.motion.drive, 0.02, 0.0)

        with pytest.raises(RobotError) as failed:
            await localize(robot, on_look=on_look)
        assert failed.value.reason is Reason.SUPERSEDED
        world.robot.motion.drive(0.0, 0.0)


@in_virtual_time(emulated(1), camera=CameraOptions(enabled=True))
async def test_a_stall_that_the_link_outlives_does_not_end_looking_around(world):
    """Images are left out for some time after it."""
    stalls = []

    def on_look(what, _):
        if what == "looking" and not stalls:
            stalls.append(asyncio.ensure_future(world.stall(4.5, is_lost=True)))

    async with looking(world, load_map(MAP)) as robot:
        world.firmware.handling.put_down(WorldPose(-100.0, 200.0, 2.0))
        await world.until(lambda: robot.localizer.estimate.stamp > 0.0)
        known = await localize(robot, on_look=on_look)
        assert stalls[0].done()
        assert world.robot.session_state.connections == 1
        assert off(known, truth(world))[0] < NEAR
