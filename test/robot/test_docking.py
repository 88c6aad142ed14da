"""Docking: what the driver asks the robot for, sends it, refuses, and tells about it."""

from __future__ import annotations

import asyncio
import math

import pytest

from cozmo_driver.emulator.body import Pose2D as MillimeterPose
from cozmo_driver.emulator.world import World as Place
from cozmo_driver.emulator.world.layout_file import layout_of
from cozmo_driver.protocol import messages
from cozmo_driver.protocol.enums import BlockStatus
from cozmo_driver.robot import (
    DockAction,
    DockingError,
    DockingPhase,
    Refused,
)

from .hands import act, is_standing, with_robot

_LATENCY = 0.07


def _hall(**more):
    place = layout_of(
        {
            "name": "hall",
            "floor": [{"rectangle": [-2.0, -2.0, 3.0, 3.0]}],
            "cubes": [{"number": 1, "x": 0.142, "y": 0.0}],
        }
        | more,
        "hall.yaml",
    )
    return {"noise": False, "seed": 0, "world": lambda: Place(place, noise=False)}


with_cube = with_robot(_hall())


def cube(world, number=1):
    """Return where a cube really is, as it is kept."""
    return act(world, lambda f: f.place.world.cube(number).place)


def face(world, number=1):
    """Return a docking error of a cube's nearest face, as from a picture taken now."""

    def look(firmware):
        place = firmware.place.world.cube(number).place
        here = place.pose.seen_from(firmware.body.world_pose)
        quarter = math.pi / 2
        askew = here.angle - quarter * round(here.angle / quarter)
        seen = MillimeterPose(here.x, here.y, askew).then(MillimeterPose(-22.0))
        return seen, float(place.center[2])

    seen, height = act(world, look)
    return DockingError(world.loop.time(), seen.x / 1e3, seen.y / 1e3, height / 1e3, seen.angle)


async def stream(world, number=1, nearest=0.0):
    """Feed errors of a cube until it is nearer than ``nearest``, m."""
    while (error := face(world, number)).x > nearest:
        await asyncio.sleep(_LATENCY)
        world.robot.docking.on_error(error)


async def docked(world, action, feed=stream, **options):
    """Dock while errors are fed; return the result, or raise."""
    feeding = asyncio.ensure_future(feed(world))
    try:
        return await world.robot.docking.dock(action, **options)
    finally:
        feeding.cancel()


@with_cube
async def test_a_cube_is_picked_up_carried_and_put_down(world):
    docking, progress = world.robot.docking, []
    result = await docked(world, DockAction.PICKUP_LOW, on_progress=progress.append)
    assert (result.block, result.load) == (BlockStatus.BLOCK_PICKED_UP, True)
    assert {p.phase for p in progress} == set(DockingPhase)
    assert world.robot.state.is_carrying_cube
    assert docking.carried == 1
    assert cube(world).bottom == pytest.approx(57.5, abs=2.0)
    assert is_standing(world)
    (request,) = world.wire.received(messages.DockWithObject)
    assert request == messages.DockWithObject(0, 60.0, 200.0, 500.0, 0, False, 0, 2, True)
    assert world.wire.received(messages.CarryStateUpdate)[-1].state == 1
    with pytest.raises(Refused, match="carries a cube"):
        await docking.dock(DockAction.ROLL_LOW)
    put = await docking.place_on_ground()
    assert put.block is BlockStatus.BLOCK_PLACED
    await world.until(lambda: not world.robot.state.is_carrying_cube)
    assert (cube(world).bottom, docking.carried) == (0.0, 0)
    with pytest.raises(Refused, match="carries nothing"):
        await docking.place_on_ground()
