"""Updates of the firmware on the graph."""

from __future__ import annotations

import itertools
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import rclpy
from geometry_msgs.msg import Twist
from rclpy.context import Context
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.signals import SignalHandlerOptions
from std_srvs.srv import Trigger

from cozmo_driver.driver import node as driver_node
from cozmo_driver.emulator import running_emulator
from cozmo_driver.emulator.running import RunningEmulator
from cozmo_driver.robot import RobotOptions, UpdateTimes
from cozmo_driver.ros.parameter_set import ParameterSet
from cozmo_driver.ros.runtime import StopRequest
from cozmo_interfaces.action import MoveHead, UpdateFirmware
from cozmo_interfaces.msg import ConnectionState, Reason, RobotInfo
from cozmo_interfaces.srv import NvRead

from ..robot import firmware_files
from ..spinner import Spinner
from .conftest import World, running_world
from .goals import Action, SentGoal
from .graph import LATCHED, Graph, running_driver, running_graph, twist

Feedback = UpdateFirmware.Feedback
OLD, NEW = 2457, 2381
BODY = 20_000
SIZE = 1024 + BODY
ROBOT = {"calibration_time": 0.0, "on_charger": True}
SHORT = UpdateTimes(restart=1.0, retry=0.2)
"""A robot is left alone for 15 s while it restarts, an emulated one needs not be."""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return firmware_files.write(tmp_path_factory.mktemp("firmware") / "cozmo.safe", BODY)


def sent(emulator: RunningEmulator) -> int:
    """Return how many chunks of a firmware the robot received."""
    return emulator.state().received.get("OtaWrite", 0)


def update(graph: Graph, file: Path, confirmation: str = str(NEW), dry: bool = False) -> SentGoal:
    action = Action(graph, UpdateFirmware, "update_firmware")
    return action.send(file=str(file), confirmation=confirmation, is_dry_run=dry)


# -- the driver as it is: what is refused


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    """Return a driver whose robot stands on its charger."""
    with running_world(emulated=ROBOT) as world:
        yield world


@pytest.mark.covers("update_firmware", "allow_firmware_update")
def test_trying_is_the_default_and_sends_nothing(world: World, file: Path) -> None:
    action = Action(world.graph, UpdateFirmware, "update_firmware")
    status, result = action.do(file=str(file))
    assert (status, result.success, result.reason) == ("succeeded", True, Reason.NONE)
    assert (result.old_version, result.file_version, result.new_version) == (OLD, NEW, 0)
    assert result.bytes_sent == 0
    assert sent(world.emulator) == 0
    assert world.emulator.state().sessions == 1


@pytest.mark.covers("update_firmware", "allow_firmware_update")
def test_without_permission_and_confirmation_nothing_is_sent(world: World, file: Path) -> None:
    status, result = update(world.graph, file).wait()
    assert (status, result.reason) == ("aborted", Reason.NOT_ALLOWED)
    assert (result.old_version, result.file_version, result.new_version) == (OLD, NEW, 0)
    assert not world.graph.set(allow_firmware_update=True)
    status, result = update(world.graph, file, str(OLD)).wait()
    assert (status, result.reason) == ("aborted", Reason.NOT_ALLOWED)
    assert f"'{NEW}'" in result.message
    assert not world.graph.set(allow_firmware_update=False)
    assert sent(world.emulator) == 0
    assert world.emulator.state().sessions == 1


@pytest.mark.covers("update_firmware")
def test_files_that_are_none_are_refused(world: World, tmp_path: Path) -> None:
    old = firmware_files.write(tmp_path / "old.safe", version=1299)
    for file, reason, version in (
        (tmp_path / "missing.safe", Reason.NOT_FOUND, 0),
        (tmp_path, Reason.INVALID, 0),
        (old, Reason.UNSUPPORTED, 1299),
    ):
        status, result = update(world.graph, file, dry=True).wait()
        assert (status, result.success, result.reason) == ("aborted", False, reason)
        assert result.file_version == version


# -- what goes wrong on the way


