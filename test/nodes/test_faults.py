"""Faults of the driver: none goes unseen, and those in what keeps the robot safe end it."""

from __future__ import annotations

import re
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import Twist
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from std_msgs.msg import Float64
from std_srvs.srv import Trigger

from cozmo_driver.emulator import running_emulator
from cozmo_driver.emulator.running import RunningEmulator
from cozmo_driver.protocol.messages import DriveWheels, StopAllMotors
from cozmo_driver.ros.runtime import StopRequest, end_spinning, spin
from cozmo_interfaces.action import MoveHead

from ..waiting import TIMEOUT
from .goals import Action
from .graph import DriverProcess, Graph, drive_until, running_graph, twist
from .relay import messages_in, running_relay


@contextmanager
def broken_driver(
    fault: str, port: int, graph: Graph, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[DriverProcess]:
    """Run the driver with a fault; killed at the end if it still runs."""
    monkeypatch.setenv("FAULT", fault)
    where: dict[str, Any] = {"robot_address": "127.0.0.1", "robot_port": port}
    driver = DriverProcess(graph.namespace, where, folder, "test.nodes.broken_driver")
    try:
        yield driver
    finally:
        driver.kill()


def drive(graph: Graph) -> None:
    graph.connected()
    # Once: a node that fails ten times in a second ends.
    graph.publisher(Twist, "cmd_vel").publish(twist(0.05))


def send_goal(graph: Graph) -> None:
    assert Action(graph, MoveHead, "move_head").do(angle=0.1)[0] == "aborted"


def node_status(array: DiagnosticArray) -> DiagnosticStatus:
    [status] = [status for status in array.status if status.name.endswith(": node")]
    return status


def has_failed(array: DiagnosticArray) -> bool:
    return any(pair.key == "faults" and int(pair.value) for pair in node_status(array).values)


@pytest.mark.covers("/diagnostics")
@pytest.mark.parametrize(
    ("fault", "provoke"),
    [("a callback of the node", drive), ("a goal", send_goal)],
)
def test_a_fault_is_logged_and_counted_and_the_driver_goes_on(
    fault: str,
    provoke: Callable[[Graph], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with (
        running_emulator(calibration_time=0.0) as emulator,
        running_graph() as graph,
        broken_driver(fault, emulator.port, graph, tmp_path, monkeypatch) as driver,
    ):
        health = graph.listen(DiagnosticArray, "/diagnostics")
        assert node_status(health.wait_for(lambda _: True)).level == DiagnosticStatus.OK
        provoke(graph)
        status = node_status(health.wait_for(has_failed))
        assert status.level == DiagnosticStatus.WARN
        assert "KeyError" in status.message
        graph.publisher(Float64, "cmd_head").publish(Float64(data=0.5))
        emulator.wait_for(lambda state: abs(state.head_angle - 0.5) < 0.02)
        logged = r"\[ERROR\] \[[\d.]+\] \[.+cozmo_driver\]: .+\nTraceback(.*\n)+KeyError: 'a fault"
        assert re.search(logged, driver.log), driver.log
        assert driver.stop() == 0


def fail_by_watchdog(graph: Graph, emulator: RunningEmulator) -> None:
    graph.connected()
    # The fault may stop the treads as soon as they begin to turn.
    drive_until(graph, lambda: emulator.state().received.get("DriveWheels", 0) > 0)


def fail_by_stopping(graph: Graph, emulator: RunningEmulator) -> None:
    fail_by_watchdog(graph, emulator)
    client = graph.node.create_client(Trigger, "emergency_stop")
    assert client.wait_for_service(TIMEOUT)
    client.call_async(Trigger.Request())


@pytest.mark.covers("emergency_stop", "cmd_vel_timeout")
@pytest.mark.parametrize(
    ("fault", "provoke"),
    [
        ("the watchdog", fail_by_watchdog),
        ("the emergency stop", fail_by_stopping),
        ("a callback of a signal", fail_by_watchdog),
        ("the session", lambda *_: None),
        ("the states", lambda *_: None),
    ],
)
def test_a_fault_in_what_keeps_the_robot_safe_stops_it_and_ends_the_driver(
    fault: str, provoke: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        running_emulator(calibration_time=0.0) as emulator,
        running_relay(emulator.port) as relay,
        running_graph() as graph,
        broken_driver(fault, relay.port, graph, tmp_path, monkeypatch) as driver,
    ):
        provoke(graph, emulator)
        assert driver.wait() == 1, driver.log
        assert "KeyError: 'a fault for the test'" in driver.log
        sent = [
            m for m in messages_in(relay.to_robot) if isinstance(m, DriveWheels | StopAllMotors)
        ]
        assert isinstance(sent[-1], StopAllMotors)
        emulator.wait_for(lambda state: not state.connected and not state.left_speed)


def test_a_driver_whose_end_is_held_up_tries_to_stop_the_robot_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        running_emulator(calibration_time=0.0) as emulator,
        running_graph() as graph,
        broken_driver("the end", emulator.port, graph, tmp_path, monkeypatch) as driver,
    ):
        graph.connected()
        drive_until(graph, lambda: emulator.state().left_speed > 0.0)
        assert driver.stop() == 1, driver.log
        assert "the motors could not be stopped within" in driver.log
        assert "Traceback" not in driver.log
        state = emulator.wait_for(lambda state: not state.connected)
        assert state.received["StopAllMotors"] > 0


def test_an_executor_that_does_nothing_but_fail_ends_the_node() -> None:
    class Broken:
        def __init__(self) -> None:
            self.attempts = 0

        def spin(self) -> None:
            self.attempts += 1
            raise KeyError("a fault for the test")

    executor: Any = Broken()
    stop = StopRequest()
    spin(executor, stop)
    assert stop.exit_code == 1
    assert executor.attempts > 10


def test_the_rounds_of_an_executor_leave_nothing_behind() -> None:
    context = Context()
    rclpy.init(context=context, signal_handler_options=SignalHandlerOptions.NO)
    node = Node("rounds", context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    end = node.create_guard_condition(end_spinning)
    traced: list[int] = []

    def on_round() -> None:
        traced.append(tracemalloc.get_traced_memory()[0])
        (end if len(traced) == 600 else tick).trigger()

    tick = node.create_guard_condition(on_round)
    tick.trigger()
    tracemalloc.start()
    try:
        spin(executor, StopRequest())
    finally:
        tracemalloc.stop()
        executor.shutdown()
        node.destroy_node()
        context.try_shutdown()
    assert len(traced) == 600
    # A callback that each round kept takes 200 bytes.
    assert traced[-1] - traced[100] < 500 * 50
