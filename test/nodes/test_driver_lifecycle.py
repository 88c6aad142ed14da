"""Start, loss, return and end of the driver."""

from __future__ import annotations

import signal
from collections.abc import Callable

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from std_srvs.srv import Trigger

from cozmo_driver.emulator import running_emulator
from cozmo_driver.protocol.messages import DriveWheels, StopAllMotors
from cozmo_interfaces.action import DriveDistance
from cozmo_interfaces.msg import ConnectionState, Reason

from ..waiting import wait_until
from .conftest import World, running_world
from .goals import Action
from .graph import (
    LATCHED,
    drive_until,
    running_driver,
    running_graph,
    seconds,
    twist,
)
from .relay import is_goodbye, messages_in, running_relay


@pytest.mark.covers("cmd_vel")
def test_the_driver_leaves_a_robot_behind_that_stands_and_is_told_nothing_more() -> None:
    with (
        running_emulator(calibration_time=0.0) as emulator,
        running_relay(emulator.port) as relay,
        running_graph() as graph,
        running_driver(relay.port, graph.namespace) as driver,
    ):
        graph.connected()
        drive_until(graph, lambda: emulator.state().left_speed > 0.0)
        assert driver.stop(signal.SIGHUP) == 0
        assert "Traceback" not in driver.log
        assert "terminate called" not in driver.log
        # The treads take a moment to stand.
        state = emulator.wait_for(
            lambda state: not (state.connected or state.left_speed or state.right_speed)
        )
        assert state.received["StopAllMotors"] == 1
        assert not state.camera_streaming
        sent = messages_in(relay.to_robot)
        moves = [m for m in sent if isinstance(m, DriveWheels | StopAllMotors)]
        assert isinstance(moves[-1], StopAllMotors)
        assert is_goodbye(relay.to_robot[-1])
        assert sum(map(is_goodbye, relay.to_robot)) == 1


@pytest.mark.covers("connection_state", "diagnostics")
def test_a_signal_while_nobody_answers_ends_the_driver(unused_udp_port: int) -> None:
    with running_graph() as graph, running_driver(unused_udp_port, graph.namespace) as driver:
        states = graph.listen(ConnectionState, "connection_state", LATCHED)
        states.wait_for(lambda message: message.state == ConnectionState.CONNECTING)
        diagnostics = graph.listen(DiagnosticArray, "/diagnostics")
        array = diagnostics.wait_for(lambda array: array.status[0].level != DiagnosticStatus.OK)
        assert array.status[0].level == DiagnosticStatus.WARN
        assert driver.stop() == 0


@pytest.mark.covers("odom", "connection_state")
def test_a_robot_that_is_away_is_lost_and_then_goes_on_where_it_was() -> None:
    with running_world() as world:
        emulator, graph = world.emulator, world.graph
        states = graph.connected()
        odometry = graph.listen(Odometry, "odom")
        diagnostics = graph.listen(DiagnosticArray, "/diagnostics")
        publisher = graph.publisher(Twist, "cmd_vel")

        def drive_until(holds: Callable[[Odometry], bool]) -> None:
            # Again and again: what one command drives depends on when its timeout is noticed.
            def has_come() -> bool:
                publisher.publish(twist(0.1, 1.0))
                return any(map(holds, odometry.messages[-1:]))

            wait_until(has_come, "the robot does not drive")

        drive_until(lambda odom: odom.pose.pose.position.x > 0.02)
        publisher.publish(Twist())
        odometry.wait_for_new(lambda odom: odom.twist.twist.linear.x == 0.0)

        goal = Action(graph, DriveDistance, "drive_distance").send(distance=3.0, speed=0.05)
        emulator.wait_for(lambda state: state.left_speed > 0.0)
        emulator.kill()
        status, result = goal.wait()
        assert (status, result.reason) == ("aborted", Reason.LINK_LOST)
        lost = states.wait_for(lambda message: message.state == ConnectionState.WAITING)
        assert lost.reason == ConnectionState.REASON_SILENT
        assert "Wi-Fi" in lost.message
        last = odometry.messages[-1]
        # The robot falls silent for 5 s before it counts as lost (spec 01 §8).
        assert seconds(lost.header.stamp) - seconds(last.header.stamp) > 4.9
        array = diagnostics.wait_for(lambda array: array.status[0].level == DiagnosticStatus.ERROR)
        assert array.status[0].message == lost.message
        gone = {
            status.name.rpartition(" ")[2]
            for status in array.status
            if status.level == DiagnosticStatus.STALE
        }
        assert gone == {"battery", "motors", "clock"}

        emulator.restart()
        odometry.clear()
        states.wait_for(lambda m: m.state == ConnectionState.CONNECTED and m.connections == 2)
        first = odometry.wait_for(lambda _: True)
        before, after = last.pose.pose, first.pose.pose
        assert after.position.x == pytest.approx(before.position.x, abs=0.002)
        assert after.position.y == pytest.approx(before.position.y, abs=0.002)
        assert after.orientation.z == pytest.approx(before.orientation.z, abs=0.01)
        assert seconds(first.header.stamp) > seconds(last.header.stamp)
        assert emulator.state().left_speed == 0.0, "an old goal goes on"
        assert world.driver.log.count("body hardware") == 1
        drive_until(lambda odom: odom.twist.twist.linear.x > 0.05)


# -- switching the robot off on the graph


def requests(world: World) -> int:
    """Return how often the robot was told to switch itself off."""
    return world.emulator.state().received.get("ShutdownRobot", 0)


@pytest.mark.covers("power_off", "allow_power_off", "connect")
def test_the_robot_is_switched_off_with_permission_only_and_then_left_alone(world: World) -> None:
    response = world.graph.call(Trigger, "power_off")
    assert not response.success
    assert "allow_power_off" in response.message
    assert requests(world) == 0

    assert not world.graph.set(allow_power_off=True)
    states = world.graph.listen(ConnectionState, "connection_state", LATCHED)
    response = world.graph.call(Trigger, "power_off")
    assert response.success, response.message
    assert "until connect is called" in response.message
    assert requests(world) == 1
    assert world.emulator.call(lambda firmware: firmware.session.is_off)
    left = states.wait_for(lambda message: message.state == ConnectionState.DISCONNECTED)
    assert left.reason == ConnectionState.REASON_REQUESTED
    assert "the robot was switched off" in left.message

    response = world.graph.call(Trigger, "power_off")
    assert not response.success
    assert "the robot was switched off" in response.message

    world.emulator.restart()
    # Nothing is tried before it is asked for.
    assert states.messages[-1] is left
    assert world.graph.call(Trigger, "connect").success
    states.wait_for(lambda m: m.state == ConnectionState.CONNECTED and m.connections == 2)
