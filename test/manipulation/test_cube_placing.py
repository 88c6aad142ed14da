"""Putting cubes down: at a pose, beside and on others; what is claimed is so (spec 16 §3.6)."""

from __future__ import annotations

import asyncio
import math

import pytest

from cozmo_driver.emulator import Identity
from cozmo_driver.emulator.body import Pose2D as WorldPose
from cozmo_driver.emulator.hardware import DRIVE_CENTER_OFFSET
from cozmo_driver.manipulation.charger_memory import TURN_SCALES, ChargerMemory
from cozmo_driver.manipulation.cube_pick_up import pick_up_cube
from cozmo_driver.manipulation.cube_placing import place_at, place_beside, place_here, place_on
from cozmo_driver.robot import (
    Measurement,
    Pose2D,
    Reason,
    RobotCalibration,
    save_robot_calibration,
)

from ..robot.virtual import in_virtual_time
from .table import Knowing, Phases, Told, emulated, failure, held, in_odom, is_safe

FIRST = {"number": 1, "x": 0.25, "y": 0.0}
SECOND = {"number": 2, "x": 0.1, "y": -0.3, "yaw": 30}
THIRD = {"number": 3, "x": -0.3, "y": 0.3}
with_two = in_virtual_time(emulator=emulated(FIRST, SECOND, ideal=True))


async def carrying(world):
    body = Knowing(world)
    await pick_up_cube(body, "cube_1")
    return body


LYING = {"number": 2, "x": 0.1, "y": -0.3, "pitch": 90}
BEFORE_ITS_BOTTOM = {"number": 3, "x": 0.0, "y": -0.3}


@in_virtual_time(emulator=emulated(FIRST, LYING, BEFORE_ITS_BOTTOM, ideal=True))
async def test_it_is_put_on_any_side_of_one_that_lies_from_any_side(world):
    body = await carrying(world)
    await place_on(body, "cube_2")
    assert world.firmware.place.world.cube(1).place.on == 2


@with_two
async def test_it_stands_at_the_pose_in_one_of_its_four_directions(world):
    body = await carrying(world)
    goal = Pose2D(-0.1, 0.25, 0.3)
    claimed = await place_at(body, goal)
    place = in_odom(world, 1)
    assert math.dist((place.x, place.y), (goal.x, goal.y)) < 0.005
    assert abs(math.remainder(place.yaw - goal.yaw, math.pi / 2)) < math.radians(3.0)
    assert math.dist((place.x, place.y), (claimed.x, claimed.y)) < 1e-6
    assert is_safe(world)


@pytest.mark.parametrize("is_measured", [True, False])
def test_what_the_robot_turns_beyond_what_it_reports_does_not_move_the_place(tmp_path, is_measured):
    if is_measured:
        scale = Measurement(TURN_SCALES[0], 0.002, "a test")
        measured = RobotCalibration().with_values({"turn_scale": scale})
        save_robot_calibration(tmp_path, Identity().head_serial, measured)

    @in_virtual_time(emulator=emulated(FIRST, seed=1), calibration_directory=tmp_path)
    async def places(world):
        body = await carrying(world)
        robot, here = world.firmware.body.world_pose, body.state.pose
        target = robot.then(WorldPose(DRIVE_CENTER_OFFSET - 150.0, 250.0))
        memory = ChargerMemory()
        memory.update(body.state)
        assert memory.knows_turns is is_measured
        goal = here.compose(Pose2D(-0.15, 0.25))
        await place_at(body, goal, turn_scale=memory.turn_scale)
        place = world.firmware.place.world.cube(1).pose
        assert math.dist((place.x, place.y), (target.x, target.y)) < 4.0

    places()


@with_two
async def test_where_another_one_stands_none_is_put_down(world):
    body = await carrying(world)
    there = in_odom(world, 2).compose(Pose2D(0.036))
    error = await failure(place_at(body, there))
    assert error.reason is Reason.NO_PATH
    assert held(world) == 1


