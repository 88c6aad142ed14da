"""Actions that drive: straight, in place, off the charger."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from geometry_msgs.msg import Point, PoseStamped
from nav_msgs.msg import Odometry
from std_msgs.msg import Header

from cozmo_interfaces.action import (
    DriveDistance,
    FollowPath,
    GoToPose,
    TurnInPlace,
    Undock,
)
from cozmo_interfaces.msg import PathSegment, Reason, RobotStatus

from .conftest import World, stands
from .goals import Action

Client = Callable[..., Action]


@pytest.fixture
def action(world: World) -> Iterator[Client]:
    """Return a maker of clients; leave a robot behind that stands on its treads."""
    yield partial(Action, world.graph)
    world.emulator.wait_for(stands)


def position(result: DriveDistance.Result) -> tuple[float, float]:
    """Return where a result says that the robot is."""
    return result.pose.pose.position.x, result.pose.pose.position.y


@pytest.mark.covers("drive_distance", "status")
def test_driving_a_distance_moves_the_robot_by_it(world: World, action: Client) -> None:
    drive = action(DriveDistance, "drive_distance")
    odometry = world.graph.listen(Odometry, "odom")
    status = world.graph.listen(RobotStatus, "status")
    start = odometry.collect(1)[0].pose.pose.position
    goal = drive.send(distance=0.1)
    status.wait_for(lambda message: message.wheels_owner == RobotStatus.OWNER_ACTION)
    outcome, result = goal.wait()
    assert (outcome, result.success, result.reason) == ("succeeded", True, Reason.NONE)
    assert result.distance_traveled == pytest.approx(0.1, abs=0.01)
    assert math.dist((start.x, start.y), position(result)) == pytest.approx(0.1, abs=0.01)
    assert result.pose.header.frame_id == "odom"
    odometry.wait_for(lambda odom: odom.header.stamp == result.pose.header.stamp)
    halfway = goal.feedback.wait_for(lambda feedback: feedback.distance_traveled > 0.03)
    assert halfway.distance_traveled + halfway.distance_remaining == pytest.approx(0.1, abs=1e-6)
    status.wait_for_new(lambda message: message.wheels_owner == RobotStatus.OWNER_NONE)


@pytest.mark.covers("drive_distance")
def test_cancelling_stops_the_robot(world: World, action: Client) -> None:
    goal = action(DriveDistance, "drive_distance").send(distance=5.0)
    goal.feedback.wait_for(lambda feedback: feedback.distance_traveled > 0.02)
    goal.cancel()
    outcome, result = goal.wait()
    assert (outcome, result.reason) == ("canceled", Reason.CANCELED)
    assert 0.02 < result.distance_traveled < 1.0
    world.emulator.wait_for(stands)


@pytest.mark.covers("drive_distance", "turn_in_place", "undock", "go_to_pose", "follow_path")
def test_goals_with_bad_values_do_not_end_the_drive(world: World, action: Client) -> None:
    drive = action(DriveDistance, "drive_distance")
    goal = drive.send(distance=5.0)
    goal.feedback.wait_for(lambda feedback: feedback.distance_traveled > 0.02)
    far = PathSegment(start=Point(x=9.0), end=Point(x=9.1))
    ahead = PoseStamped(header=Header(frame_id="base_footprint"))
    bad: list[tuple[type, str, dict[str, Any]]] = [
        (DriveDistance, "drive_distance", {"distance": 0.1, "speed": 9.0}),
        (DriveDistance, "drive_distance", {"distance": 0.1, "acceleration": 1e6}),
        (TurnInPlace, "turn_in_place", {"angle": 1.0, "angular_speed": 200.0}),
        (Undock, "undock", {"speed": 9.0}),
        (GoToPose, "go_to_pose", {"pose": ahead, "speed": 9.0}),
        (GoToPose, "go_to_pose", {"pose": ahead, "angle_tolerance": math.nan}),
        (GoToPose, "go_to_pose", {"pose": far_away(), "speed": 0.1}),
        (FollowPath, "follow_path", {"segments": [far], "speed": 9.0}),
        (FollowPath, "follow_path", {"segments": [far]}),
        (FollowPath, "follow_path", {}),
    ]
    for kind, name, fields in bad:
        outcome, result = action(kind, name).do(**fields)
        assert (outcome, result.reason) == ("aborted", Reason.INVALID), (name, fields)
    goal.feedback.wait_for_new(lambda feedback: feedback.distance_traveled > 0.02)
    goal.cancel()
    outcome, result = goal.wait()
    assert (outcome, result.reason) == ("canceled", Reason.CANCELED)


def far_away() -> PoseStamped:
    pose = PoseStamped(header=Header(frame_id="odom"))
    pose.pose.position.x = 1e6
    return pose


@pytest.mark.covers("turn_in_place")
def test_the_robot_turns_by_an_angle_and_to_a_heading(action: Client) -> None:
    turn = action(TurnInPlace, "turn_in_place")
    goal = turn.send(angle=4.0)
    outcome, result = goal.wait()
    assert (outcome, result.reason) == ("succeeded", Reason.NONE), result
    assert result.angle_turned == pytest.approx(4.0, abs=0.1)
    last = goal.feedback.messages[-1]
    assert last.angle_turned + last.angle_remaining == pytest.approx(4.0)
    outcome, result = turn.do(angle=1.0, is_absolute=True)
    assert (outcome, result.reason) == ("succeeded", Reason.NONE), result
    orientation = result.pose.pose.orientation
    assert 2 * math.atan2(orientation.z, orientation.w) == pytest.approx(1.0, abs=0.06)


@pytest.mark.covers("undock")
def test_the_robot_leaves_its_charger_and_only_there(world: World, action: Client) -> None:
    undock = action(Undock, "undock")
    outcome, result = undock.do()
    assert (outcome, result.reason) == ("aborted", Reason.OFF_CHARGER)
    status = world.graph.listen(RobotStatus, "status")
    world.emulator.call(lambda firmware: firmware.battery.put_on_charger(True))
    try:
        status.wait_for(lambda message: message.is_on_charger)
        outcome, result = action(DriveDistance, "drive_distance").do(distance=0.1)
        assert (outcome, result.reason) == ("aborted", Reason.ON_CHARGER)
        goal = undock.send(speed=0.1, extra_distance=0.01)
        outcome, result = goal.wait()
    finally:
        world.emulator.call(lambda firmware: firmware.battery.put_on_charger(False))
    assert (outcome, result.reason) == ("succeeded", Reason.NONE)
    assert result.distance_traveled == pytest.approx(0.106, abs=0.01)
    assert goal.feedback.messages[0].is_on_charger
    assert not goal.feedback.messages[-1].is_on_charger
