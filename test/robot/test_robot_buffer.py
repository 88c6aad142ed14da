"""What the robot still has to play: credit, wraps, jumps and resets of its counters."""

from __future__ import annotations

import random

import pytest

from cozmo_driver.protocol.messages import AnimationState
from cozmo_driver.robot.playback.robot_buffer import (
    END_SIZE,
    MAX_BYTES,
    MAX_FRAMES,
    FrameSize,
    RobotBuffer,
)

SILENCE = FrameSize(1, 1)
SOUND = FrameSize(1, 745)
HALF = 1 << 31


def signed(value: int) -> int:
    return (value + HALF) % (2 * HALF) - HALF


class Counters:
    """A robot's counters, reported every 30 ms."""

    def __init__(self, frames: int = 0, microseconds: int = 0) -> None:
        self.frames, self.bytes, self.microseconds = frames, 0, microseconds

    def report(self, played: int = 0) -> AnimationState:
        self.frames += played
        self.microseconds += 30_000
        return AnimationState(
            self.microseconds % (1 << 32), signed(self.bytes), signed(self.frames), 0xFF, 0, 0
        )


def test_nothing_may_be_sent_before_the_counters_are_known():
    buffer = RobotBuffer()
    assert not buffer.is_known
    assert not buffer.has_room(SILENCE)
    buffer.update(Counters().report())
    assert buffer.has_room(SILENCE)


def test_fourteen_frames_fit_and_each_one_played_makes_room():
    buffer, robot = RobotBuffer(), Counters()
    buffer.update(robot.report())
    for _ in range(MAX_FRAMES):
        assert buffer.has_room(SILENCE)
        buffer.add(SILENCE)
    assert not buffer.has_room(SILENCE)
    buffer.update(robot.report(3))
    assert buffer.played == 3
    assert buffer.ahead == 11
    for _ in range(3):
        assert buffer.has_room(SILENCE)
        buffer.add(SILENCE)
    assert not buffer.has_room(SILENCE)


def test_ten_frames_of_sound_fit_and_always_the_end_after_them():
    buffer, robot = RobotBuffer(), Counters()
    buffer.update(robot.report())
    count = 0
    while buffer.has_room(SOUND):
        buffer.add(SOUND)
        count += 1
    assert count == 10
    assert count * SOUND.stored + END_SIZE.stored <= MAX_BYTES


def test_the_lengths_that_the_robot_stores_are_counted_too():
    # 14 frames of ten messages: 20 bytes each that the credit rule by payload does not see.
    frame = FrameSize(10, 570)
    buffer = RobotBuffer()
    buffer.update(Counters().report())
    count = 0
    while buffer.has_room(frame):
        buffer.add(frame)
        count += 1
    assert (count + 1) * 570 < MAX_BYTES
    assert count * (570 + 20) + END_SIZE.stored <= MAX_BYTES < (count + 1) * (570 + 20)


@pytest.mark.parametrize("start", [0, HALF - 5, 2 * HALF - 5, -3])
def test_counters_wrap(start: int):
    buffer, robot = RobotBuffer(), Counters(start, microseconds=2 * HALF - 90_000)
    buffer.update(robot.report())
    for _ in range(20):
        buffer.add(SILENCE)
        buffer.update(robot.report(1))
    assert buffer.played == 20
    assert buffer.ahead == 0
    assert buffer.resets == 0


def test_a_report_that_was_overtaken_changes_nothing():
    buffer, robot = RobotBuffer(), Counters()
    old = [robot.report()]
    buffer.update(old[0])
    for _ in range(5):
        buffer.add(SILENCE)
    old.append(robot.report(1))
    assert buffer.update(robot.report(2))
    for report in (*old, *old):
        assert not buffer.update(report)
    assert buffer.played == 3
    assert buffer.resets == 0


def test_lost_reports_do_no_harm():
    buffer, robot, choose = RobotBuffer(), Counters(), random.Random(1)
    buffer.update(robot.report())
    waiting = 0
    for _ in range(2000):
        while buffer.ahead < 10:
            buffer.add(SILENCE)
            waiting += 1
        played = min(1, waiting)
        waiting -= played
        report = robot.report(played)
        if choose.random() < 0.5:
            buffer.update(report)
    assert buffer.resets == 0
    assert 1500 < buffer.played <= 2000


def test_an_abort_makes_the_counters_jump_over_what_was_sent():
    buffer, robot = RobotBuffer(), Counters()
    buffer.update(robot.report())
    for _ in range(8):
        buffer.add(SOUND)
    buffer.update(robot.report(8))
    assert buffer.ahead == 0
    assert buffer.resets == 0


@pytest.mark.parametrize("counter", [0, 1, 1000])
def test_counters_that_make_no_sense_start_the_count_anew(counter: int):
    buffer, robot = RobotBuffer(), Counters(500)
    buffer.update(robot.report())
    for _ in range(10):
        buffer.add(SOUND)
    robot.frames = counter
    buffer.update(robot.report())
    assert buffer.resets == 1
    assert buffer.ahead == 0
    assert buffer.has_room(SOUND)
    buffer.add(SOUND)
    buffer.update(robot.report(1))
    assert buffer.ahead == 0
    assert buffer.resets == 1


def test_a_session_may_begin_with_any_counters():
    buffer, robot = RobotBuffer(), Counters(123456)
    buffer.update(robot.report())
    buffer.add(SILENCE)
    buffer.update(robot.report(1))
    assert (buffer.played, buffer.ahead, buffer.resets) == (1, 0, 0)
