"""RobotPerception and hands over a Wi-Fi as in a home: stalls of up to 2 s, bursts of loss."""

from __future__ import annotations

import asyncio
import math
from itertools import pairwise

import pytest

from cozmo_driver.manipulation.cube_pick_up import pick_up_cube
from cozmo_driver.manipulation.cube_placing import place_at
from cozmo_driver.perception.world.objects import PoseState
from cozmo_driver.robot import CameraOptions, Phase, Pose2D

from ..robot.virtual import in_virtual_time
from .table import emulated, held, in_odom, looking

AHEAD = {"number": 1, "x": 0.25, "y": 0.03, "yaw": 20}
BESIDE = {"number": 2, "x": 0.22, "y": -0.09}


@in_virtual_time(
    emulator=emulated(AHEAD, BESIDE, seed=1) | {"wifi": "home"}, camera=CameraOptions(enabled=True)
)
async def test_cubes_are_seen_where_they_are_while_the_link_stalls(world):
    states, errors = [world.loop.time()], []
    world.robot.on_state.connect(lambda _: states.append(world.loop.time()))
    async with looking(world, 1, 2) as body:
        for angle in 2 * (0.5, 0.0, -0.5, 0.0):
            await body.turn_to(angle)
            await asyncio.sleep(1.0)
            for number in (1, 2):
                thing = body.objects[f"cube_{number}"]
                assert thing.state is not PoseState.UNKNOWN
                true = in_odom(world, number)
                errors.append(math.dist(thing.pose[:2, 3], (true.x, true.y)))
    assert world.robot.session_state.phase is Phase.CONNECTED
    assert max(b - a for a, b in pairwise(states)) > 0.4
    assert max(errors) < 0.005


@in_virtual_time(
    emulator=emulated(AHEAD, seed=1) | {"wifi": "home"}, camera=CameraOptions(enabled=True)
)
async def test_a_cube_is_picked_up_and_put_down_though_the_link_stalls(world):
    async with looking(world, 1) as body:
        assert (await pick_up_cube(body))[0] == "cube_1"
        assert held(world) == 1
        claimed = await place_at(body, body.state.pose.compose(Pose2D(0.0, 0.12)))
    assert held(world) is None
    place = in_odom(world, 1)
    assert (claimed.x, claimed.y) == pytest.approx((place.x, place.y), abs=0.02)
