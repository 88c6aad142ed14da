"""A driver whose robot is held: events, diagnostics, hazards, actions and cmd_vel."""

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

from cozmo_driver.driver.sensors import _GONE, _HEIGHT
from cozmo_driver.emulator import Pose2D
from cozmo_driver.emulator.world import World as Place
from cozmo_driver.emulator.world.layout_file import layout_of
from cozmo_interfaces.msg import RobotEvent, RobotStatus

from .conftest import World, running_world, stands
from .graph import Graph, twist

FLOOR = {"name": "floor", "floor": [{"rectangle": [-1.0, -1.0, 1.0, 1.0]}]}


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    place = Place(layout_of(FLOOR, "floor.yaml"))
    with running_world(emulated={"world": place}) as world:
        yield world


@pytest.fixture(autouse=True)
def on_the_floor(world: World) -> Iterator[None]:
    """Put the robot down, and let its driver know that it is."""
    # It is told each second, an event only to who is known by then.
    status = world.graph.listen(RobotStatus, "status")
    world.emulator.call(lambda f: f.ground.pick_up())
    status.wait_for(lambda one: one.off_treads_state != RobotStatus.ON_TREADS)
    world.emulator.call(lambda f: f.ground.put_down(Pose2D()))
    status.wait_for_latest(lambda one: one.off_treads_state == RobotStatus.ON_TREADS)
    yield
    assert not world.graph.set(stop_on_bump=False)
    hold_treads(world, False)
    world.emulator.call(lambda f: f.ground.hold(False))
    world.emulator.wait_for(stands)


def hold_treads(world: World, on: bool = True) -> None:
    world.emulator.call(lambda f: (f.wheels.left.switch(not on), f.wheels.right.switch(not on)))


class Commander:
    """Publishes a speed 20 times a second, as a controller does."""

    def __init__(self, graph: Graph, linear: float, angular: float = 0.0) -> None:
        self._publisher = graph.publisher(Twist, "cmd_vel")
        self._twist = twist(linear, angular)
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
    return next(s for s in message.status if s.name.endswith(": motors"))


@pytest.mark.covers("cmd_vel", "events", "/diagnostics", "hazards", "stop_on_bump")
def test_treads_that_are_held_are_told_stopped_once_and_driven_on(world: World) -> None:
    graph, emulator = world.graph, world.emulator
    assert not world.graph.set(stop_on_bump=True)
    events = graph.listen(RobotEvent, "events")
    health = graph.listen(DiagnosticArray, "/diagnostics")
    # As Nav2's costmaps listen.
    clouds = graph.listen(PointCloud2, "hazards", qos_profile_sensor_data)
    hold_treads(world)
    with Commander(graph, 0.1):
        event = events.wait_for(lambda event: event.type == RobotEvent.UNEXPECTED_MOVEMENT)
        warned = health.wait_for(lambda message: motors(message).level == DiagnosticStatus.WARN)
        cloud = clouds.wait_for(lambda cloud: cloud.width)
        hold_treads(world, False)
        emulator.wait_for(lambda state: state.pose.x > 50.0)
    assert (event.movement, event.side) == (RobotEvent.TREADS_HELD, RobotEvent.SIDE_FRONT)
    assert event.has_stopped
    assert "in front of the robot" in motors(warned).message
    assert "stopped: the treads do not turn as commanded" in world.driver.log
    # But for states that are late on a busy computer.
    assert "refused" not in world.driver.log.replace("refused: no state", "")
    assert cloud.header.frame_id == "odom"
    assert {(round(z, 3), kind) for _, _, z, kind in points_of(cloud)} == {(_HEIGHT, 3.0)}


@pytest.mark.covers("hazards", "hazard_lifetime")
def test_hazards_age_and_are_told_to_be_gone(world: World) -> None:
    clouds = world.graph.listen(PointCloud2, "hazards", qos_profile_sensor_data)
    hold_treads(world)
    with Commander(world.graph, 0.1):
        clouds.wait_for(lambda cloud: any(z > 0.0 for _, _, z, _ in points_of(cloud)))
    assert not world.graph.set(hazard_lifetime=1.0)
    old = clouds.wait_for_latest(
        lambda cloud: cloud.width and all(z < 0.0 for _, _, z, _ in points_of(cloud))
    )
    assert {round(z, 3) for _, _, z, _ in points_of(old)} == {_GONE}
    clouds.wait_for_latest(lambda cloud: cloud.width == 0)
    assert not world.graph.set(hazard_lifetime=60.0)
