"""Aligning, a wheelie, knocking over: what is claimed is so (spec 16 §3.3, §3.6)."""

from __future__ import annotations

import asyncio
import math

import pytest

from cozmo_driver.manipulation.cube_tricks import align, knock_over, pop_a_wheelie
from cozmo_driver.robot import Reason, RobotError

from ..robot.virtual import in_virtual_time
from .table import Knowing, Phases, emulated, failure, in_odom, is_safe

AHEAD = {"number": 1, "x": 0.25, "y": 0.03, "yaw": 20}
with_cube = in_virtual_time(emulator=emulated(AHEAD, ideal=True))
with_stack = in_virtual_time(emulator=emulated(AHEAD, {"number": 2, "on_cube": 1}, ideal=True))


@with_cube
async def test_it_stands_square_before_the_cube(world):
    body, phases = Knowing(world), Phases()
    assert await align(body, on_phase=phases) == ("cube_1", 1)
    assert [phase for phase, _ in phases.all] == ["driving", "looking", "docking", "checking"]
    off = body.state.pose.inverse().compose(in_odom(world, 1))
    assert (off.x, off.y) == pytest.approx((0.065, 0.0), abs=0.004)
    assert abs(math.remainder(off.yaw, math.pi / 2)) < math.radians(5.0)
    await world.until(lambda: is_safe(world))


@with_cube
async def test_it_lies_on_its_back_after_a_wheelie(world):
    assert await pop_a_wheelie(Knowing(world)) == ("cube_1", 1)
    assert world.firmware.body.pitch > 1.2


@with_cube
async def test_a_robot_that_does_not_tip_over_is_told_after_two_attempts(world):
    phases, leant = Phases(), []
    world.firmware.place.fork.lean = lambda is_back: leant.append(is_back)
    with pytest.raises(RobotError, match="did not tip over") as caught:
        await pop_a_wheelie(Knowing(world), on_phase=phases)
    assert (caught.value.reason, leant) == (Reason.MISSED, [True, True])
    assert phases.all[-1] == ("checking", 2)
    await world.until(lambda: is_safe(world))


@with_stack
async def test_the_upper_cube_of_a_stack_falls(world):
    body = Knowing(world)
    assert await knock_over(body) == ("cube_1", "cube_2")
    fallen = world.firmware.place.world.cube(2).place
    assert (fallen.on, fallen.bottom) == (None, 0.0)
    with pytest.raises(RobotError, match="nothing stands on cube_1"):
        await knock_over(body, "cube_1")
    await world.until(lambda: is_safe(world))


@with_stack
async def test_a_stack_that_holds_was_not_knocked_over(world):
    world.firmware.place.fork.shed = lambda cube: None
    with pytest.raises(RobotError, match="cube_2 did not fall") as caught:
        await knock_over(Knowing(world), "cube_1")
    assert caught.value.reason is Reason.MISSED
    assert world.firmware.place.world.cube(2).place.on == 1


@with_stack
async def test_a_knock_that_is_ended_before_the_cube_raises_no_lift(world):
    body, phases, heights = Knowing(world), Phases(), []
    knocking = asyncio.ensure_future(knock_over(body, on_phase=phases))
    await world.until(lambda: phases.reached("knocking"))
    world.robot.on_state.connect(lambda _: heights.append(body.state.lift_height))
    await world.pass_time(0.1)
    world.robot.motion.drive(-0.02, 0.0)
    error = await failure(knocking)
    await world.pass_time(1.0)
    assert error.reason is Reason.SUPERSEDED
    assert max(heights) < 0.05
