from __future__ import annotations

import asyncio
import math

import pytest

from cozmo_driver.protocol import messages
from cozmo_driver.robot import DRIVE_CENTER, Pose2D, Reason, Refused, Waypoint

from .hands import act, close, fails, is_standing, outcome, truth, with_robot


@pytest.mark.parametrize("distance", [0.2, -0.15, 0.01])
@with_robot()
async def test_a_distance_is_driven_straight(world, distance):
    progress = []
    driven = await world.robot.maneuvers.drive_distance(distance, on_progress=progress.append)
    assert driven == pytest.approx(distance, abs=0.003)
    assert close(truth(world), Pose2D(distance), 0.003)
    assert progress[-1].distance_traveled == pytest.approx(distance)
    assert progress[-1].distance_remaining == pytest.approx(0.0, abs=1e-9)
    assert all(p.distance_traveled * distance >= 0 for p in progress)


@pytest.mark.parametrize(
    "goal",
    [
        Pose2D(0.4, 0.0, 0.0),
        Pose2D(-0.3, 0.1, 3.0),
        Pose2D(0.0, 0.0, 2.0),
        Pose2D(-0.2, -0.2, 0.0),
    ],
)
@pytest.mark.parametrize("is_ideal", [True, False], ids=["ideal", "erring"])
def test_a_pose_is_reached(goal, is_ideal):
    @with_robot({"ideal": is_ideal})
    async def drives(world):
        progress = []
        end = await world.robot.maneuvers.go_to_pose(goal, on_progress=progress.append)
        assert close(end.pose, goal, 0.010, 0.05)
        # The gyro misses 1.3 % of a turn, the treads differ by up to 2 %.
        assert close(truth(world), end.pose, *((0.002, 0.01) if is_ideal else (0.020, 0.06)))
        assert progress[-1] == end

    drives()


@with_robot()
async def test_a_pose_can_be_given_from_where_the_robot_stands(world):
    robot = world.robot
    robot.localization.set_odometry(Pose2D(3.0, 2.0, math.pi / 2))
    await world.until(lambda: robot.odometry.pose.x > 2.9)
    end = await robot.maneuvers.go_to_pose(Pose2D(0.2, 0.1, 0.0), is_relative=True)
    assert close(end.pose, Pose2D(2.9, 2.2, math.pi / 2), 0.010, 0.05)


@with_robot()
async def test_without_a_heading_the_last_turn_is_left_out(world):
    end = await world.robot.maneuvers.go_to_pose(Pose2D(0.2, 0.2, -3.0), is_heading_ignored=True)
    assert math.dist((end.pose.x, end.pose.y), (0.2, 0.2)) < 0.010
    assert end.pose.yaw == pytest.approx(math.pi / 4, abs=0.1)
    assert end.angle_remaining == 0.0


@with_robot()
async def test_a_short_way_back_may_be_driven_backwards(world):
    end = await world.robot.maneuvers.go_to_pose(Pose2D(-0.08, 0.0, 0.0), is_reverse_allowed=True)
    assert close(end.pose, Pose2D(-0.08), 0.005)
    assert not world.wire.received(messages.AppendPathSegmentPointTurn)
    (line,) = world.wire.received(messages.AppendPathSegmentLine)
    assert line.speed.speed_mmps < 0


@with_robot()
async def test_a_robot_that_stands_at_its_goal_only_turns(world):
    robot = world.robot
    headings = []
    robot.on_odometry.connect(lambda odometry: headings.append(odometry.pose.yaw))
    here = {"is_relative": True, "point": DRIVE_CENTER}
    await robot.maneuvers.go_to_pose(Pose2D(-0.004, 0.0, 0.0), **here)
    await robot.maneuvers.go_to_pose(Pose2D(-0.004, 0.0, 1.0), **here, is_heading_ignored=True)
    await robot.paths.follow_poses([Waypoint(-0.024, 0.0)])
    assert max(map(abs, headings)) < 0.1
    end = await robot.maneuvers.go_to_pose(Pose2D(-0.004, 0.0, 0.5), **here)
    assert end.angle_remaining == pytest.approx(0.0, abs=0.05)
    assert min(headings) > -0.1
    assert max(headings) < 0.6
    assert not world.wire.received(messages.AppendPathSegmentLine)


@with_robot()
async def test_a_small_tolerance_is_driven_for(world):
    goal = Pose2D(0.004, 0.0, 0.0)
    end = await world.robot.maneuvers.go_to_pose(goal, position_tolerance=0.003)
    assert end.distance_remaining < 0.003


