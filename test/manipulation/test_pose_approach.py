"""Driving to a pose on a floor whose obstacles nobody knows."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from typing import Any

import pytest

from cozmo_driver.emulator.body import Pose2D as WorldPose
from cozmo_driver.emulator.world import World
from cozmo_driver.emulator.world.layout_file import layout_of
from cozmo_driver.manipulation.pose_approach import DriveStyle, go_to_pose
from cozmo_driver.manipulation.robot_manipulator import RobotManipulator
from cozmo_driver.robot import Pose2D, Reason, RobotError

from ..robot.virtual import in_virtual_time


def driving_on(stop_on_bump: bool = False, **things: object) -> Callable[..., Any]:
    """Make a test of a robot on a floor whose things nobody knows."""
    floor = {"name": "hall", "floor": [{"rectangle": [-1.0, -1.0, 1.0, 1.0]}]}
    layout = layout_of(floor | things, "hall.yaml")
    return in_virtual_time({"world": lambda: World(layout)}, stop_on_bump=stop_on_bump)


async def drive_there(world: Any) -> None:
    style = DriveStyle(0.1, 2.0, 0.015, math.radians(5.0))
    await world.until(lambda: world.robot.odometry)
    await go_to_pose(RobotManipulator(world.robot), Pose2D(0.45), style, is_heading_ignored=True)


@driving_on(holes=[{"rectangle": [0.2, -0.03, 0.26, 0.03]}])
async def test_it_backs_off_from_an_edge_that_nobody_knew_of_and_drives_around_it(
    world: Any,
) -> None:
    await drive_there(world)
    center = world.firmware.body.world_pose.then(WorldPose(-20.0))
    assert math.hypot(center.x - 430.0, center.y) < 20.0
    assert not world.firmware.place.is_down


@pytest.mark.parametrize("stop_on_bump", [False, True])
@pytest.mark.parametrize("yaw", [15, -30, 45])
def test_it_backs_off_from_a_box_that_turns_it_and_drives_around_it(
    yaw: float, stop_on_bump: bool
) -> None:
    """Met head on it would not be felt. Until it is felt the treads slip, here for up to 0.6 s."""
    box = {"x": 0.2, "y": 0.0, "yaw": yaw, "size": [0.03, 0.05, 0.1]}

    @driving_on(stop_on_bump, boxes=[box])
    async def drives(world: Any) -> None:
        await drive_there(world)
        assert world.robot.hazards.current
        center = world.firmware.body.world_pose.then(WorldPose(-20.0))
        assert abs(center.y) < 20.0
        assert 430.0 - 60.0 < center.x < 430.0 + 20.0

    drives()


@driving_on()
async def test_a_goal_in_odom_as_it_was_before_it_was_set_is_not_driven_to(world: Any) -> None:
    driving = asyncio.ensure_future(drive_there(world))
    await world.until(lambda: world.firmware.wheels.moving)
    world.robot.localization.set_odometry(Pose2D(-0.5, 0.6, 1.0))
    with pytest.raises(RobotError, match="odom was set") as caught:
        await driving
    assert caught.value.reason is Reason.NOT_SEEN
    await world.until(lambda: not world.firmware.wheels.moving)
    center = world.firmware.body.world_pose.then(WorldPose(-20.0))
    assert center.x < 200.0
    assert abs(center.y) < 20.0


def test_where_there_is_no_way_it_stops_trying() -> None:
    island = [{"rectangle": [-0.12, -0.12, 0.12, 0.12]}, {"rectangle": [0.3, -1.0, 1.0, 1.0]}]

    @driving_on(floor=island)
    async def drives(world: Any) -> None:
        with pytest.raises(RobotError) as caught:
            await drive_there(world)
        assert caught.value.reason in (Reason.CLIFF, Reason.NO_PATH)
        assert not world.firmware.place.is_down

    drives()
