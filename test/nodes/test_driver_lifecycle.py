"""Start, loss, return and end of the driver."""

from __future__ import annotations

import signal
from collections.abc import Callable

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry

from cozmo_driver.emulator import running_emulator
from cozmo_driver.protocol.messages import DriveWheels, StopAllMotors
from cozmo_interfaces.msg import ConnectionState

from ..waiting import wait_until
from .conftest import running_world
from .graph import LATCHED, Graph, Inbox, running_driver, running_graph, seconds
from .relay import is_goodbye, messages_in, running_relay


def connection_of(graph: Graph) -> Inbox[ConnectionState]:
    return graph.listen(ConnectionState, "connection_state", LATCHED)


def wait_connected(states: Inbox[ConnectionState], connections: int = 1) -> ConnectionState:
    """Return the state in which the robot was connected for the n-th time."""
    return states.wait_for(
        lambda message: message.state == ConnectionState.CONNECTED
        and message.connections == connections
    )


@pytest.mark.covers("cmd_vel")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_the_driver_leaves_a_robot_behind_that_stands_and_is_told_nothing_more(
    number: signal.Signals,
) -> None:
    with (
        running_emulator(calibration_time=0.0) as emulator,
        running_relay(emulator.port) as relay,
        running_graph() as graph,
        running_driver(relay.port, graph.namespace) as driver,
    ):
        wait_connected(connection_of(graph))
        command = Twist()
        command.linear.x = 0.05
        graph.publisher(Twist, "cmd_vel").publish(command)
        emulator.wait_for(lambda state: state.left_speed > 0)
        assert driver.stop(number) == 0
        assert "Traceback" not in driver.log
        assert "terminate called" not in driver.log
        state = emulator.wait_for(lambda state: not state.connected)
        assert state.received["StopAllMotors"] == 1
        assert state.left_speed == state.right_speed == 0.0
        assert not state.camera_streaming
        sent = messages_in(relay.to_robot)
        moves = [m for m in sent if isinstance(m, DriveWheels | StopAllMotors)]
        assert isinstance(moves[-1], StopAllMotors)
        assert is_goodbye(relay.to_robot[-1])
        assert sum(map(is_goodbye, relay.to_robot)) == 1


@pytest.mark.covers("connection_state", "diagnostics")
def test_a_signal_while_nobody_answers_ends_the_driver(unused_udp_port: int) -> None:
    with running_graph() as graph, running_driver(unused_udp_port, graph.namespace) as driver:
        states = connection_of(graph)
        states.wait_for(lambda message: message.state == ConnectionState.CONNECTING)
        diagnostics = graph.listen(DiagnosticArray, "/diagnostics")
        array = diagnostics.wait_for(lambda array: array.status[0].level != DiagnosticStatus.OK)
        assert array.status[0].level == DiagnosticStatus.WARN
        assert driver.stop() == 0


@pytest.mark.covers("odom", "connection_state")
def test_a_robot_that_is_away_is_lost_and_then_goes_on_where_it_was() -> None:
    with running_world() as world:
        emulator, graph = world.emulator, world.graph
        states = connection_of(graph)
        odometry = graph.listen(Odometry, "odom")
        diagnostics = graph.listen(DiagnosticArray, "/diagnostics")
        wait_connected(states)
        publisher = graph.publisher(Twist, "cmd_vel")
        command = Twist()
        command.linear.x, command.angular.z = 0.1, 1.0

        def drive_until(holds: Callable[[Odometry], bool]) -> None:
            # Again and again: what one command drives depends on when its timeout is noticed.
            def has_come() -> bool:
                publisher.publish(command)
                return any(map(holds, odometry.messages[-1:]))

            wait_until(has_come, "the robot does not drive")

        drive_until(lambda odom: odom.pose.pose.position.x > 0.02)
        publisher.publish(Twist())
        odometry.wait_for_new(lambda odom: odom.twist.twist.linear.x == 0.0)

        emulator.kill()
        lost = states.wait_for(lambda message: message.state == ConnectionState.WAITING)
        assert lost.reason == ConnectionState.REASON_SILENT
        assert "Wi-Fi" in lost.message
        last = odometry.messages[-1]
        # The robot falls silent for 5 s before it counts as lost (spec 01 §8).
        assert seconds(lost.header.stamp) - seconds(last.header.stamp) > 4.9
        array = diagnostics.wait_for(lambda array: array.status[0].level == DiagnosticStatus.ERROR)
        assert array.status[0].message == lost.message

        emulator.restart()
        odometry.clear()
        wait_connected(states, connections=2)
        first = odometry.wait_for(lambda _: True)
        before, after = last.pose.pose, first.pose.pose
        assert after.position.x == pytest.approx(before.position.x, abs=0.002)
        assert after.position.y == pytest.approx(before.position.y, abs=0.002)
        assert after.orientation.z == pytest.approx(before.orientation.z, abs=0.01)
        assert seconds(first.header.stamp) > seconds(last.header.stamp)
        drive_until(lambda odom: odom.twist.twist.linear.x > 0.05)
