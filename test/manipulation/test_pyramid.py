"""Building a pyramid: what is claimed is so (spec 16 §3.6)."""

from __future__ import annotations

import math

import pytest

from cozmo_driver.emulator.body import Pose2D as WorldPose
from cozmo_driver.manipulation.pyramid import build_pyramid
from cozmo_driver.robot import Reason, RobotError

from ..robot.virtual import in_virtual_time
from .table import Knowing, emulated, held, in_odom

FIRST = {"number": 1, "x": 0.25, "y": 0.0}
SECOND = {"number": 2, "x": 0.2, "y": -0.25, "yaw": 30}
THIRD = {"number": 3, "x": 0.1, "y": 0.3, "yaw": 10}


@in_virtual_time(emulator=emulated(FIRST, SECOND, THIRD, ideal=True))
async def test_the_third_cube_stands_on_two_the_second_of_which_was_put_right(world):
    apart = []

    def push(phase, _):
        if phase == "checking" and held(world) is None and not apart:
            base, beside = (world.firmware.place.world.cube(number).pose for number in (1, 3))
            way = 20.0 / math.dist((base.x, base.y), (beside.x, beside.y))
            x, y = base.x + way * (base.x - beside.x), base.y + way * (base.y - beside.y)
            world.firmware.place.world.move_cube(1, WorldPose(x, y, base.angle))
            apart.append(math.dist((x, y), (beside.x, beside.y)))

    assert await build_pyramid(Knowing(world), on_phase=push) == ("cube_1", "cube_3", "cube_2")
    assert apart[0] > 60.0
    top = world.firmware.place.world.cube(2).place
    assert top.bottom == 44.0
    a, b, on = (in_odom(world, number) for number in (1, 3, 2))
    assert math.dist((a.x, a.y), (b.x, b.y)) < 0.060
    assert math.dist((on.x, on.y), ((a.x + b.x) / 2, (a.y + b.y) / 2)) < 0.010
    assert held(world) is None


NEAR = {"number": 2, "x": 0.25, "y": 0.058}


@in_virtual_time(emulator=emulated(FIRST, NEAR, THIRD, ideal=True))
async def test_a_top_beside_the_middle_is_told_and_three_cubes_are_needed(world):
    def slip(phase, _):
        is_placing = phase == "docking" and held(world) == 3
        world.firmware.docking.faults.aside = 20.0 if is_placing else 0.0

    with pytest.raises(RobotError, match="does not stand on") as caught:
        await build_pyramid(Knowing(world), "cube_1", "cube_2", "cube_3", slip)
    assert caught.value.reason is Reason.MISSED
    assert held(world) is None
    with pytest.raises(ValueError, match="three cubes"):
        await build_pyramid(Knowing(world), "cube_1", "cube_2", "cube_1")
