"""``go_to_pose`` with ``avoid``: the driver passes it to the manipulation node."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest
from geometry_msgs.msg import Point, Pose, PoseStamped, Vector3
from nav_msgs.msg import OccupancyGrid, Odometry
from std_msgs.msg import Header

from cozmo_driver.planning import Box
from cozmo_driver.robot import Pose2D
from cozmo_driver.ros.geometry import plane_pose, quaternion
from cozmo_interfaces.action import GoToPose
from cozmo_interfaces.msg import ObjectState, ObjectStates, Reason

from ..planning.scenes import tight_corner
from ..waiting import wait_until
from .conftest import World, stands
from .goals import Action
from .graph import LATCHED, DriverProcess, Graph, running_node

pytestmark = pytest.mark.covers("go_to_pose", "go_to_pose_avoiding", "object_states")
HERE = PoseStamped(header=Header(frame_id="base_footprint"))
SIZE = 0.044


@dataclass(frozen=True)
class Eyes:
    """What tells the manipulation node where a cube is; nobody sees it, it is not there."""

    publisher: Any
    go: Action

    def put(self, x: float, y: float) -> None:
        self.put_boxes(Box(x, y, 0.0, SIZE, SIZE, "cube_1"))

    def put_boxes(self, *boxes: Box) -> None:
        things = [
            ObjectState(
                name=box.name,
                kind=ObjectState.CUBE,
                state=ObjectState.KNOWN,
                pose=Pose(
                    position=Point(x=box.x, y=box.y, z=SIZE / 2),
                    orientation=quaternion(box.yaw),
                ),
                size=Vector3(x=box.length, y=box.width, z=SIZE),
            )
            for box in boxes
        ]
        self.publisher.publish(ObjectStates(objects=things))

    def wait_until_reason(self, reason: int) -> str:
        """Wait until a goal where the robot stands ends so; return its message."""
        texts: list[str] = []

        def ends_so() -> bool:
            _, result = self.go.do(pose=HERE, avoid=True)
            texts.append(result.message)
            return bool(result.reason == reason)

        wait_until(ends_so, f"never {reason}")
        return texts[-1]


@contextmanager
def cube_seen(graph: Graph) -> Iterator[Eyes]:
    go = Action(graph, GoToPose, "go_to_pose")
    publisher = graph.node.create_publisher(ObjectStates, "object_states", LATCHED)
    yield Eyes(publisher, go)
    graph.in_executor(lambda: graph.node.destroy_publisher(publisher))


@pytest.fixture(scope="module")
def manipulation(world: World) -> Iterator[DriverProcess]:
    with running_node("manipulation_node", world.graph.namespace) as node:
        yield node


@pytest.fixture
def eyes(world: World, manipulation: DriverProcess) -> Iterator[Eyes]:
    with cube_seen(world.graph) as eyes:
        eyes.wait_until_reason(Reason.NONE)
        yield eyes


def place(odometry: Any) -> tuple[float, float]:
    return odometry.pose.pose.position.x, odometry.pose.pose.position.y


def test_without_the_manipulation_node_it_is_refused_with_what_to_do(world: World) -> None:
    status, result = Action(world.graph, GoToPose, "go_to_pose").do(pose=HERE, avoid=True)
    assert (status, result.reason) == ("aborted", Reason.UNSUPPORTED)
    assert "manipulation:=true" in result.message


def test_it_drives_around_a_cube_that_comes_into_its_way(world: World, eyes: Eyes) -> None:
    odometry = world.graph.listen(Odometry, "odom")
    start = plane_pose(odometry.collect(1)[0].pose.pose)

    def ahead(distance: float) -> tuple[float, float]:
        there = start.compose(Pose2D(distance))
        return there.x, there.y

    eyes.put(*ahead(0.0))
    assert "cube_1" in eyes.wait_until_reason(Reason.NO_PATH)
    assert math.dist(place(odometry.messages[-1]), ahead(0.0)) < 0.005
    eyes.put(*ahead(-1.0))
    eyes.wait_until_reason(Reason.NONE)
    goal = PoseStamped(header=Header(frame_id="odom"))
    goal.pose.position.x, goal.pose.position.y = ahead(0.4)
    sent = eyes.go.send(pose=goal, avoid=True, is_heading_ignored=True, speed=0.03)
    # From here there are 6 s to notice the cube: a busy machine takes two.
    sent.feedback.wait_for(lambda feedback: feedback.distance_remaining < 0.39)
    eyes.put(*ahead(0.25))
    status, result = sent.wait()
    assert (status, result.reason) == ("succeeded", Reason.NONE), result
    assert math.dist(place(result), ahead(0.4)) < 0.015
    nearest = min(math.dist(place(one), ahead(0.25)) for one in odometry.messages)
    assert nearest > 0.045


def test_cancelled_it_stands(world: World, eyes: Eyes) -> None:
    goal = PoseStamped(header=Header(frame_id="base_footprint"))
    goal.pose.position.x = 1.0
    sent = eyes.go.send(pose=goal, avoid=True)
    sent.feedback.wait_for(lambda feedback: feedback.distance_remaining < 0.98)
    sent.cancel()
    status, result = sent.wait()
    assert (status, result.reason) == ("canceled", Reason.CANCELED)
    world.emulator.wait_for(stands)


def test_the_map_is_in_the_way_too(world: World, eyes: Eyes) -> None:
    grid = OccupancyGrid(header=Header(frame_id="odom"))
    grid.info.resolution, grid.info.width, grid.info.height = 0.1, 80, 80
    grid.info.origin.position = Point(x=-4.0, y=-4.0)
    grid.data = [100] * 80 * 80
    publisher = world.graph.node.create_publisher(OccupancyGrid, "map_memory", LATCHED)
    publisher.publish(grid)
    assert "the map" in eyes.wait_until_reason(Reason.NO_PATH)
    world.graph.in_executor(lambda: world.graph.node.destroy_publisher(publisher))
    eyes.wait_until_reason(Reason.NONE)


def test_a_plan_ends_with_its_goal(world: World, eyes: Eyes) -> None:
    """Those that were cancelled leave the workers to pictures, and to the next plan."""
    here = plane_pose(world.graph.listen(Odometry, "odom").collect(1)[0].pose.pose)
    there, walls = tight_corner()
    places = [(here.compose(Pose2D(box.x, box.y, box.yaw)), box) for box in walls]
    eyes.put_boxes(*(replace(box, x=at.x, y=at.y, yaw=at.yaw) for at, box in places))
    goal = PoseStamped(header=Header(frame_id="base_footprint"))
    goal.pose.position.x, goal.pose.position.y = there.x, there.y
    for _ in range(4):
        sent = eyes.go.send(pose=goal, avoid=True)
        sent.cancel()
        assert sent.wait()[0] == "canceled"
    _, result = eyes.go.do(pose=goal, avoid=True)
    assert result.reason == Reason.NO_PATH
    assert "of planning; wall_3 is in the way" in result.message