@in_virtual_time(emulator=emulated(FIRST, SECOND, THIRD, ideal=True))
async def test_on_one_that_is_seen_to_carry_another_one_none_is_put(world):
    await carrying(world)
    body, phases = Told(world), Phases()
    placing = asyncio.ensure_future(failure(place_on(body, "cube_2", phases)))
    await world.until(lambda: phases.reached("looking"))
    body.change("cube_3", on_top_of="cube_2")
    error = await placing
    assert (error.reason, "cube_3 stands on cube_2" in str(error)) == (Reason.OBSTRUCTED, True)
    assert held(world) == 1


@with_two
async def test_it_stands_beside_another_one(world):
    body = await carrying(world)
    await place_beside(body, "cube_2")
    off = in_odom(world, 2).inverse().compose(in_odom(world, 1))
    sides = sorted((abs(off.x), abs(off.y)))
    assert sides == pytest.approx([0.0, 0.056], abs=0.005)


@with_two
async def test_it_stands_on_another_one_and_is_taken_off_again(world):
    body = await carrying(world)
    before = in_odom(world, 2)
    claimed, attempts = await place_on(body, "cube_2")
    place, top = in_odom(world, 2), world.firmware.place.world.cube(1).place
    assert (top.on, attempts) == (2, 1)
    assert math.dist((place.x, place.y), (before.x, before.y)) < 0.010
    assert math.dist((claimed.x, claimed.y), (place.x, place.y)) < 0.010
    await pick_up_cube(body, "cube_1")
    await place_beside(body, "cube_2")
    off = in_odom(world, 2).inverse().compose(in_odom(world, 1))
    assert sorted((abs(off.x), abs(off.y)))[1] == pytest.approx(0.056, abs=0.005)


@with_two
async def test_what_cannot_be_is_refused_at_once(world):
    body = Knowing(world)
    assert (await failure(place_here(body))).reason is Reason.NOT_ALLOWED
    await pick_up_cube(body, "cube_1")
    started = world.loop.time()
    assert (await failure(place_on(body, "cube_1"))).reason is Reason.OBSTRUCTED
    assert (await failure(place_beside(body, "cube_9"))).reason is Reason.NOT_FOUND
    there = in_odom(world, 2)
    assert (await failure(place_at(body, there))).reason is Reason.NO_PATH
    with pytest.raises(ValueError, match="finite"):
        await place_at(body, Pose2D(math.nan))
    assert world.loop.time() - started < 2.0
    assert held(world) == 1


@with_two
async def test_a_cube_that_stays_on_the_lift_was_not_put_down(world):
    body = await carrying(world)
    world.firmware.place.fork.is_sticky = True
    error = await failure(place_here(body))
    assert (error.reason, "still on the lift" in str(error)) == (Reason.MISSED, True)
    assert held(world) == 1


@with_two
async def test_cancelled_on_the_way_it_stands_and_keeps_the_cube(world):
    body = await carrying(world)
    placing = asyncio.ensure_future(place_at(body, Pose2D(-0.1, 0.25, 0.3)))
    await world.until(lambda: world.firmware.wheels.moving)
    placing.cancel()
    await asyncio.wait([placing])
    assert placing.cancelled()
    await world.until(lambda: is_safe(world))
    assert held(world) == 1


@with_two
async def test_with_the_link_goes_what_is_known_of_the_lift(world):
    await carrying(world)
    body = Told(world)
    placing = asyncio.ensure_future(place_at(body, Pose2D(-0.1, 0.25, 0.3)))
    await world.until(lambda: world.firmware.wheels.moving)
    cut = world.loop.time()
    world.wire.is_cut = True
    await asyncio.wait([placing])
    assert placing.exception().reason is Reason.LINK_LOST
    # As every movement it waits for states for 3 s.
    assert world.loop.time() - cut < 3.5
    await world.reconnect()
    assert (await failure(place_here(body))).reason is Reason.NOT_ALLOWED
