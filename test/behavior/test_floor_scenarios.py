"""Food, the floor, a laser, a pyramid, and what cubes and people raise by themselves: to the proper
end and disturbed, on the emulator (spec 17 §1, §2, §5.1).
"""

from __future__ import annotations

import asyncio
import math
from dataclasses import replace

import pytest

from cozmo_driver.behavior.behaviors.feeding import _FOOD
from cozmo_driver.behavior.executor import RequestEnded
from cozmo_driver.behavior.needs_config import Need
from cozmo_driver.emulator import Pose2D as WorldPose
from cozmo_driver.emulator.world import World
from cozmo_driver.emulator.world.layout_file import layout_of
from cozmo_driver.perception import RobotPerception
from cozmo_driver.planning import Box
from cozmo_driver.protocol import UpAxis
from cozmo_driver.robot import Pose2D, Reason

from ..manipulation.table import emulated
from ..robot.hands import act, is_standing, set_on_dark_floor, with_robot
from .surroundings import living, waiting

AHEAD = {"number": 1, "x": 0.25, "y": 0.03, "yaw": 20}
BASES = ({"number": 1, "x": 0.25, "y": 0.023}, {"number": 2, "x": 0.25, "y": -0.023})
TOP = {"number": 3, "on_cube": 1, "x": 0.25, "y": 0.002}
_SMALL = layout_of({"name": "table", "floor": [{"rectangle": [-0.6, -0.6, 0.4, 0.6]}]}, "small")
ON_SMALL_TABLE = {"world": lambda: World(_SMALL, seed=0, ideal=True), "seed": 0, "ideal": True}


def among(*cubes):
    return with_robot(emulated(*cubes, ideal=True))


async def reacted(scene, trigger, seconds=30.0):
    await scene.world.until(lambda: scene.life.has_reacted_to(trigger), seconds)


async def ended(doing):
    with pytest.raises(RequestEnded) as error:
        await doing
    return error.value.reason


# -- food


def shake(world, counts):
    radios = world.firmware.place.cubes
    radios.cubes[radios.of_kind(1)].shaking = counts


async def connected(world):
    await world.until(lambda: any(cube.is_connected for cube in world.robot.cubes.all), 60.0)


@among(AHEAD)
async def test_it_asks_for_food_looks_for_it_and_eats(world):
    async with living(world) as scene:
        await connected(world)
        asking = asyncio.ensure_future(scene.run("Feeding_Ask"))
        await world.until(lambda: scene.stepped("waits for a cube"))
        shake(world, 80.0)
        await world.until(lambda: scene.played("FeedingReactFullCube"), 20.0)
        shake(world, 0.0)
        assert await asking == 1
        assert await scene.run("Feeding_Search") == 1
        scene.engine.inner.needs.levels[Need.ENERGY] = 0.4
        assert await scene.run("Feeding_Eat") == 1
        assert "Fed" in scene.reached
        assert scene.engine.inner.level("Energy") > 0.45
        # What was eaten is gone.
        assert await ended(scene.run("Feeding_Eat")) is Reason.NOT_ALLOWED


@among(AHEAD)
async def test_whoever_is_slow_to_shake_the_cube_feeds_it_too(world):
    async with living(world) as scene:
        await connected(world)
        scene.eyes.hidden.add("cube_1")
        scene.engine.inner.needs.set_level(Need.ENERGY, 0.1, world.loop.time())
        await world.until(lambda: scene.stepped("waits for a cube"), 60.0)
        for _ in range(2):
            await world.pass_time(25.0)
            shake(world, 80.0)
            await world.pass_time(0.5)
            shake(world, 0.0)
        shake(world, 80.0)
        await world.until(lambda: scene.played("FeedingReactFullCube"), 20.0)
        shake(world, 0.0)
        await world.until(lambda: scene.stepped("looks for its food, attempt 2"), 60.0)
        scene.eyes.hidden.clear()
        await world.until(lambda: "Fed" in scene.reached, 120.0)


