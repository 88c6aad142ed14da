"""What the robot still has to play: credit, wraps, jumps and resets of its counters."""

from __future__ import annotations

import random

import pytest

from cozmo_driver.protocol.messages import AnimationState, AudioSample, AudioSilence, FaceImage
from cozmo_driver.robot.playback.robot_buffer import (
    END_SIZE,
    MAX_BYTES,
    MAX_FRAMES,
    PRELOAD,
    BufferedFrame,
    PictureBudget,
    RobotBuffer,
    stored_size,
)

SAMPLE, SILENT = AudioSample(bytes(744)), AudioSilence()
SOUND, SILENCE = BufferedFrame((SAMPLE,)), BufferedFrame((SILENT,))
SMALL, LARGE = FaceImage(bytes(200)), FaceImage(bytes(1024))
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
    assert not buffer.has_room(SILENCE.size)
    buffer.update(Counters().report())
    assert buffer.has_room(SILENCE.size)


def test_fourteen_frames_fit_and_each_one_played_makes_room():
    buffer, robot = RobotBuffer(), Counters()
    buffer.update(robot.report())
    for _ in range(MAX_FRAMES):
        assert buffer.has_room(SILENCE.size)
        buffer.add(SILENCE)
    assert not buffer.has_room(SILENCE.size)
    buffer.update(robot.report(3))
    assert buffer.played == 3
    assert buffer.ahead == 11
    for _ in range(3):
        assert buffer.has_room(SILENCE.size)
        buffer.add(SILENCE)
    assert not buffer.has_room(SILENCE.size)


def test_the_lengths_that_the_robot_stores_are_counted_too():
    # Frames of ten messages: 20 bytes each that the credit rule by payload does not see.
    frame = BufferedFrame((FaceImage(bytes(54)),) * 10)
    buffer = RobotBuffer()
    buffer.update(Counters().report())
    count = 0
    while buffer.has_room(frame.size):
        buffer.add(frame)
        count += 1
    assert (count + 1) * 570 < MAX_BYTES
    assert frame.size == 570 + 20
    assert count * frame.size + END_SIZE <= MAX_BYTES < (count + 1) * frame.size


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
    assert len(buffer.update(robot.report(2))) == 3
    for report in (*old, *old):
        assert buffer.update(report) is None
    assert buffer.played == 3
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
    assert buffer.has_room(SOUND.size)
    buffer.add(SOUND)
    buffer.update(robot.report(1))
    assert buffer.ahead == 0
    assert buffer.resets == 1


# -- large pictures are held back so that the robot can begin to play


def test_of_seven_large_pictures_two_go():
    budget = PictureBudget()
    sent = [budget.fit((SAMPLE, LARGE)) for _ in range(700)]
    assert sum(LARGE in frame for frame in sent) == 200


def test_seven_frames_in_a_row_always_fit():
    choose = random.Random(3)
    budget = PictureBudget()
    sizes = []
    for _ in range(3000):
        frame = [choose.choice((SAMPLE, SILENT))]
        if choose.random() < 0.7:
            frame.append(FaceImage(bytes(choose.choice((2, 150, 600, 1024)))))
        sizes.append(stored_size(budget.fit(tuple(frame))))
    for start in range(len(sizes)):
        assert sum(sizes[start : start + PRELOAD]) + END_SIZE <= MAX_BYTES


def test_what_is_held_back_comes_as_soon_as_there_is_room():
    budget = PictureBudget()
    for _ in range(2):
        assert budget.fit((SAMPLE, LARGE))[1:] == (LARGE,)
    last = FaceImage(bytes([1] * 1024))
    assert budget.fit((SAMPLE, last)) == (SAMPLE,)
    later = [budget.fit((SAMPLE,)) for _ in range(10)]
    assert [frame for frame in later if len(frame) > 1] == [(SAMPLE, last)]
    assert budget.rest() is None


def test_a_newer_picture_takes_the_place_of_one_that_is_held_back():
    budget = PictureBudget()
    for _ in range(3):
        budget.fit((SAMPLE, LARGE))
    assert budget.held_back is LARGE
    assert budget.fit((SAMPLE, SMALL)) == (SAMPLE, SMALL)
    assert budget.held_back is None


def test_a_picture_that_is_left_at_the_end_gets_a_frame_of_its_own():
    budget = PictureBudget()
    for _ in range(3):
        budget.fit((SAMPLE, LARGE))
    frames = [budget.rest() for _ in range(7)]
    assert [frame for frame in frames if frame and LARGE in frame] == [(SILENT, LARGE)]
