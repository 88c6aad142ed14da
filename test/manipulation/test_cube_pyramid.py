"""Building a pyramid: what is claimed is so (spec 16 §3.6)."""

from __future__ import annotations

import math

import pytest

from cozmo_driver.emulator.body import Pose2D as WorldPose
from cozmo_driver.manipulation.cube_pyramid import build_pyramid
from cozmo_driver.robot import CameraOptions, Reason, RobotError

from ..robot.virtual import in_virtual_time
from .table import Knowing, emulated, held, looking

FIRST = {"number": 1, "x": 0.25, "y": 0.0}
SECOND = {"number": 2, "x": 0.17, "y": -0.1, "yaw": 30}
NEAR = {"number": 3, "x": 0.25, "y": 0.058}
APART = {"number": 3, "x": 0.25, "y": 0.085}
with_three = in_virtual_time(emulator=emulated(FIRST, SECOND, NEAR, ideal=True))


def is_pyramid(world) -> bool:
    """Whether cube 2 truly stands on the middle between the others."""
    a, b, top = (world.firmware.place.world.cube(number) for number in (1, 3, 2))
    middle = (a.pose.x + b.pose.x) / 2, (a.pose.y + b.pose.y) / 2
    is_up = top.place.bottom == 44.0 and held(world) is None
    return is_up and apart(world) < 60.0 and math.dist(middle, (top.pose.x, top.pose.y)) < 15.0


def apart(world) -> float:
    """Return how far the lower cubes truly stand from each other, mm."""
    a, b = (world.firmware.place.world.cube(number).pose for number in (1, 3))
    return math.dist((a.x, a.y), (b.x, b.y))


def pushing(world, phase, carried):
    """Return what lets somebody push cube 1 by 14 mm from cube 3 in a phase, and how far it is."""
    pushed = []

    def on_phase(now, _):
        if now == phase and held(world) == carried and not pushed:
            a, b = (world.firmware.place.world.cube(number).pose for number in (1, 3))
            share = 14.0 / apart(world)
            x, y = a.x + share * (a.x - b.x), a.y + share * (a.y - b.y)
            world.firmware.place.world.move_cube(1, WorldPose(x, y, a.angle))
            pushed.append(apart(world))

    return on_phase, pushed


@in_virtual_time(emulator=emulated(FIRST, SECOND, APART, ideal=True))
async def test_lower_cubes_that_are_apart_are_put_together_and_a_third_one_on_both(world):
    assert apart(world) > 60.0
    assert await build_pyramid(Knowing(world), "cube_1", "cube_3", "cube_2")
    assert is_pyramid(world)


@in_virtual_time(emulator=emulated(FIRST, SECOND, NEAR, seed=2), camera=CameraOptions(enabled=True))
async def test_lower_cubes_that_are_seen_to_be_pushed_apart_are_put_together_again(world):
    push, pushed = pushing(world, "docking", 2)
    async with looking(world, 2, 1, 3) as body:
        assert await build_pyramid(body, "cube_1", "cube_3", "cube_2", push)
    assert pushed[0] > 60.0
    assert is_pyramid(world)


@with_three
async def test_lower_cubes_that_are_apart_in_the_end_are_told(world):
    push, pushed = pushing(world, "checking", None)
    with pytest.raises(RobotError, match="too far") as caught:
        await build_pyramid(Knowing(world), "cube_1", "cube_3", "cube_2", push)
    assert caught.value.reason is Reason.MISSED
    assert pushed[0] > 60.0


@with_three
async def test_three_cubes_are_needed(world):
    with pytest.raises(ValueError, match="three cubes"):
        await build_pyramid(Knowing(world), "cube_1", "cube_2", "cube_1")


@with_three
async def test_a_top_beside_the_middle_is_told(world):
    def slip(phase, _):
        is_placing = phase == "docking" and held(world) == 2
        world.firmware.docking.faults.aside = 20.0 if is_placing else 0.0

    with pytest.raises(RobotError, match="does not stand on") as caught:
        await build_pyramid(Knowing(world), "cube_1", "cube_3", "cube_2", slip)
    assert caught.value.reason is Reason.MISSED
    assert held(world) is None