@among(AHEAD)
async def test_food_that_is_taken_away_interrupts_the_meal(world):
    async with living(world) as scene:
        await connected(world)
        cube = next(one for one in world.robot.cubes.all if one.kind == 1)
        scene.engine.situation.memory[_FOOD] = {"full": cube.factory_id}
        eating = asyncio.ensure_future(scene.run("Feeding_Eat"))
        await world.until(lambda: scene.stepped("eats"), 30.0)
        act(world, lambda f: f.handling.flip_cube(1, UpAxis.X_POSITIVE))
        assert await ended(eating) is Reason.OBSTRUCTED
        assert scene.played("FeedingInterrupted")
        assert "Fed" not in scene.reached


# -- the floor


@with_robot(emulator=ON_SMALL_TABLE)
async def test_it_looks_all_around_and_goes_to_look_at_an_edge(world):
    async with living(world) as scene:
        scene.map_floor()
        assert await scene.run("Floor_LookInPlace") == 1
        headings = [turn for _, turn in scene.life.steps if turn.startswith("looks where")]
        assert len(headings) > 3
        assert await scene.run("Floor_VisitEdge") == 1
        # The table ends 0.4 m ahead.
        assert 0.2 < scene.pose.x < 0.33
        assert world.robot.cliff.is_active
        assert scene.played("Curiosity")


@with_robot(emulator=ON_SMALL_TABLE)
async def test_lifted_it_looks_around_no_more(world):
    async with living(world) as scene:
        scene.map_floor()
        looking = asyncio.ensure_future(scene.run("Floor_LookInPlace"))
        await world.until(lambda: scene.stepped("looks where it has not seen the floor, 2"), 20.0)
        act(world, lambda f: f.handling.pick_up())
        await reacted(scene, "RobotPickedUp", 3.0)
        assert is_standing(world)
        looking.cancel()


@with_robot()
async def test_it_feels_the_floor_by_the_one_sensor_that_there_is(world):
    async with living(world) as scene:
        assert scene.life.body.senses.cliff_raw > 800


@with_robot()
async def test_it_wanders_on_over_a_dark_floor_and_minds_the_edges_that_it_meets_there(world):
    legs = []
    await set_on_dark_floor(world)
    async with RobotPerception(world.robot) as eyes, living(world) as scene:
        drive = scene.life.body.drive_distance

        async def note(distance, *speed):
            legs.append(distance)
            await drive(distance, *speed)

        def has_marked_edges():
            return 100 in eyes.core.floor.grid(world.loop.time()).cells

        scene.life.body.drive_distance = note
        assert await scene.run("Alone_Wander") == 1
        assert legs
        assert min(legs) > 0.0
        assert not has_marked_edges()
        for count in (1, 2):
            wandering = asyncio.ensure_future(scene.run("Alone_Wander"))
            await world.until(lambda: world.robot.odometry.linear_velocity > 0.04, 30.0)
            act(world, lambda f: f.ground.set_edge(True))
            await world.until(lambda n=count: len(scene.life.times_of("plays ReactToCliff")) == n)
            assert has_marked_edges()
            act(world, lambda f: f.ground.set_floor(520))
            await world.until(lambda: scene.life.now.reaction == "", 30.0)
            assert legs[-1] < 0.0
            wandering.cancel()


@pytest.mark.parametrize("moves", [True, False])
@among()
async def test_it_hunts_a_dot_of_light_that_it_may_hunt(world, moves):
    async with living(world) as scene:
        laser = scene.engine.behaviors["Motion_Laser"]
        allowed = replace(laser.config, values={**laser.config.values, "isAllowed": True})
        laser.config = allowed
        hunting = asyncio.ensure_future(scene.run("Motion_Laser"))
        for _ in range(8 if moves else 0):
            ahead = scene.pose.compose(Pose2D(0.13, 0.02))
            scene.prey = ahead.x, ahead.y
            await world.pass_time(0.5)
        scene.prey = None
        assert await hunting == 1
        assert ("LaserTracked" in scene.reached) is moves
        assert scene.played("LaserGetOut") is moves


# -- cubes on each other


