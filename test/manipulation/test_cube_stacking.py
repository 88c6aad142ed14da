"""Stacking cubes: what is claimed is so, a failure leaves nothing on the lift (spec 16 §3.6)."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from cozmo_driver.manipulation.cube_stacking import stack_cubes
from cozmo_driver.perception.world.objects import PoseState
from cozmo_driver.robot import CameraOptions, Owner, Reason, RobotError

from ..robot.virtual import in_virtual_time
from .table import Knowing, Phases, emulated, held, is_safe, looking

TWO = emulated({"number": 1, "x": 0.2, "y": 0.1}, {"number": 3, "x": 0.2, "y": -0.15}, ideal=True)


@in_virtual_time(
    emulator=emulated(
        {"number": 1, "x": 0.2, "y": 0.1}, {"number": 3, "x": 0.2, "y": -0.15}, seed=4
    ),
    camera=CameraOptions(enabled=True),
)
async def test_the_nearest_cube_is_put_on_the_other_one(world):
    async with looking(world, 3, 1) as body:
        assert await stack_cubes(body) == ("cube_1", "cube_3", 1)
        assert world.firmware.place.world.cube(1).place.on == 3
        assert held(world) is None
        with pytest.raises(RobotError, match="cube_1 stands on cube_3") as caught:
            await stack_cubes(body, "cube_3", "cube_1")
        assert caught.value.reason is Reason.OBSTRUCTED
        with pytest.raises(ValueError, match="on itself"):
            await stack_cubes(body, "cube_1", "cube_1")


class LosesSight(Knowing):
    """Does not know any more where cube 3 is while it carries one."""

    @property
    def objects(self):
        known = dict(super().objects)
        if held(self._world):
            known["cube_3"] = replace(known["cube_3"], state=PoseState.UNKNOWN, pose=None)
        return known


@in_virtual_time(emulator=TWO)
async def test_a_cube_that_cannot_be_stacked_is_put_on_the_floor(world):
    with pytest.raises(RobotError, match="cube_3 is not known") as caught:
        await stack_cubes(LosesSight(world), "cube_1", "cube_3")
    assert caught.value.reason is Reason.NOT_SEEN
    assert held(world) is None
    assert world.firmware.place.world.cube(1).place.bottom == 0.0
    await world.until(lambda: is_safe(world))


@in_virtual_time(emulator=TWO)
async def test_who_takes_the_wheels_keeps_them(world):
    phases = Phases()
    task = asyncio.ensure_future(stack_cubes(Knowing(world), on_phase=phases))
    await world.until(lambda: held(world) and phases.reached("driving"))
    await world.pass_time(0.5)
    for _ in range(30):
        world.robot.motion.drive(-0.02, 0.0)
        await world.pass_time(0.1)
        assert world.robot.motion.wheels.owner is Owner.TOPIC
    with pytest.raises(RobotError) as caught:
        await task
    assert caught.value.reason is Reason.SUPERSEDED
    assert held(world)


@in_virtual_time(emulator=TWO)
async def test_told_to_stop_it_keeps_the_cube_on_its_lift(world):
    phases = Phases()
    task = asyncio.ensure_future(stack_cubes(Knowing(world), on_phase=phases))
    await world.until(lambda: held(world) and phases.reached("driving"))
    await world.pass_time(0.5)
    world.robot.motion.stop()
    with pytest.raises(RobotError) as caught:
        await task
    assert caught.value.reason is Reason.CANCELED
    assert held(world)
