from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cozmo_driver.protocol import messages
from cozmo_driver.robot import Arc, Line, Pose2D, Turn
from cozmo_driver.robot.paths.follower import SegmentCounter
from cozmo_driver.robot.paths.segments import append_message, expected_duration

QUARTER = Arc((0.0, 0.1), 0.1, -math.pi / 2, math.pi / 2)


def test_a_line_tells_how_much_of_it_is_behind():
    line = Line((0.1, 0.0), (0.5, 0.0))
    assert line.length == pytest.approx(0.4)
    assert line.traveled(Pose2D(0.2, 0.05)) == pytest.approx(0.1)
    assert line.traveled(Pose2D(0.0, 0.0)) == 0.0
    assert line.traveled(Pose2D(0.9, 0.0)) == pytest.approx(0.4)


@given(st.floats(-math.pi, math.pi), st.floats(0.1, 6.2), st.sampled_from([1, -1]), st.floats(0, 1))
def test_an_arc_tells_how_much_of_it_is_behind(start, sweep, side, share):
    arc = Arc((1.0, 2.0), 0.3, start, side * sweep)
    angle = start + side * sweep * share
    pose = Pose2D(1.0 + 0.3 * math.cos(angle), 2.0 + 0.3 * math.sin(angle))
    assert arc.traveled(pose) == pytest.approx(0.3 * sweep * share, abs=1e-6)


def test_segments_move_with_the_frame_they_are_given_in():
    frame = Pose2D(1.0, 0.0, math.pi / 2)
    line = Line((0.0, 0.0), (1.0, 0.0)).transformed(frame)
    assert (*line.start, *line.end) == pytest.approx((1.0, 0.0, 1.0, 1.0))
    arc = QUARTER.transformed(frame)
    assert arc.start == pytest.approx((1.0, 0.0))
    assert arc.end == pytest.approx((0.9, 0.1))
    turn = Turn((0.0, 0.0), 0.5).transformed(frame)
    assert turn.target_angle == pytest.approx(0.5 + math.pi / 2)


def test_the_robot_gets_millimetres_and_limited_speeds():
    line = append_message(Line((0.0, 0.0), (0.1, 0.2), speed=-0.15), 0.1, 5.0)
    assert isinstance(line, messages.AppendPathSegmentLine)
    assert (line.x_end_mm, line.y_end_mm) == (100.0, 200.0)
    assert tuple(line.speed) == pytest.approx((-100.0, 200.0, 500.0))
    arc = append_message(Arc((0.0, 0.0), 0.023, 0.0, 1.0, speed=0.2), 0.2, 5.0)
    # The outer tread runs around a circle of twice the radius.
    assert arc.speed.speed_mmps == pytest.approx(100.0)
    turn = append_message(Turn((0.0, 0.0), 1.0, speed=4.0), 0.2, 3.0)
    assert (turn.speed.speed_mmps, turn.use_shortest_direction) == (3.0, True)


def test_turns_take_time_too():
    half_turn = [Turn((0.0, 0.0), math.pi, speed=1.0)]
    assert expected_duration(half_turn, 0.0, 0.2, 5.0) == pytest.approx(math.pi + 0.2)


def test_limits_make_a_path_take_longer():
    path = [Line((0.0, 0.0), (1.0, 0.0)), Turn((1.0, 0.0), 1.0)]
    assert expected_duration(path, 0.0, 0.02, 0.05) == pytest.approx(50.0 + 20.0, abs=0.2)
    assert expected_duration(path, 0.0, 0.0, 0.0) < math.inf


def test_an_index_from_the_start_of_the_path_is_followed_past_its_eight_bits():
    counter = SegmentCounter()
    for index in range(400):
        reported = (index + 128) % 256 - 128
        if reported != -1:
            assert counter.update(reported, 1000) == index
            if index:
                counter.trimmed(1)


def test_an_index_that_counts_from_what_is_left_is_followed_too():
    counter = SegmentCounter()
    for index in range(400):
        assert counter.update(0, 1000) == index
        assert counter.update(1, 1000) == index + 1
        counter.trimmed(1)


def test_no_index_and_nonsense_change_nothing():
    counter = SegmentCounter()
    assert counter.update(3, 10) == 3
    assert counter.update(-1, 10) == 3
    assert counter.update(1, 10) == 3
    assert counter.update(100, 10) == 9
