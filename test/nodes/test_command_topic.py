"""Commands are counted, and what is not done is said, each reason by itself."""

from __future__ import annotations

import logging
from typing import Any

import pytest

pytest.importorskip("rclpy", reason="no ROS 2 here")

from cozmo_driver.ros.logs import LogBridge, ThrottledLog
from cozmo_driver.ros.topics import CommandCounters, CommandTopic

from ..waiting import wait_until


class Log:
    """Takes what is said."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.time = 100.0
        self.throttled = ThrottledLog(self, lambda: self.time)  # type: ignore[arg-type]

    def warning(self, text: str) -> None:
        self.said.append(text)

    def take(self) -> list[str]:
        said, self.said = self.said, []
        return said


@pytest.fixture
def log() -> Log:
    return Log()


def test_the_same_is_said_once_in_five_seconds(log: Log) -> None:
    for _ in range(40):
        log.throttled.warning("stopped")
        log.time += 0.125
    assert log.take() == ["stopped"]
    log.throttled.warning("stopped")
    assert log.take() == ["stopped"]


def test_texts_that_differ_in_numbers_only_are_the_same_and_hide_no_other(log: Log) -> None:
    for age in (3.01, 3.02, -1e-7, 12):
        log.throttled.warning(f"its stamp is {age} s old")
    log.throttled.warning("its stamp is nan s old")
    assert log.take() == ["its stamp is 3.01 s old", "its stamp is nan s old"]


def test_a_flood_of_different_texts_is_bounded(log: Log) -> None:
    def flood() -> None:
        for number in range(500):
            log.throttled.warning(chr(0x4E00 + number))

    flood()
    assert len(log.take()) == 32
    log.time += 5.0
    flood()
    assert len(log.take()) == 32


def test_commands_are_counted_with_the_last_reason(log: Log) -> None:
    topic = CommandTopic("cmd_vel", log.throttled)
    assert topic.counters == CommandCounters()
    topic.accept()
    topic.accept()
    topic.reject("linear.x is nan")
    topic.refuse(ValueError("the robot is lifted"))
    topic.expire(0.5)
    topic.accept()
    assert topic.counters == CommandCounters(3, 1, 1, 1, "no cmd_vel for 0.5 s")
    assert log.take() == [
        "cmd_vel is rejected: linear.x is nan",
        "cmd_vel is refused: the robot is lifted",
        "stopped: no cmd_vel for 0.5 s",
    ]


def test_a_traceback_that_repeats_is_logged_once_and_then_counted() -> None:
    class RosLog:
        def __init__(self) -> None:
            self.errors: list[str] = []

        def error(self, text: str) -> None:
            self.errors.append(text)

    now = 100.0
    ros_log: Any = RosLog()
    bridge = LogBridge(ros_log, lambda: now)
    source = logging.getLogger("cozmo_driver.test")

    def fail(text: str, times: int) -> None:
        for _ in range(times):
            try:
                raise KeyError(text)
            except KeyError:
                source.exception("a callback failed")

    bridge.attach()
    try:
        fail("one", 100)
        fail("another", 1)
        wait_until(lambda: len(ros_log.errors) == 2, "the other one is not logged")
        now += 5.0
        fail("one", 1)
    finally:
        bridge.detach()
    first, other, again = ros_log.errors
    assert "Traceback" in first
    assert first.endswith("KeyError: 'one'")
    assert other.endswith("KeyError: 'another'")
    assert again == "a callback failed: KeyError('one') (100 times more)"
    assert bridge.faults.count == 102
