"""A driver whose robot pushes a wall: events, diagnostics, hazards, actions and cmd_vel."""

from __future__ import annotations

import struct
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import Twist
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import PointCloud2

from cozmo_driver.emulator import Pose2D, running_emulator
from cozmo_driver.emulator.world import World as Place
from cozmo_driver.emulator.world.layout_file import layout_of
from cozmo_driver.nodes.parts.sensors import _GONE, _HEIGHT
from cozmo_interfaces.action import DriveDistance
from cozmo_interfaces.msg import ConnectionState, Reason, RobotEvent

from ..waiting import wait_until
from .conftest import World
from .goals import Action
from .graph import LATCHED, running_driver, running_graph
from .test_parameter_effects import set_parameter

ROOM = {
    "name": "wall",
    "floor": [{"rectangle": [-1.0, -1.0, 1.0, 1.0]}],
    "walls": [{"points": [[0.2, -0.8], [0.2, 0.8]], "thickness": 0.01}],
}
_AT_WALL, _BEFORE = 162.9, 100.0
"""Where the robot's origin is when its front touches the wall, and at the start of a test, mm."""


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    place = Place(layout_of(ROOM, "wall.yaml"))
    with (
        running_emulator(calibration_time=0.0, world=place) as emulator,
        running_graph() as graph,
        running_driver(emulator.port, graph.namespace) as driver,
    ):
        states = graph.listen(ConnectionState, "connection_state", LATCHED)
        states.wait_for(lambda message: message.state == ConnectionState.CONNECTED)
        yield World(emulator, driver, graph)


@pytest.fixture(autouse=True)
def in_front_of_the_wall(world: World) -> Iterator[None]:
    """Put the robot down, and let its driver know that it is."""
    events = world.graph.listen(RobotEvent, "events")
    world.emulator.call(lambda f: f.ground.pick_up())
    events.wait_for(lambda event: event.type == RobotEvent.PICKED_UP)
    world.emulator.call(lambda f: f.ground.put_down(Pose2D(_BEFORE)))
    events.wait_for(lambda event: event.type == RobotEvent.PUT_DOWN)
    yield
    world.emulator.wait_for(lambda state: state.left_speed == state.right_speed == 0.0)


class Commander:
    """Publishes a speed 20 times a second, as a controller does."""

    def __init__(self, world: World, linear: float) -> None:
        self._publisher = world.graph.publisher(Twist, "cmd_vel")
        self._twist = Twist()
        self._twist.linear.x = linear
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        while not self._end.wait(0.05):
            self._publisher.publish(self._twist)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: Any) -> None:
        self._end.set()
        self._thread.join()
        self._publisher.publish(Twist())


def points_of(cloud: PointCloud2) -> list[tuple[float, float, float, float]]:
    """Return x, y, z and intensity of every point."""
    assert [field.name for field in cloud.fields] == ["x", "y", "z", "intensity"]
    assert len(cloud.data) == cloud.row_step == cloud.width * cloud.point_step
    return list(struct.iter_unpack("<4f", bytes(cloud.data)))


def motors(message: DiagnosticArray) -> DiagnosticStatus:
    """Return how the motors are."""
    return next(s for s in message.status if s.name.endswith(": motors"))


@pytest.mark.covers("cmd_vel", "events", "/diagnostics", "hazards", "stop_on_bump")
def test_cmd_vel_against_a_wall_is_told_and_refused_until_it_drives_back(world: World) -> None:
    graph, emulator = world.graph, world.emulator
    events = graph.listen(RobotEvent, "events")
    health = graph.listen(DiagnosticArray, "/diagnostics")
    # As Nav2's costmaps listen.
    clouds = graph.listen(PointCloud2, "hazards", qos_profile_sensor_data)
    with Commander(world, 0.1):
        event = events.wait_for(lambda event: event.type == RobotEvent.UNEXPECTED_MOVEMENT)
        warned = health.wait_for(lambda message: motors(message).level == DiagnosticStatus.WARN)
        emulator.wait_for(lambda state: state.left_speed == 0.0)
        refused = emulator.state().received["DriveWheels"]
        health.wait_for_new(
            lambda message: any(
                value.key == "cmd_vel refused" and int(value.value) > 10
                for status in message.status
                for value in status.values
            )
        )
        assert emulator.state().received["DriveWheels"] - refused < 3
    assert (event.movement, event.side) == (RobotEvent.BLOCKED, RobotEvent.SIDE_FRONT)
    assert event.has_stopped
    assert event.duration < 0.5
    assert "in front of the robot" in motors(warned).message
    assert "stopped: the robot does not follow its treads" in world.driver.log
    cloud = clouds.wait_for(lambda cloud: cloud.width)
    assert cloud.header.frame_id == "odom"
    assert {(round(z, 3), kind) for _, _, z, kind in points_of(cloud)} == {(_HEIGHT, 2.0)}
    with Commander(world, -0.1):
        emulator.wait_for(lambda state: state.pose.x < _AT_WALL - 40.0)


@pytest.mark.covers("drive_distance")
def test_driving_into_a_wall_ends_blocked(world: World) -> None:
    action = Action(world.graph, DriveDistance, "drive_distance")
    outcome, result = action.do(distance=0.5, speed=0.1)
    action.destroy()
    assert (outcome, result.reason) == ("aborted", Reason.BLOCKED)
    assert "something is in front of the robot" in result.message
    assert world.emulator.state().pose.x == pytest.approx(_AT_WALL, abs=1.0)


@pytest.mark.covers("hazards", "hazard_lifetime")
def test_hazards_age_and_are_told_to_be_gone(world: World) -> None:
    clouds = world.graph.listen(PointCloud2, "hazards", qos_profile_sensor_data)
    with Commander(world, 0.1):
        clouds.wait_for(lambda cloud: any(z > 0.0 for _, _, z, _ in points_of(cloud)))
    set_parameter(world, "hazard_lifetime", 1.0)
    old = clouds.wait_for_latest(
        lambda cloud: cloud.width and all(z < 0.0 for _, _, z, _ in points_of(cloud))
    )
    assert {round(z, 3) for _, _, z, _ in points_of(old)} == {_GONE}
    clouds.wait_for_latest(lambda cloud: cloud.width == 0)
    set_parameter(world, "hazard_lifetime", 60.0)


@pytest.mark.covers("stop_on_bump")
def test_without_the_reflex_it_is_told_and_pushes_on(world: World) -> None:
    set_parameter(world, "stop_on_bump", False)
    events = world.graph.listen(RobotEvent, "events")
    with Commander(world, 0.1):
        event = events.wait_for(lambda event: event.type == RobotEvent.UNEXPECTED_MOVEMENT)
        assert not event.has_stopped
        end = world.emulator.state().reported_pose.x + 60.0
        world.emulator.wait_for(lambda state: state.reported_pose.x > end)
    set_parameter(world, "stop_on_bump", True)
    wait_until(lambda: world.emulator.state().left_speed == 0.0, "it does not stop")
