"""Actions that drive to poses and along paths, in the frames that tf knows."""

from __future__ import annotations

import math

import pytest
from geometry_msgs.msg import Point, Pose, PoseStamped, TransformStamped
from nav_msgs.msg import Odometry, Path
from std_msgs.msg import Header
from tf2_ros import StaticTransformBroadcaster

from cozmo_driver.robot import Pose2D
from cozmo_driver.ros.geometry import plane_pose, quaternion
from cozmo_interfaces.action import FollowPath, GoToPose, TurnInPlace
from cozmo_interfaces.msg import PathSegment, Reason
from cozmo_interfaces.srv import SetOdometry

from .conftest import World
from .goals import Action

BASE = "base_footprint"


@pytest.fixture
def go(world: World) -> Action:
    return Action(world.graph, GoToPose, "go_to_pose")


@pytest.fixture
def follow(world: World) -> Action:
    return Action(world.graph, FollowPath, "follow_path")


def ros_pose(x: float, y: float, yaw: float = 0.0) -> Pose:
    return Pose(position=Point(x=x, y=y), orientation=quaternion(yaw))


def stamped(frame: str, x: float, y: float, yaw: float = 0.0) -> PoseStamped:
    """Return a pose on the floor in a frame, without a stamp."""
    return PoseStamped(header=Header(frame_id=frame), pose=ros_pose(x, y, yaw))


def where_it_is(world: World) -> Pose2D:
    return plane_pose(world.graph.listen(Odometry, "odom").collect(1)[0].pose.pose)


def assert_close(pose: Pose2D, goal: Pose2D, angle: float = 0.2) -> None:
    """Check a pose to within the robot's own tolerances."""
    assert math.hypot(pose.x - goal.x, pose.y - goal.y) < 0.016
    assert abs(math.remainder(pose.yaw - goal.yaw, 2 * math.pi)) < angle


def base_in_the_world(world: World) -> Pose2D:
    """Return where the point that the robot turns about really is."""
    pose = world.emulator.state().pose
    return Pose2D(pose.x / 1000, pose.y / 1000, pose.angle).compose(Pose2D(-0.020))


@pytest.mark.covers("odom", "turn_in_place")
def test_a_turn_in_place_leaves_base_footprint_where_it_is(world: World) -> None:
    before = where_it_is(world)
    status, result = Action(world.graph, TurnInPlace, "turn_in_place").do(angle=2.0)
    assert status == "succeeded"
    for after in (where_it_is(world), plane_pose(result.pose.pose)):
        assert math.dist((after.x, after.y), (before.x, before.y)) < 0.001
        assert math.remainder(after.yaw - before.yaw, 2 * math.pi) == pytest.approx(2.0, abs=0.05)


@pytest.mark.covers("go_to_pose", "set_odometry")
def test_base_footprint_is_what_comes_to_the_goal(world: World, go: Action) -> None:
    world.graph.call(SetOdometry, "set_odometry", SetOdometry.Request(pose=ros_pose(1.0, 2.0)))
    world.graph.listen(Odometry, "odom").wait_for(lambda m: m.pose.pose.position.y > 1.9)
    start = base_in_the_world(world)
    goal = go.send(pose=stamped("odom", 1.05, 1.9, 3.0))
    status, result = goal.wait()
    assert (status, result.success, result.reason) == ("succeeded", True, Reason.NONE)
    assert result.position_error < 0.015
    assert abs(result.angle_error) < 0.175
    first = goal.feedback.messages[0]
    assert first.distance_remaining == pytest.approx(0.11, abs=0.02)
    assert first.pose.header.frame_id == "odom"
    moved = start.inverse().compose(base_in_the_world(world))
    assert math.dist((moved.x, moved.y), (0.05, -0.1)) < 0.005
    assert moved.yaw == pytest.approx(3.0, abs=0.1)


@pytest.mark.covers("go_to_pose")
def test_a_pose_in_another_frame_goes_through_tf(world: World, go: Action) -> None:
    broadcaster = StaticTransformBroadcaster(world.graph.node)
    transform = TransformStamped(header=Header(frame_id="map"), child_frame_id="odom")
    transform.transform.translation.x = 1.0
    transform.transform.rotation = quaternion(math.pi / 2)
    broadcaster.sendTransform(transform)
    target = where_it_is(world).compose(Pose2D(0.06, 0.0, 0.0))
    seen = Pose2D(1.0, 0.0, math.pi / 2).compose(target)
    status, result = go.do(pose=stamped("map", seen.x, seen.y, seen.yaw))
    assert (status, result.reason) == ("succeeded", Reason.NONE)
    assert_close(plane_pose(result.pose.pose), target)


@pytest.mark.covers("go_to_pose")
def test_a_frame_that_tf_does_not_know_is_refused_with_what_to_do(go: Action) -> None:
    status, result = go.do(pose=stamped("moon", 0.1, 0.0))
    assert (status, result.success, result.reason) == ("aborted", False, Reason.NO_TRANSFORM)
    assert "no transform from moon to odom" in result.message
    assert math.isnan(result.position_error)


@pytest.mark.covers("follow_path")
def test_the_robot_drives_a_path_backwards(world: World, follow: Action) -> None:
    start = where_it_is(world)
    path = Path(header=Header(frame_id=BASE), poses=[stamped(BASE, -0.08, 0.0)])
    status, result = follow.do(path=path, is_reverse=True)
    assert status == "succeeded"
    assert_close(plane_pose(result.pose.pose), start.compose(Pose2D(-0.08)))


@pytest.mark.covers("follow_path")
def test_the_robot_drives_explicit_segments(world: World, follow: Action) -> None:
    start = where_it_is(world)
    segments = [
        PathSegment(type=PathSegment.LINE, end=Point(x=0.05)),
        PathSegment(
            type=PathSegment.ARC,
            center=Point(x=0.05, y=0.08),
            radius=0.08,
            start_angle=-math.pi / 2,
            sweep_angle=math.pi / 2,
        ),
        PathSegment(type=PathSegment.TURN, center=Point(x=0.13, y=0.08), target_angle=0.0),
    ]
    goal = follow.send(header=Header(frame_id=BASE), segments=segments)
    status, result = goal.wait()
    assert (status, result.reason) == ("succeeded", Reason.NONE)
    assert result.segments_completed == 3
    assert result.distance_traveled == pytest.approx(0.05 + 0.08 * math.pi / 2, abs=1e-6)
    seen = {feedback.segment for feedback in goal.feedback.messages}
    assert {0, 1, 2} <= seen
    end = start.inverse().compose(plane_pose(result.pose.pose))
    assert end.yaw == pytest.approx(0.0, abs=0.1)
    assert end.y > 0.05


LINE = PathSegment(type=PathSegment.LINE, end=Point(x=0.05))


@pytest.mark.covers("follow_path")
@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"path": Path(poses=[stamped(BASE, 0.1, 0.0), stamped("odom", 0.2, 0.0)])}, "several"),
        ({"segments": [LINE, PathSegment(type=9)]}, "segment 1: the type must be LINE, ARC"),
    ],
)
def test_bad_paths_are_refused(follow: Action, fields: dict[str, object], word: str) -> None:
    status, result = follow.do(header=Header(frame_id=BASE), **fields)
    assert (status, result.reason) == ("aborted", Reason.INVALID)
    assert word in result.message
