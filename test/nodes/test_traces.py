"""What the firmware logs, on /rosout."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rcl_interfaces.msg import Log
from rclpy.logging import LoggingSeverity
from rclpy.parameter import Parameter

from cozmo_driver.driver.traces import LINES_PER_SECOND, TracesPart
from cozmo_driver.emulator.running import RunningEmulator
from cozmo_driver.protocol.messages import PrintText, PrintTrace
from cozmo_driver.robot import Trace, TraceLevel
from cozmo_driver.ros.logs import LogBridge

from ..waiting import wait_until
from .conftest import Bench, World, running_world
from .graph import Graph, Inbox

TABLES = {"nameTable": {"7": "Body.Check"}, "formatTable": {"9": ["bumped %d times", 1]}}
WORD = 9, 0, 7
LEVELS = {
    2: LoggingSeverity.DEBUG,
    3: LoggingSeverity.INFO,
    4: LoggingSeverity.WARN,
    5: LoggingSeverity.ERROR,
    6: LoggingSeverity.FATAL,
}


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file that makes one kind of trace text."""
    file = tmp_path_factory.mktemp("tables") / "AnkiLogStringTables.json"
    file.write_text(json.dumps(TABLES))
    return file


@pytest.fixture(scope="module")
def world(tables: Path) -> Iterator[World]:
    """Return a driver that can read what its robot logs."""
    with running_world(trace_tables_file=tables) as world:
        yield world


def logger(graph: Graph, node: str = "cozmo_driver") -> str:
    return f"{graph.namespace.strip('/')}.{node}.firmware"


def rosout(graph: Graph, node: str = "cozmo_driver") -> Inbox[Log]:
    inbox = graph.listen(Log, "/rosout", 1000)
    name = f"{graph.namespace}/{node}"
    wait_until(
        lambda: any(
            f"{p.node_namespace}/{p.node_name}" == name
            for p in graph.node.get_publishers_info_by_topic("/rosout")
        ),
        f"{node} does not publish to /rosout",
    )
    return inbox


def say(emulator: RunningEmulator, *messages: Any) -> None:
    def send(firmware: Any) -> None:
        for message in messages:
            firmware.core.send(message)

    def is_acknowledged(firmware: Any) -> bool:
        return not firmware.core.connection.waiting

    emulator.call(send)
    wait_until(lambda: emulator.call(is_acknowledged), "the driver takes no traces")


def logged(world: World, *messages: Any) -> list[Log]:
    """Return what is logged of the firmware up to and with the answer to a mark."""
    inbox = rosout(world.graph)
    assert not world.graph.set(log_firmware_traces=True)
    # A subscription is there before everybody knows of it.
    while not any(log.msg == "begin" for log in inbox.messages):
        say(world.emulator, PrintText(3, "begin"))
    inbox.clear()
    say(world.emulator, *messages, PrintText(3, "end"))
    inbox.wait_for(lambda log: log.msg == "end")
    assert not world.graph.set(log_firmware_traces=False)
    ours = [log for log in inbox.messages if log.name == logger(world.graph)]
    return [log for log in ours if log.msg not in ("begin", "end")]


@pytest.mark.covers("log_firmware_traces", "trace_tables_file")
def test_traces_are_text_with_their_severity_under_the_robots_name(world: World) -> None:
    say(world.emulator, PrintText(6, "by default nobody listens"))
    traces = [PrintTrace(*WORD, level, (level,)) for level in LEVELS]
    logs = logged(world, *traces)
    assert [(log.level, log.msg) for log in logs] == [
        (severity, f"Body.Check: bumped {level} times") for level, severity in LEVELS.items()
    ]
    assert "bumped 5 times" in world.driver.log
    assert "nobody listens" not in world.driver.log


@pytest.mark.covers("log_firmware_traces")
def test_a_flood_is_cut_off_and_what_is_left_out_is_counted(
    bench: Bench, request: pytest.FixtureRequest
) -> None:
    [result] = bench.graph.node.set_parameters(
        [Parameter("log_firmware_traces", Parameter.Type.BOOL, True)]
    )
    assert result.successful
    bridge = LogBridge(bench.graph.node.get_logger())
    bridge.attach()
    request.addfinalizer(bridge.detach)
    TracesPart(bench.context)
    inbox = rosout(bench.graph, "test")

    def is_heard() -> bool:
        bench.graph.node.get_logger().info("begin")
        return bool(inbox.messages)

    wait_until(is_heard, "the log of the node does not come")
    emit = bench.robot.on_trace.emit

    def flood() -> None:
        for number in range(3 * LINES_PER_SECOND):
            emit(Trace(0.0, TraceLevel.INFO, "", f"line {number}"))

    bench.context.in_loop(flood)
    dropped = inbox.wait_for(lambda log: "left out" in log.msg)
    assert dropped.msg == f"{2 * LINES_PER_SECOND} lines of the last second are left out"
    assert (dropped.level, dropped.name) == (LoggingSeverity.WARN, logger(bench.graph, "test"))
    assert sum(log.msg.startswith("line ") for log in inbox.messages) == LINES_PER_SECOND
    # The next second is another one.
    bench.context.in_loop(emit, Trace(0.0, TraceLevel.INFO, "Name", "afterwards"))
    inbox.wait_for(lambda log: log.msg == "Name: afterwards")