@among(*BASES, TOP)
async def test_it_takes_notice_of_a_pyramid_once_and_looks_above_a_cube(world):
    async with living(world) as scene:
        assert await scene.run("Cubes_PyramidSeen") == 1
        assert scene.played("Joy")
        assert await ended(scene.run("Cubes_PyramidSeen")) is Reason.NOT_ALLOWED
        before = scene.pose.yaw
        assert await scene.run("Cubes_CheckForStack") == 1
        assert abs(math.remainder(scene.pose.yaw - before, 2 * math.pi)) < 0.05
        assert await ended(scene.run("Cubes_CheckForStack")) is Reason.NOT_ALLOWED


@among(AHEAD)
async def test_without_a_link_it_looks_above_no_cube(world):
    async with living(world) as scene:
        assert await ended(scene.run("Cubes_PyramidSeen")) is Reason.NOT_ALLOWED
        looking = asyncio.ensure_future(scene.run("Cubes_CheckForStack"))
        await world.until(lambda: scene.stepped("looks above"), 20.0)
        async with world.without_link():
            assert await ended(looking) in (Reason.LINK_LOST, Reason.NOT_CONNECTED)


# -- what raises a trigger by itself


def move(world, scene, off):
    """Move the cube to a place as seen from the robot; an ideal one's odometry is the truth."""
    there = scene.pose.compose(off)
    place = WorldPose(1000.0 * there.x, 1000.0 * there.y, 0.3)
    act(world, lambda f: f.place.world.move_cube(1, place))


@among(AHEAD)
async def test_a_cube_is_news_once_and_again_when_it_is_elsewhere(world):
    async with living(world) as scene, waiting(scene):
        await world.pass_time(3.0)
        assert len(scene.life.times_of("plays AcknowledgeObject")) == 1
        move(world, scene, Pose2D(0.3, -0.12))
        await world.until(lambda: len(scene.life.times_of("plays AcknowledgeObject")) == 2, 25.0)


BEHIND = {"number": 1, "x": -0.25, "y": 0.02}


@pytest.mark.parametrize("is_gone", [False, True])
@among(BEHIND)
async def test_a_cube_that_is_moved_behind_its_back_is_looked_for(world, is_gone):
    async with living(world) as scene:
        await connected(world)
        async with waiting(scene):
            for step in range(8):
                move(world, scene, Pose2D(-0.25, 0.01 * (-1) ** step))
                await world.pass_time(0.2)
            await reacted(scene, "CubeMoved", 3.0)
            if is_gone:
                scene.eyes.unseen.add("cube_1")
            clip = "CubeMovedUpset" if is_gone else "AcknowledgeObject"
            await world.until(lambda: scene.played(clip), 10.0)
            assert scene.played("CubeMovedSense")


@among(AHEAD)
async def test_a_cube_that_no_way_leads_to_is_rammed(world):
    async with living(world) as scene:
        for side in (-0.08, 0.08):
            scene.eyes.walls.append(Box(0.25 + side, 0.03, 0.0, 0.01, 0.16, "wall"))
            scene.eyes.walls.append(Box(0.25, 0.03 + side, 0.0, 0.16, 0.01, "wall"))
        picking = asyncio.ensure_future(scene.run("Cubes_PickUp"))
        await reacted(scene, "NoPreDockPoses")
        assert await ended(picking) is Reason.NO_PATH
        await world.until(lambda: scene.stepped("rams cube 1"), 10.0)


@pytest.mark.parametrize("sees_somebody", [True, False])
@among()
async def test_in_somebodys_hand_it_greets_who_it_sees_there(world, sees_somebody):
    async with living(world) as scene:
        await world.until(lambda: scene.life.now.behavior_id, 30.0)
        act(world, lambda f: f.handling.pick_up())
        await world.until(lambda: scene.played("ReactToPickup"), 10.0)
        if sees_somebody:
            scene.show_face(0.35)
        await world.pass_time(9.0)
        assert scene.played("AcknowledgeFaceUnnamed") is sees_somebody
        act(world, lambda f: f.handling.put_down())
        await reacted(scene, "ReturnedToTreads", 5.0)
