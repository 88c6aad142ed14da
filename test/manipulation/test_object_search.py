"""Looking for an object, and following one that is carried about."""

from __future__ import annotations

import asyncio
import math
from dataclasses import replace

import pytest

from cozmo_driver.emulator import Pose2D as WorldPose
from cozmo_driver.link import end
from cozmo_driver.manipulation import find_object, follow_object
from cozmo_driver.perception.world.objects import PoseState
from cozmo_driver.robot import Reason

from ..robot.virtual import in_virtual_time
from .table import Knowing, Phases, Told, emulated, failure, in_odom, is_safe, looking

BEHIND = {"number": 1, "x": -0.25, "y": 0.05, "yaw": 20}
with_one_behind = in_virtual_time(emulator=emulated(BEHIND, ideal=True))


@with_one_behind
async def test_it_turns_until_it_sees_what_stands_behind_it(world):
    phases = Phases()
    async with looking(world) as body:
        assert await find_object(body, on_phase=phases) == ("cube_1", 1)
        seen = body.objects["cube_1"]
    there, found = in_odom(world, 1), seen.pose[:2, 3]
    assert math.dist((there.x, there.y), found) < 0.02
    assert phases.all[0] == ("looking", 1)


@with_one_behind
async def test_what_is_nowhere_is_looked_for_twice_around(world):
    body, phases = Told(world), Phases()
    body.change("cube_1", state=PoseState.UNKNOWN, pose=None, is_visible=False)
    caught = await failure(find_object(body, "cube_1", phases))
    assert "cozmo vision learn --cube 1" in str(caught)
    unknown = await failure(find_object(body, "teapot"))
    assert (caught.reason, phases.all[-1]) == (Reason.NOT_SEEN, ("looking", 2))
    assert unknown.reason is Reason.NOT_FOUND


@with_one_behind
async def test_without_sight_nothing_is_looked_for(world):
    caught = await failure(find_object(Knowing(world, has_vision=False), "cube_1"))
    assert caught.reason is Reason.NOT_SEEN


@in_virtual_time(emulator=emulated({"number": 1, "x": 0.25, "y": 0.0, "yaw": 0}, ideal=True))
async def test_it_stays_before_a_cube_that_is_carried_about(world):
    phases = Phases()
    async with looking(world) as body:
        following = asyncio.ensure_future(follow_object(body, "cube_1", on_phase=phases))
        try:
            for x, y in ((350.0, 120.0), (-150.0, 100.0)):
                world.firmware.place.world.move_cube(1, WorldPose(x, y, 0.3))
                await world.until(lambda: is_before(world))
        finally:
            await end(following)
        await world.until(lambda: is_safe(world))


@in_virtual_time(emulator=emulated({"number": 1, "x": 0.25, "y": 0.0, "yaw": 0}, ideal=True))
async def test_it_looks_up_to_a_cube_that_is_raised(world):
    body = Told(world)
    following = asyncio.ensure_future(follow_object(body, "cube_1"))
    try:
        await world.until(lambda: is_before(world))
        for height, angle in ((0.082, math.radians(22.0)), (0.022, math.radians(-5.0))):
            place = body.objects["cube_1"].pose.copy()
            place[2, 3] = height
            body.change("cube_1", pose=place)
            await world.until(lambda to=angle: abs(head(world) - to) < 0.1)
    finally:
        await end(following)


@in_virtual_time(emulator=emulated({"number": 1, "x": 0.25, "y": 0.0, "yaw": 0}, ideal=True))
async def test_it_looks_for_a_cube_that_is_snatched_up_above_where_it_was(world):
    phases, cube = Phases(), world.firmware.place.world.cube(1)
    async with looking(world) as body:
        following = asyncio.ensure_future(follow_object(body, "cube_1", on_phase=phases))
        try:
            await world.until(lambda: is_before(world) and head(world) < 0.0)
            world.firmware.place.world.put_cube(cube, replace(cube.place, bottom=60.0))
            await world.until(lambda: head(world) > math.radians(20.0) and not body.state.is_moving)
            await world.until(lambda: body.objects["cube_1"].is_visible)
        finally:
            await end(following)
    assert phases.all.count(("looking", 1)) == 1


@in_virtual_time(emulator=emulated({"number": 1, "x": 0.25, "y": 0.0, "yaw": 0}, ideal=True))
async def test_a_robot_that_is_lifted_follows_no_more(world):
    async with looking(world) as body:
        following = asyncio.ensure_future(follow_object(body, "cube_1"))
        await world.until(lambda: is_before(world))
        world.firmware.ground.pick_up()
        assert (await failure(following)).reason is Reason.PICKED_UP


@with_one_behind
async def test_a_duration_is_finite(world):
    with pytest.raises(ValueError, match="duration"):
        await follow_object(Knowing(world), "cube_1", math.nan)


def head(world) -> float:
    return world.robot.state.head_angle


def is_before(world) -> bool:
    """Whether the robot stands 0.15 m before the cube, and faces it."""
    off = world.robot.localization.drive_center.inverse().compose(in_odom(world, 1))
    away = math.hypot(off.x, off.y)
    return abs(away - 0.15) < 0.05 and abs(math.atan2(off.y, off.x)) < math.radians(12.0)
