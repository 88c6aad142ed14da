"""Coming to cubes, also where somebody pushes them meanwhile by less than their edge."""

from __future__ import annotations

import asyncio
import math

import pytest

from cozmo_driver.emulator.body import Pose2D as WorldPose
from cozmo_driver.manipulation.cube_pick_up import pick_up_cube
from cozmo_driver.manipulation.object_approach import DISTANCE, go_to_object
from cozmo_driver.perception.world.objects import CUBE_EDGE
from cozmo_driver.robot import CameraOptions, CubeKind

from ..robot.virtual import in_virtual_time
from .table import Phases, emulated, held, in_odom, looking

CUBE = {"number": 1, "x": 0.3, "y": 0.03, "yaw": 20}


def push(world, x: float, y: float) -> None:
    """Push cube 1 by mm as the world has them."""
    cube = world.firmware.place.world.cube(1).pose
    world.firmware.place.world.move_cube(1, WorldPose(cube.x + x, cube.y + y, cube.angle))


@pytest.mark.parametrize(
    ("way", "is_connected"),
    [((0.0, 28.0), False), ((30.0, 0.0), True)],
    ids=["aside, seen", "on, told by its radio"],
)
@in_virtual_time(emulator=emulated(CUBE, seed=5), camera=CameraOptions(enabled=True))
async def test_the_robot_drives_to_before_a_cube_that_is_pushed_meanwhile(world, way, is_connected):
    if is_connected:
        await world.robot.cubes.connect(CubeKind.CUBE_1)
    async with looking(world, 1) as body:
        going = asyncio.ensure_future(go_to_object(body, "cube_1"))
        await world.until(lambda: body.state.pose.x > 0.05)
        push(world, *way)
        await going
        off = in_odom(world, 1).inverse().compose(body.state.pose)
    assert -off.x == pytest.approx(DISTANCE + CUBE_EDGE / 2, abs=0.018)
    assert abs(off.y) < 0.018
    assert abs(off.yaw) < math.radians(8.0)


@in_virtual_time(
    emulator=emulated({"number": 1, "x": 0.5, "y": -0.1, "yaw": -12}, seed=5),
    camera=CameraOptions(enabled=True),
)
async def test_the_robot_stands_where_it_should_before_a_cube_that_it_sees_from_afar(world):
    async with looking(world, 1) as body:
        await go_to_object(body, "cube_1", 0.4)
        there = body.state.pose.inverse().compose(in_odom(world, 1))
    assert math.hypot(there.x, there.y) == pytest.approx(0.4 + CUBE_EDGE / 2, abs=0.03)
    assert abs(math.atan2(there.y, there.x)) < math.radians(8.0)
    assert abs(there.yaw) < math.radians(20.0)


@in_virtual_time(emulator=emulated(CUBE, seed=5), camera=CameraOptions(enabled=True))
async def test_a_cube_that_is_pushed_while_the_robot_comes_and_docks_is_picked_up(world):
    phases = Phases()
    async with looking(world, 1) as body:
        picking = asyncio.ensure_future(pick_up_cube(body, "cube_1", phases))
        await world.until(lambda: phases.reached("driving") and body.state.pose.x > 0.05)
        push(world, 0.0, 28.0)
        await world.until(lambda: phases.reached("docking"))
        push(world, 0.0, 28.0)
        await picking
    assert held(world) == 1
