"""Picking up cubes: what is claimed is so (spec 16 §3.2, §3.3, §7)."""

from __future__ import annotations

import asyncio
import math
from dataclasses import replace

import pytest

from cozmo_driver.emulator.body import Pose2D as WorldPose
from cozmo_driver.manipulation.cube_pick_up import pick_up_cube
from cozmo_driver.manipulation.cube_placing import place_at
from cozmo_driver.perception.world.objects import PoseState
from cozmo_driver.robot import CameraOptions, Pose2D, Reason

from ..robot.virtual import in_virtual_time
from .table import (
    Knowing,
    Phases,
    Told,
    emulated,
    failure,
    held,
    in_odom,
    is_safe,
    looking,
    until_docking,
)

AHEAD = {"number": 1, "x": 0.25, "y": 0.03, "yaw": 20}
FAR = {"number": 2, "x": -0.3, "y": 0.2}


def with_cubes(*cubes):
    return in_virtual_time(emulator=emulated(*cubes, ideal=True))


@in_virtual_time(emulator=emulated(AHEAD, seed=1), camera=CameraOptions(enabled=True))
async def test_a_cube_that_is_seen_is_picked_up_and_put_down_elsewhere(world):
    async with looking(world, 1) as body:
        phases = Phases()
        assert await pick_up_cube(body, on_phase=phases) == ("cube_1", 1)
        assert phases.all == [("driving", 1), ("looking", 1), ("docking", 1), ("checking", 1)]
        assert held(world) == 1
        assert body.objects["cube_1"].is_carried
        there = body.state.pose.compose(Pose2D(0.0, 0.15, 0.5))
        claimed = await place_at(body, there)
        assert body.objects["cube_1"].state is PoseState.KNOWN
    assert held(world) is None
    place = in_odom(world, 1)
    assert (claimed.x, claimed.y) == pytest.approx((place.x, place.y), abs=0.003)
    assert (place.x, place.y) == pytest.approx((there.x, there.y), abs=0.01)


@in_virtual_time(emulator=emulated(AHEAD, seed=2), camera=CameraOptions(enabled=True))
async def test_a_cube_that_stands_beside_where_it_should_is_looked_for(world):
    async with looking(world, 1) as body:
        await body.turn_to(math.pi / 2)
        world.firmware.place.world.move_cube(1, WorldPose(290.0, 70.0, math.radians(20.0)))
        assert (await pick_up_cube(body))[0] == "cube_1"
    assert held(world) == 1


@with_cubes({"number": 1, "x": -0.5, "y": 0.4})
async def test_what_is_far_away_is_looked_at_before_the_robot_comes_near(world):
    body, looked_from = Knowing(world), []

    def on_phase(phase, _):
        if phase == "looking":
            cube, robot = in_odom(world, 1), body.state.pose
            looked_from.append(math.dist((cube.x, cube.y), (robot.x, robot.y)))

    await pick_up_cube(body, "cube_1", on_phase)
    assert looked_from == pytest.approx([0.202, 0.135], abs=0.02)


@with_cubes({"number": 1, "x": 0.6, "y": 0.0}, {"number": 2, "x": 0.542, "y": 0.0})
async def test_what_stands_behind_another_cube_is_looked_at_from_where_that_does_not_hide_it(world):
    body, looked_from = Knowing(world), []

    def on_phase(phase, _):
        if phase == "looking":
            looked_from.append(body.state.pose)

    await pick_up_cube(body, "cube_1", on_phase)
    assert abs(looked_from[0].y) > 0.1 or looked_from[0].x > 0.7


class Misled(Knowing):
    """What odometry lost has put cube 2 before cube 1, until it is looked at."""

    has_looked = False

    @property
    def objects(self):
        things = dict(super().objects)
        there, here = things["cube_2"].pose, self.state.pose
        bearing = math.atan2(there[1, 3] - here.y, there[0, 3] - here.x)
        self.has_looked |= abs(bearing - here.yaw) < math.radians(20.0)
        if not self.has_looked:
            beside = there.copy()
            beside[1, 3] -= 0.06
            things["cube_2"] = replace(things["cube_2"], pose=beside, is_visible=False)
        return things


@with_cubes({"number": 1, "x": 0.25, "y": 0.0, "pitch": 90}, {"number": 2, "x": 0.13, "y": 0.11})
async def test_what_seems_to_be_in_the_way_is_looked_at(world):
    body = Misled(world)
    assert await pick_up_cube(body, "cube_1") == ("cube_1", 1)
    assert body.has_looked


@with_cubes(FAR, {"number": 3, "on_cube": 2})
async def test_the_upper_one_of_two_is_picked_up_and_the_lower_one_refused(world):
    body = Told(world)
    error = await failure(pick_up_cube(body, "cube_2"))
    assert (error.reason, "cube_3 stands on cube_2" in str(error)) == (Reason.OBSTRUCTED, True)
    assert await pick_up_cube(body) == ("cube_3", 1)
    assert held(world) == 3
    assert (await failure(pick_up_cube(body, "cube_2"))).reason is Reason.NOT_ALLOWED