@with_robot()
async def test_a_point_ahead_comes_to_a_goal_beside_the_wheels_by_a_turn_alone(world):
    # The robot's origin is 20 mm ahead of what it turns about.
    end = await world.robot.maneuvers.go_to_pose(Pose2D(-0.02, 0.02), is_heading_ignored=True)
    assert end.distance_remaining < 0.003


@with_robot()
async def test_ending_outside_the_tolerances_is_no_success(world):
    with fails(Reason.BLOCKED):
        await world.robot.maneuvers.go_to_pose(Pose2D(0.2, 0.0, 0.0), position_tolerance=1e-6)


# -- the charger


@with_robot({"on_charger": True})
async def test_the_robot_drives_off_its_charger_without_fear_of_the_edge(world):
    robot = world.robot
    progress = []
    task = asyncio.ensure_future(robot.maneuvers.undock(speed=0.05, on_progress=progress.append))
    await world.until(lambda: robot.odometry.pose.x > 0.05)
    assert not act(world, lambda f: f.ground.stops_at_edges)
    act(world, lambda f: f.ground.set_edge(True))
    act(world, lambda f: f.ground.set_edge(False))
    assert await task == pytest.approx(0.156, abs=0.004)
    assert progress[-1].distance_remaining == pytest.approx(0.0, abs=1e-9)
    await world.until(lambda: act(world, lambda f: f.ground.stops_at_edges))
    with fails(Reason.OFF_CHARGER, Refused):
        await robot.maneuvers.undock()


@with_robot()
async def test_a_distance_can_be_driven_over_an_edge_but_none_after_it(world):
    driving = asyncio.ensure_future(
        world.robot.maneuvers.drive_distance(-0.05, is_cliff_ignored=True)
    )
    await world.until(lambda: not act(world, lambda f: f.ground.stops_at_edges))
    await driving
    await world.until(lambda: act(world, lambda f: f.ground.stops_at_edges))


@with_robot({"on_charger": True})
async def test_a_robot_beside_the_contacts_of_its_charger_leaves_it_too(world):
    robot = world.robot
    await world.until(lambda: robot.state.is_on_charger)
    robot.motion.drive(0.02, 0.0)
    await world.until(lambda: robot.localization.pose.x > 0.008)
    robot.motion.drive(0.0, 0.0)
    act(world, lambda f: f.battery.put_on_charger(False))
    await world.until(lambda: not robot.state.is_on_charger)
    assert await robot.maneuvers.undock(speed=0.1) == pytest.approx(0.156, abs=0.004)
    with fails(Reason.OFF_CHARGER, Refused):
        await robot.maneuvers.undock()


@with_robot({"on_charger": True})
async def test_a_robot_that_was_carried_knows_of_no_charger_but_can_be_forced(world):
    robot = world.robot
    await world.until(lambda: robot.state.is_on_charger)
    act(world, lambda f: f.battery.put_on_charger(False))
    act(world, lambda f: f.ground.pick_up())
    await world.until(lambda: robot.state.is_off_ground)
    act(world, lambda f: f.ground.put_down())
    await world.until(lambda: not robot.state.is_off_ground)
    await world.pass_time(1.0)
    with fails(Reason.OFF_CHARGER, Refused):
        await robot.maneuvers.undock(speed=0.1)
    assert await robot.maneuvers.undock(speed=0.1, force=True) == pytest.approx(0.156, abs=0.004)


@with_robot({"on_charger": True})
async def test_cancelling_the_undocking_stops_and_restores_the_cliff_stop(world):
    task = asyncio.ensure_future(world.robot.maneuvers.undock(speed=0.03))
    await world.until(lambda: world.robot.odometry.pose.x > 0.02)
    task.cancel()
    assert isinstance(await outcome(task), asyncio.CancelledError)
    await world.until(lambda: is_standing(world))
    assert act(world, lambda f: f.ground.stops_at_edges)


@with_robot({"on_charger": True})
async def test_a_robot_still_on_its_charger_has_not_undocked(world):
    task = asyncio.ensure_future(world.robot.maneuvers.undock(speed=0.1))
    await world.until(lambda: world.robot.odometry.pose.x > 0.1)
    # The contacts find each other again under the robot.
    while not task.done():
        act(world, lambda f: f.battery.put_on_charger(True))
        await world.pass_time(0.01)
    assert (await outcome(task)).reason is Reason.BLOCKED
