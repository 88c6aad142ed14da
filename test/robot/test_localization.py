from __future__ import annotations

import asyncio
import itertools
import math

import pytest

from cozmo_driver.emulator import Pose2D as EmulatorPose
from cozmo_driver.protocol import messages
from cozmo_driver.robot import Pose2D

from .hands import act, close, keep_commands, truth, with_robot


async def drive(world, seconds, linear, angular):
    world.robot.motion.drive(linear, angular)
    await world.pass_time(seconds)
    world.robot.motion.drive(0.0, 0.0)
    await world.pass_time(0.5)


async def carry(world, where=None):
    act(world, lambda f: f.ground.pick_up())
    await world.until(lambda: world.robot.odometry.is_frozen)
    act(world, lambda f: f.ground.put_down(where))
    await world.until(lambda: not world.robot.odometry.is_frozen)


@with_robot()
async def test_set_odometry_is_the_pose_published_next(world):
    poses = []
    await drive(world, 1.0, 0.1, 0.3)
    world.robot.localization.set_odometry(Pose2D(1.0, -2.0, 3.0 + 2 * math.pi))
    world.robot.on_odometry.connect(lambda o: poses.append(o.pose))
    await world.until(lambda: poses)
    assert close(poses[0], Pose2D(1.0, -2.0, 3.0), 1e-6, 1e-6)
    await drive(world, 1.0, 0.1, 0.0)
    assert math.dist((poses[-1].x, poses[-1].y), (1.0, -2.0)) == pytest.approx(0.1, abs=0.02)


@with_robot()
async def test_set_odometry_does_not_disturb_what_is_driven(world):
    robot, progress = world.robot, []
    driving = robot.maneuvers.drive_distance(0.2, on_progress=progress.append)
    task = asyncio.ensure_future(driving)
    await world.until(lambda: robot.odometry.pose.x > 0.1)
    robot.localization.set_odometry(Pose2D(5.0, 5.0, 2.0))
    assert await task == pytest.approx(0.2, abs=0.003)
    assert truth(world).x == pytest.approx(0.2, abs=0.003)
    traveled = [one.distance_traveled for one in progress]
    assert all(0.0 < b - a + 1e-6 < 0.02 for a, b in itertools.pairwise(traveled))


@with_robot()
async def test_a_goal_stays_where_it_is_on_the_ground_when_the_odometry_is_set(world):
    robot = world.robot
    task = asyncio.ensure_future(robot.maneuvers.go_to_pose(Pose2D(0.2, 0.1, 1.0)))
    await world.until(lambda: robot.odometry.pose.x > 0.1)
    robot.localization.set_odometry(Pose2D(5.0, 5.0, 2.0))
    end = await task
    assert end.distance_remaining < 0.010
    assert end.pose == robot.localization.pose
    assert close(truth(world), Pose2D(0.2, 0.1, 1.0), 0.010, 0.05)


@with_robot()
async def test_after_a_put_down_the_robot_counts_anew_and_the_odometry_goes_on(world):
    robot = world.robot
    poses = []
    await drive(world, 1.0, 0.1, 0.5)
    await world.pass_time(1.0)
    before = robot.odometry.pose
    origin = robot.localization.origin_id
    robot.on_odometry.connect(lambda o: poses.append(o.pose))
    await carry(world, EmulatorPose(500.0, 200.0, 2.0))
    await world.until(lambda: robot.state.origin_id == origin + 1)
    assert all(close(pose, before, 1e-4, 1e-3) for pose in poses)
    # The robot was told the published pose, so that it counts in the odometry frame.
    update = world.wire.received(messages.AbsoluteLocalizationUpdate)[-1]
    assert (update.pose_x, update.pose_y) == pytest.approx(
        (before.x * 1000, before.y * 1000), abs=0.5
    )
    assert close(robot.localization.robot_frame, Pose2D(), 0.002, 0.002)


@with_robot()
async def test_goals_after_a_put_down_are_reached_in_the_odometry_frame(world):
    robot = world.robot
    await carry(world, EmulatorPose(500.0, 200.0, math.pi / 2))
    end = await robot.maneuvers.go_to_pose(Pose2D(0.2, 0.0, 0.0))
    assert close(end.pose, Pose2D(0.2), 0.010, 0.05)
    # In the world the robot went the same way from where it was put down.
    assert close(truth(world), Pose2D(0.5, 0.4, math.pi / 2), 0.010, 0.05)


def test_a_pose_that_a_full_queue_refuses_is_told_once_and_sent_later(caplog):
    @with_robot()
    async def scenario(world):
        localization, reach = world.robot.localization, world.wire._reach_robot
        before = localization.origin_id
        await world.until(lambda: localization.is_settled(world.robot.state))
        await keep_commands(world)
        for _ in range(5):
            await carry(world)
        assert localization.origin_id == before
        world.wire._reach_robot = reach
        await world.until(lambda: localization.origin_id != before)
        await world.until(lambda: localization.is_settled(world.robot.state))

    scenario()
    assert caplog.text.count("pose is not sent") + caplog.text.count("pose was not sent") == 1