@with_cubes(AHEAD, {"number": 2, "on_cube": 1}, {"number": 3, "on_cube": 2})
async def test_what_cannot_be_is_refused_at_once(world):
    started = world.loop.time()
    body = Told(world)
    assert (await failure(pick_up_cube(body, "cube_9"))).reason is Reason.NOT_FOUND
    assert (await failure(pick_up_cube(body, "cube_3"))).reason is Reason.OUT_OF_REACH
    for number in (1, 2, 3):
        body.change(f"cube_{number}", state=PoseState.UNKNOWN, pose=None)
    for name in ("cube_1", ""):
        unseen = await failure(pick_up_cube(body, name))
        assert (unseen.reason, "vision learn --cube 1" in str(unseen)) == (Reason.NOT_SEEN, True)
    assert (await failure(pick_up_cube(Told(world, has_vision=False)))).reason is Reason.NOT_SEEN
    assert world.loop.time() - started < 2.0
    assert is_safe(world)


@with_cubes(AHEAD, FAR)
async def test_a_cube_that_is_seen_to_carry_another_one_is_left_there(world):
    body, phases = Told(world), Phases()
    picking = asyncio.ensure_future(failure(pick_up_cube(body, "cube_1", phases)))
    await world.until(lambda: phases.reached("looking"))
    body.change("cube_2", on_top_of="cube_1")
    error = await picking
    assert (error.reason, "cube_2 stands on cube_1" in str(error)) == (Reason.OBSTRUCTED, True)
    assert held(world) is None


@with_cubes(AHEAD)
async def test_a_cube_that_was_taken_away_is_missed_from_two_sides(world):
    body, phases = Told(world), Phases()
    world.firmware.place.world.move_cube(1, WorldPose(900.0, 900.0))
    error = await failure(pick_up_cube(body, "cube_1", phases))
    assert error.reason is Reason.MISSED
    assert [one for one in phases.all if one[0] == "docking"] == [("docking", 1), ("docking", 2)]
    assert not world.robot.docking.carried
    await world.until(lambda: is_safe(world))


@with_cubes(AHEAD)
async def test_a_cube_that_was_taken_and_goes_on_moving_is_held_by_somebody(world):
    body, phases = Told(world), Phases()
    world.firmware.place.world.move_cube(1, WorldPose(900.0, 900.0))
    body.change("cube_1", is_moving=True)
    error = await failure(pick_up_cube(body, "cube_1", phases))
    assert error.reason is Reason.OBSTRUCTED
    assert [one for one in phases.all if one[0] == "docking"] == [("docking", 1)]
    await world.until(lambda: is_safe(world))


@in_virtual_time(emulator=emulated(AHEAD, seed=3), camera=CameraOptions(enabled=True))
async def test_a_cube_that_moves_in_the_pictures_is_held_by_somebody(world):
    async with looking(world, 1) as body:
        phases = Phases()
        picking = asyncio.ensure_future(failure(pick_up_cube(body, "cube_1", phases)))
        await world.until(lambda: phases.reached("looking"))
        y = 10.0
        while not picking.done():
            world.firmware.place.world.move_cube(1, WorldPose(250.0, y, 0.35))
            await world.pass_time(0.4)
            y = 60.0 - y
        error = await picking
    assert error.reason is Reason.OBSTRUCTED
    assert "somebody" in str(error)
    assert held(world) is None


def _lift_robot(world, _):
    world.firmware.handling.pick_up()


def _cut_link(world, _):
    world.wire.is_cut = True


@pytest.mark.parametrize(
    ("phase", "happens", "reason"),
    [
        *((phase, _lift_robot, Reason.PICKED_UP) for phase in ("driving", "looking", "docking")),
        *((phase, _cut_link, Reason.LINK_LOST) for phase in ("driving", "looking", "docking")),
    ],
)
@with_cubes(AHEAD)
async def test_what_ends_it_is_told_within_two_seconds(world, phase, happens, reason):
    body, phases = Told(world), Phases()
    picking = asyncio.ensure_future(pick_up_cube(body, "cube_1", phases))
    await world.until(lambda: phases.reached(phase))
    if phase == "docking":
        await world.until(lambda: world.firmware.docking.is_pathing)
    happens(world, body)
    happened = world.loop.time()
    await asyncio.wait([picking])
    assert picking.exception().reason is reason
    assert world.loop.time() - happened < 2.0
    if reason is not Reason.LINK_LOST:  # without one nobody can stop it
        await world.pass_time(0.1)
        assert not world.firmware.wheels.moving
    assert held(world) is None


@with_cubes(AHEAD)
async def test_cancelled_it_stands(world):
    body, phases = Told(world), Phases()
    picking = asyncio.ensure_future(pick_up_cube(body, "cube_1", phases))
    await until_docking(world, phases)
    picking.cancel()
    await asyncio.wait([picking])
    assert picking.cancelled()
    await world.until(lambda: is_safe(world) and not world.firmware.docking.is_busy)