@pytest.mark.covers("update_firmware", "cmd_vel", "disconnect", "connect", "power_off")
def test_while_the_flash_is_written_nothing_else_is_done_until_the_driver_is_told_to_end(
    file: Path,
) -> None:
    with (
        running_emulator(**ROBOT) as emulator,
        running_graph() as graph,
        running_driver(
            emulator.port, graph.namespace, allow_firmware_update=True, allow_power_off=True
        ) as driver,
    ):
        states = graph.connected()
        emulator.call(lambda firmware: setattr(firmware.update.faults, "silent_from", 0))
        goal = update(graph, file)
        goal.feedback.wait_for(lambda feedback: feedback.phase == Feedback.ERASING)
        why = "the firmware is being updated to 2381"
        # The driver's very first state is the same one, for another reason.
        states.wait_for(lambda m: m.state == ConnectionState.DISCONNECTED and m.message == why)

        assert not goal.try_to_cancel()
        status, second = update(graph, file).wait()
        assert (status, second.reason) == ("aborted", Reason.BUSY)
        assert second.bytes_sent == 0
        status, moved = Action(graph, MoveHead, "move_head").do(angle=0.3)
        assert (status, moved.reason) == ("aborted", Reason.NOT_CONNECTED)
        assert why in moved.message
        assert why in graph.call(NvRead, "nv_read", NvRead.Request(tag=0x182000)).message
        for service in ("disconnect", "power_off"):
            response = graph.call(Trigger, service)
            assert not response.success
            assert why in response.message
        assert "connects afterwards" in graph.call(Trigger, "connect").message
        graph.publisher(Twist, "cmd_vel").publish(twist(0.1))
        driver.wait_for_log(f"cmd_vel is refused: no robot is ready: {why}")
        assert sent(emulator) == 1
        assert "update_firmware cannot be cancelled" in driver.log

        assert driver.stop(signal.SIGINT) == 0
        status, result = goal.wait()
        assert (status, result.reason) == ("aborted", Reason.SHUTDOWN)
        assert "never resumed" in result.message
        assert "the update was broken off" in driver.log
        assert sent(emulator) == 1


# -- a whole update


@contextmanager
def impatient_driver(port: int, namespace: str, patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Run the whole driver in this process; it waits less long for a robot that restarts."""
    options_of = driver_node.robot_options

    def impatient(parameters: ParameterSet) -> RobotOptions:
        options = options_of(parameters)
        return replace(options, firmware=replace(options.firmware, times=SHORT))

    patch.setattr(driver_node, "robot_options", impatient)
    context = Context()
    rclpy.init(context=context, signal_handler_options=SignalHandlerOptions.NO)
    values = {
        "robot_address": "127.0.0.1",
        "robot_port": port,
        "allow_firmware_update": True,
        "camera_enabled": False,
    }
    overrides = [Parameter(name, value=value) for name, value in values.items()]
    node = Node(
        driver_node.NODE_NAME,
        namespace=namespace,
        context=context,
        parameter_overrides=overrides,
    )
    driver = driver_node.Driver(node)
    spinner = Spinner(node)
    try:
        yield
    finally:
        stop = StopRequest()
        stop.set()
        driver.run(stop)
        spinner.end()
        driver.close()
        node.destroy_node()
        context.try_shutdown()


@pytest.mark.covers("update_firmware", "allow_firmware_update", "robot_info")
def test_an_update_tells_every_step_and_the_robot_comes_back_with_the_new_firmware(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        running_emulator(**ROBOT) as emulator,
        running_graph() as graph,
        impatient_driver(emulator.port, graph.namespace, monkeypatch),
    ):
        states = graph.connected()
        # Its first step is told at once: the driver knows its listeners in the order they came.
        action = Action(graph, UpdateFirmware, "update_firmware")
        infos = graph.listen(RobotInfo, "robot_info", LATCHED)
        infos.wait_for(lambda info: info.firmware_version == OLD)
        goal = action.send(file=str(file), confirmation=str(NEW), is_dry_run=False)
        status, result = goal.wait()
        assert (status, result.success, result.reason) == ("succeeded", True, Reason.NONE)
        assert (result.old_version, result.file_version, result.new_version) == (OLD, NEW, NEW)
        assert result.bytes_sent == SIZE

        steps = goal.feedback.messages
        assert list(dict.fromkeys(step.phase for step in steps)) == [
            Feedback.CHECKING,
            Feedback.ERASING,
            Feedback.SENDING,
            Feedback.VERIFYING,
            Feedback.RESTARTING,
            Feedback.CONFIRMING,
        ]
        assert all(a.progress <= b.progress for a, b in itertools.pairwise(steps))
        assert all(a.bytes_sent <= b.bytes_sent for a, b in itertools.pairwise(steps))
        assert (steps[-1].bytes_sent, steps[-1].bytes_total) == (SIZE, SIZE)
        received = emulator.call(lambda firmware: bytes(firmware.update.received))
        assert received[:SIZE] == file.read_bytes()

        states.wait_for(lambda m: m.state == ConnectionState.CONNECTED and m.connections == 2)
        infos.wait_for(lambda info: info.firmware_version == NEW)
