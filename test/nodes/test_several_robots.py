"""Two robots and two drivers on one machine: what one of them does, the other does not notice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from std_srvs.srv import Trigger

from cozmo_driver.emulator import Identity, running_emulator
from cozmo_driver.emulator.running import RunningEmulator
from cozmo_interfaces.msg import CubeArray, RobotInfo

from .graph import LATCHED, DriverProcess, Graph, drive_until, running_driver, running_graph, twist


@dataclass(frozen=True)
class Robot:
    """One robot and its driver; ``name`` is the driver's namespace below the test's."""

    name: str
    identity: Identity
    emulator: RunningEmulator
    driver: DriverProcess


@dataclass(frozen=True)
class Pair:
    """Two robots, and the test's node beside both drivers."""

    graph: Graph
    first: Robot
    second: Robot

    @property
    def both(self) -> tuple[Robot, Robot]:
        return self.first, self.second

    def listen(self, kind: Any, robot: Robot, topic: str, *qos: Any) -> Any:
        return self.graph.listen(kind, f"{robot.name}/{topic}", *qos)

    def trigger(self, robot: Robot, service: str) -> None:
        assert self.graph.call(Trigger, f"{robot.name}/{service}").success


FIRST = Identity(head_serial=0x11111111, cubes=((0xA1, 1),))
SECOND = Identity(head_serial=0x22222222, cubes=((0xB2, 2),))


@pytest.fixture(scope="module")
def module_pair() -> Iterator[Pair]:
    with (
        running_emulator(calibration_time=0.0, identity=FIRST) as one,
        running_emulator(calibration_time=0.0, identity=SECOND) as two,
        running_graph() as graph,
        running_driver(one.port, f"{graph.namespace}/cozmo1", frame_prefix="cozmo1/") as its,
        running_driver(two.port, f"{graph.namespace}/cozmo2", frame_prefix="cozmo2/") as other,
    ):
        pair = Pair(graph, Robot("cozmo1", FIRST, one, its), Robot("cozmo2", SECOND, two, other))
        for robot in pair.both:
            graph.connected(f"{robot.name}/")
        yield pair


@pytest.fixture
def pair(module_pair: Pair) -> Iterator[Pair]:
    yield module_pair
    module_pair.graph.clear()


def x_of(odometry: Odometry) -> float:
    """Return where a robot is, m."""
    return float(odometry.pose.pose.position.x)


@pytest.mark.covers("robot_info", "cubes", "robot_port")
def test_each_driver_has_its_own_robot(pair: Pair) -> None:
    for robot in pair.both:
        info = pair.listen(RobotInfo, robot, "robot_info", LATCHED)
        known = info.wait_for(lambda message: message.head_serial)
        assert known.head_serial == robot.identity.head_serial
        cubes = pair.listen(CubeArray, robot, "cubes", LATCHED)
        found = cubes.wait_for(lambda message: message.cubes)
        assert [cube.factory_id for cube in found.cubes] == [robot.identity.cubes[0][0]]
        assert robot.emulator.state().foreign_datagrams == 0


@pytest.mark.covers("odom", "cmd_vel", "/tf")
def test_who_drives_one_robot_leaves_the_other_where_it_is(pair: Pair) -> None:
    for robot, other in (pair.both, pair.both[::-1]):
        ways = {r.name: pair.listen(Odometry, r, "odom") for r in pair.both}
        stays = x_of(ways[other.name].collect(1)[0])
        start = x_of(ways[robot.name].collect(1)[0])
        received = other.emulator.state().received
        topic, way = f"{robot.name}/cmd_vel", ways[robot.name].messages
        drive_until(pair.graph, lambda way=way, start=start: x_of(way[-1]) - start > 0.02, topic)
        pair.graph.publisher(Twist, topic).publish(Twist())
        ways[robot.name].wait_for_new(lambda odom: odom.twist.twist.linear.x == 0.0)
        # Its yaw wanders a little, and with it the link beside the origin.
        assert all(abs(x_of(odom) - stays) < 1e-4 for odom in ways[other.name].messages)
        assert other.emulator.state().received.get("DriveWheels", 0) == received.get(
            "DriveWheels", 0
        )
        pair.graph.clear()


@pytest.mark.covers("emergency_stop", "release_stop", "disconnect", "connect")
def test_the_emergency_stop_of_one_robot_lets_the_other_drive(pair: Pair) -> None:
    stopped, free = pair.both
    pair.trigger(stopped, "emergency_stop")
    commands = pair.graph.publisher(Twist, f"{stopped.name}/cmd_vel")
    topic = f"{free.name}/cmd_vel"

    def drives() -> bool:
        commands.publish(twist(0.05))
        return free.emulator.state().left_speed > 0.0

    drive_until(pair.graph, drives, topic)
    assert stopped.emulator.state().left_speed == 0.0
    pair.trigger(stopped, "release_stop")
    pair.trigger(stopped, "disconnect")
    stopped.emulator.wait_for(lambda state: not state.connected)
    drive_until(pair.graph, lambda: free.emulator.state().left_speed > 0.0, topic)
    pair.graph.publisher(Twist, topic).publish(Twist())
    free.emulator.wait_for(lambda state: state.left_speed == 0.0)
    pair.trigger(stopped, "connect")
    stopped.emulator.wait_for(lambda state: state.connected)
