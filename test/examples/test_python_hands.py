"""The examples that use the hands, in virtual time: judged by where things truly are."""

from __future__ import annotations

import math
import runpy

import pytest

from cozmo_driver.robot import CameraOptions

from ..manipulation.table import emulated, held
from ..robot.virtual import in_virtual_time
from .programs import EXAMPLES

CUBE = {"number": 1, "x": 0.2, "y": 0.02, "yaw": 10}


@in_virtual_time(emulator=emulated(CUBE), camera=CameraOptions(enabled=True))
async def test_pick_up_cube_brings_it_to_the_left(world):
    example = runpy.run_path(str(EXAMPLES / "python/pick_up_cube.py"))
    await example["main"](world.robot, 1)
    robot, cube = world.firmware.body.world_pose, world.firmware.place.world.cube(1).place
    assert held(world) is None
    assert cube.bottom == 0.0
    assert cube.pose.y > 60.0
    assert robot.angle == pytest.approx(math.pi / 2, abs=0.4)
    there = cube.pose.seen_from(robot)
    assert (there.x, there.y) == pytest.approx((85.0, 0.0), abs=4.0)
