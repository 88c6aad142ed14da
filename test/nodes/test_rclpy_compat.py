"""What is used of rclpy without a public name, and that it is used nowhere else."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from std_msgs.msg import Float64

import cozmo_driver
from cozmo_driver.link import LoopThread
from cozmo_driver.ros.jobs import Jobs
from cozmo_driver.ros.rclpy_compat import DeferredEvents, LatestMessage, Logger, action_services
from cozmo_interfaces.action import MoveHead

from ..waiting import wait_until
from .graph import LATCHED, running_graph

INTERNAL = {"Impl", "handle", "take_message"}


def internals(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Attribute) and node.attr in INTERNAL:
            yield f"{path.name}:{node.lineno} {node.attr}"
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            first, *rest = node.module.split(".")
            names = [*rest, *(alias.name for alias in node.names)]
            if first == "rclpy" and any(n == "impl" or n.startswith("_") for n in names):
                yield f"{path.name}:{node.lineno} {node.module}"


def test_internals_of_rclpy_stand_in_one_file() -> None:
    folder = Path(cozmo_driver.__file__).parent
    using = [path for path in sorted(folder.rglob("*.py")) if "rclpy" in path.read_text()]
    found = {path: [*internals(path)] for path in using}
    assert len(found.pop(folder / "ros" / "rclpy_compat.py")) >= 4
    assert not [use for uses in found.values() for use in uses]


def test_the_newest_message_is_taken_once() -> None:
    with running_graph() as graph:
        newest = LatestMessage(graph.node, Float64, "number")
        publisher = graph.publisher(Float64, "number")
        assert newest.take() is None
        for number in (1.0, 2.0):
            publisher.publish(Float64(data=number))
        taken: list[Float64 | None] = []
        wait_until(
            lambda: taken.append(newest.take()) or (taken[-1] and taken[-1].data == 2.0),
            "the newest one does not come",
        )
        assert newest.take() is None
        newest.close()


def test_the_services_of_an_action_and_the_logger_are_what_they_are_taken_for() -> None:
    send, result = action_services(MoveHead)
    assert {"goal_id", "goal"} <= send.Request.get_fields_and_field_types().keys()
    assert "accepted" in send.Response.get_fields_and_field_types()
    assert {"goal_id"} == result.Request.get_fields_and_field_types().keys()
    assert {"status", "result"} == result.Response.get_fields_and_field_types().keys()
    with running_graph() as graph:
        assert isinstance(graph.node.get_logger(), Logger)


@pytest.mark.parametrize("is_busy", [False, True])
def test_deferred_events_are_reported_while_the_executor_rests_and_while_it_is_busy(
    is_busy: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    log = ""

    def is_warned() -> bool:
        nonlocal log
        log += capfd.readouterr().err
        return "requesting incompatible QoS" in log

    thread = LoopThread()
    with running_graph() as graph, running_graph() as other:
        graph.node.create_publisher(Float64, "/number", 10)
        jobs = Jobs(graph.node, thread)
        events = DeferredEvents(graph.node, thread, jobs.wake)
        if is_busy:
            graph.node.create_timer(0.01, lambda: None)
        else:
            wait_until(lambda: events.can_execute(None), "no round has events")
        other.listen(Float64, "/number", LATCHED)
        wait_until(is_warned, "nobody is told that the subscriber gets nothing")
        jobs.close(0.0)
    thread.stop()


def test_messages_that_are_taken_by_hand_wake_no_executor_that_waits_for_events() -> None:
    thread = LoopThread()
    with running_graph() as graph:
        newest = LatestMessage(graph.node, Float64, "number")
        kept = [one for one in graph.node.waitables if not one.callback_group.can_execute(one)]
        events = DeferredEvents(graph.node, thread, lambda: None)
        assert kept
        assert not [one for one in kept if one.callback_group is events]
        newest.close()
    thread.stop()
