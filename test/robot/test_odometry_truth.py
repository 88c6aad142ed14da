"""Odometry of the driver against where the robot really is, over a square of 4 x 1 m."""

from __future__ import annotations

import asyncio
import math

import pytest

from cozmo_driver.robot import Pose2D

from .hands import act, hall, truth, with_robot

_CORNERS = (
    Pose2D(1.0, 0.0, math.pi / 2),
    Pose2D(1.0, 1.0, math.pi),
    Pose2D(0.0, 1.0, -math.pi / 2),
    Pose2D(0.0, 0.0, 0.0),
)
_WAY = 4.0
_PERIOD = 0.05


async def drive_by_poses(world):
    """Drive from corner to corner by paths, which the robot follows by its own odometry."""
    for corner in _CORNERS:
        await world.robot.maneuvers.go_to_pose(corner, speed=0.15)


async def drive_by_velocity(world):
    """Drive as a controller on ``cmd_vel`` does, 20 times a second by the driver's odometry."""
    for corner in _CORNERS:
        while (left := math.dist(where(world), (corner.x, corner.y))) > 0.01:
            here = world.robot.odometry.pose
            bearing = math.atan2(corner.y - here.y, corner.x - here.x)
            error = math.remainder(bearing - here.yaw, 2 * math.pi)
            await command(world, min(0.15, 2 * left) * max(math.cos(error), 0.0), 2.0 * error)
        while abs(error := math.remainder(corner.yaw - here_yaw(world), 2 * math.pi)) > 0.02:
            await command(world, 0.0, max(-1.5, min(1.5, 3.0 * error)))
    await command(world, 0.0, 0.0)


async def command(world, linear, angular):
    world.robot.motion.drive(linear, angular)
    await asyncio.sleep(_PERIOD)


def where(world):
    pose = world.robot.odometry.pose
    return pose.x, pose.y


def here_yaw(world):
    return world.robot.odometry.pose.yaw


async def measured(world, drive):
    """Drive the square; return the error of the odometry's position in m and of its yaw."""
    start = truth(world)
    await drive(world)
    await world.until(lambda: not act(world, lambda f: f.body.active))
    # A state more, so that odometry and truth are of the same standing robot.
    await world.pass_time(0.2)
    assert act(world, lambda f: f.body.driven) / 1000 > 0.95 * _WAY
    true = start.inverse().compose(truth(world))
    believed = world.robot.odometry.pose
    error = math.dist((true.x, true.y), (believed.x, believed.y))
    assert error < 3 * math.sqrt(2 * world.robot.odometry.position_variance)
    assert abs(true.yaw - believed.yaw) < 3 * math.sqrt(world.robot.odometry.heading_variance)
    return error, math.remainder(true.yaw - believed.yaw, 2 * math.pi)


@with_robot(hall(ideal=True, seed=0))
async def test_without_noise_the_odometry_is_right_to_a_millimetre(world):
    position, yaw = await measured(world, drive_by_velocity)
    assert position < 0.001
    assert abs(yaw) < 0.001


@with_robot(hall(ideal=False, seed=1))
async def test_with_noise_it_errs_by_less_than_two_percent_of_the_way(world):
    position, yaw = await measured(world, drive_by_poses)
    assert 0.002 < position < 0.02 * _WAY
    # Four left turns, of which the gyro misses 2.4 degrees in 182.4 (spec 14).
    assert math.degrees(yaw) == pytest.approx(360 * 2.4 / 180, abs=1.5)
