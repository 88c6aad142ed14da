"""What the driver takes from the graph, and what the robot then does."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from std_msgs.msg import Float64
from std_srvs.srv import SetBool, Trigger

from cozmo_driver.emulator import running_emulator
from cozmo_driver.emulator.firmware import EmulatorState
from cozmo_driver.protocol import Message
from cozmo_driver.protocol.messages import RobotState
from cozmo_interfaces.action import DriveDistance
from cozmo_interfaces.msg import ConnectionState, RobotStatus

from ..waiting import wait_until
from .conftest import World, stands
from .goals import Action
from .graph import LATCHED, Graph, drive_until, running_driver, running_graph, seconds, twist
from .relay import running_relay


def moves(state: EmulatorState) -> bool:
    return not stands(state)


def driver_value(graph: Graph, status: str, key: str) -> str:
    """Return one value of a diagnostic status of this driver published from now on."""
    name = f"{graph.namespace.lstrip('/')}/cozmo_driver: {status}"
    array = graph.listen(DiagnosticArray, "/diagnostics").wait_for(
        lambda array: name in [each.name for each in array.status]
    )
    [found] = [each for each in array.status if each.name == name]
    return str({pair.key: pair.value for pair in found.values}[key])


@pytest.fixture(autouse=True)
def still(world: World) -> Iterator[None]:
    """Leave a robot behind that stands and may move."""
    yield
    world.graph.call(Trigger, "release_stop")
    world.emulator.wait_for(stands)


@pytest.mark.covers("cmd_vel", "status")
def test_a_sender_that_falls_silent_stops_the_robot(world: World) -> None:
    publisher = world.graph.publisher(Twist, "cmd_vel")
    odometry = world.graph.listen(Odometry, "odom")
    status = world.graph.listen(RobotStatus, "status")

    def is_moving() -> bool:
        publisher.publish(twist(0.05))
        return any(message.twist.twist.linear.x > 0.0 for message in odometry.messages[-1:])

    def stops_in_time() -> bool:
        wait_until(is_moving, "the robot does not drive")
        moved_at = seconds(odometry.messages[-1].header.stamp)
        stopped = odometry.wait_for(
            lambda odom: (
                seconds(odom.header.stamp) > moved_at and odom.twist.twist.linear.x == 0.0
            )
        )
        # cmd_vel_timeout is 0.5 s; the treads start and stop at once.
        return seconds(stopped.header.stamp) - moved_at > 0.4

    # On a busy computer it may stop for a command before the last one.
    wait_until(stops_in_time, "it stops too early")
    status.wait_for(lambda message: message.wheels_owner == RobotStatus.OWNER_TOPIC)
    status.wait_for_latest(lambda message: message.wheels_owner == RobotStatus.OWNER_NONE)


@pytest.mark.covers("cmd_vel", "diagnostics")
def test_a_sender_that_gave_way_to_an_action_is_not_said_to_have_stopped_it(world: World) -> None:
    status = world.graph.listen(RobotStatus, "status")
    assert not world.graph.set(cmd_vel_timeout=10.0)
    try:
        drive_until(world.graph, lambda: moves(world.emulator.state()))
        goal = Action(world.graph, DriveDistance, "drive_distance").send(distance=1.0, speed=0.03)
        status.wait_for_latest(lambda message: message.wheels_owner == RobotStatus.OWNER_ACTION)
        assert not world.graph.set(cmd_vel_timeout=0.05)
        reason = driver_value(world.graph, "commands", "cmd_vel last reason")
        assert reason != "no cmd_vel for 0.05 s"
        assert not goal.is_over
        goal.cancel()
        goal.wait()
    finally:
        assert not world.graph.set(cmd_vel_timeout=0.5)


@pytest.mark.covers("cmd_vel_timeout")
def test_nothing_is_driven_while_no_state_comes(world: World) -> None:
    """The link is alive and so is the sender; only the states are lost."""
    publisher = world.graph.publisher(Twist, "cmd_vel")

    def send_until(condition: Callable[[EmulatorState], bool]) -> None:
        def holds() -> bool:
            publisher.publish(twist(0.05))
            return condition(world.emulator.state())

        wait_until(holds, "never so")

    send_until(moves)
    send = world.emulator.call(lambda firmware: firmware.core.send)

    def send_no_state(message: Message, *, hot: bool = False) -> None:
        if not isinstance(message, RobotState):
            send(message, hot=hot)

    try:
        world.emulator.call(lambda firmware: setattr(firmware.core, "send", send_no_state))
        # A sender that is slower than its timeout is stopped for that first, then refused for this.
        why = "no state comes from the robot"
        send_until(lambda state: stands(state) and why in world.driver.log)
    finally:
        world.emulator.call(lambda firmware: setattr(firmware.core, "send", send))
    send_until(moves)


@pytest.mark.covers("cmd_vel", "diagnostics")
def test_a_command_that_is_not_finite_is_rejected_and_counted(world: World) -> None:
    publisher = world.graph.publisher(Twist, "cmd_vel")
    before = int(driver_value(world.graph, "commands", "cmd_vel rejected"))
    sent = world.emulator.state().received.get("DriveWheels", 0)
    command = twist(0.05)
    command.angular.x = math.nan
    publisher.publish(command)
    diagnostics = world.graph.listen(DiagnosticArray, "/diagnostics")

    def rejected(array: DiagnosticArray) -> bool:
        values = {pair.key: pair.value for each in array.status for pair in each.values}
        return int(values["cmd_vel rejected"]) == before + 1

    diagnostics.wait_for(rejected)
    assert driver_value(world.graph, "commands", "cmd_vel last reason") == "angular.x is nan"
    assert world.emulator.state().received.get("DriveWheels", 0) == sent
    assert "cmd_vel is rejected" in world.driver.log


@pytest.mark.covers("cmd_head", "cmd_lift")
def test_head_and_lift_go_where_they_are_told_and_no_further(world: World) -> None:
    head = world.graph.publisher(Float64, "cmd_head")
    lift = world.graph.publisher(Float64, "cmd_lift")
    head.publish(Float64(data=0.3))
    lift.publish(Float64(data=0.06))
    world.emulator.wait_for(lambda state: abs(state.head_angle - 0.3) < 0.01)
    world.emulator.wait_for(lambda state: abs(state.lift_height - 60.0) < 1.5)
    head.publish(Float64(data=math.nan))
    head.publish(Float64(data=7.0))
    lift.publish(Float64(data=0.0))
    world.emulator.wait_for(lambda state: abs(state.head_angle - 0.776672) < 0.01)
    world.emulator.wait_for(lambda state: abs(state.lift_height - 32.0) < 1.0)


@pytest.mark.covers("service:stop_on_cliff", "parameter:stop_on_cliff")
def test_stop_on_cliff_is_a_service_and_a_parameter(world: World) -> None:
    def wait_for_cliff_stop(value: bool) -> None:
        world.emulator.wait_for(
            lambda state: tuple(state.last_received["EnableStopOnCliff"]) == (value,)
        )

    wait_for_cliff_stop(True)
    assert world.graph.call(SetBool, "stop_on_cliff", SetBool.Request(data=False)).success
    wait_for_cliff_stop(False)
    assert world.graph.get("stop_on_cliff") is False
    assert not world.graph.set(stop_on_cliff=True)
    wait_for_cliff_stop(True)


@pytest.mark.covers("emergency_stop", "service:stop_on_cliff")
def test_a_stop_or_a_setting_that_the_robot_does_not_acknowledge_is_no_success() -> None:
    with (
        running_emulator(calibration_time=0.0) as emulator,
        running_relay(emulator.port) as relay,
        running_graph() as graph,
        running_driver(relay.port, graph.namespace),
    ):
        graph.connected()
        relay.is_deaf = True
        for kind, name in ((Trigger, "emergency_stop"), (SetBool, "stop_on_cliff")):
            answer = graph.call(kind, name)
            assert not answer.success
            assert "but the robot has not acknowledged it within 2 s" in answer.message
        relay.is_deaf = False
        assert graph.call(Trigger, "emergency_stop").success
        assert tuple(emulator.state().last_received["EnableStopOnCliff"]) == (False,)


@pytest.mark.covers("enable_camera")
def test_the_camera_is_switched_by_a_service(world: World) -> None:
    assert world.graph.call(SetBool, "enable_camera", SetBool.Request(data=False)).success
    world.emulator.wait_for(lambda state: not state.camera_streaming)
    assert world.graph.call(SetBool, "enable_camera", SetBool.Request(data=True)).success
    world.emulator.wait_for(lambda state: state.camera_streaming)


@pytest.mark.covers("connect", "disconnect", "connection_state")
def test_disconnect_stays_and_connect_takes_it_back(world: World) -> None:
    states = world.graph.listen(ConnectionState, "connection_state", LATCHED)
    assert world.graph.call(Trigger, "disconnect").success
    message = states.wait_for(lambda message: message.state == ConnectionState.DISCONNECTED)
    assert message.reason == ConnectionState.REASON_REQUESTED
    assert math.isnan(message.next_attempt)
    answer = world.graph.call(SetBool, "stop_on_cliff", SetBool.Request(data=False))
    assert not answer.success
    assert not world.graph.call(Trigger, "emergency_stop").success
    world.emulator.wait_for(lambda state: not state.connected)
    assert world.graph.call(Trigger, "connect").success
    message = states.wait_for_latest(lambda message: message.state == ConnectionState.CONNECTED)
    assert message.connections == 2
    assert tuple(world.emulator.state().last_received["EnableStopOnCliff"]) == (False,)
    assert world.graph.call(Trigger, "release_stop").success
    assert world.graph.call(SetBool, "stop_on_cliff", SetBool.Request(data=True)).success


@pytest.mark.covers("max_wheel_speed")
def test_limits_change_while_the_node_runs(world: World) -> None:
    assert not world.graph.set(max_wheel_speed=0.03)
    publisher = world.graph.publisher(Twist, "cmd_vel")

    def fastest() -> float:
        # Repeated: a robot that hears no more stands.
        publisher.publish(twist(0.2))
        command = world.emulator.state().last_received.get("DriveWheels")
        return getattr(command, "lwheel_speed_mmps", 0.0)

    assert wait_until(fastest, "the robot is not commanded") == pytest.approx(30.0)
    publisher.publish(Twist())
    assert not world.graph.set(max_wheel_speed=0.2)
