from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cozmo_driver.robot import Arc, Line, PathStyle, Pose2D, Turn, Waypoint
from cozmo_driver.robot.geometry import wrap_angle
from cozmo_driver.robot.paths.smooth_path import smooth_path as plan

HOME = Pose2D()
FORWARD = PathStyle()
coordinates = st.floats(-1.0, 1.0)
headings = st.floats(-3.1, 3.1)


def end_of(start, segments):
    """Drive the segments as a robot that keeps to them does; return pose and largest gap."""
    point, heading, gap = (start.x, start.y), start.yaw, 0.0
    for segment in segments:
        gap = max(gap, math.dist(point, segment.start))
        if not isinstance(segment, Turn):
            assert abs(wrap_angle(segment.start_heading - heading)) < math.radians(2.1)
        point = segment.end
        heading = segment.end_heading
    return Pose2D(*point, heading), gap


def kinds(segments):
    return [type(segment) for segment in segments]


def test_points_on_a_line_become_one_line():
    points = [Waypoint(i * 0.02, 0.0, 0.0) for i in range(1, 40)]
    (line,) = plan(HOME, points, FORWARD)
    assert line.end == (0.78, 0.0)


def test_a_way_that_ends_where_it_begins_begins_there():
    corners = [(0.2, 0.0), (0.2, 0.2), (0.0, 0.2)]
    segments = plan(HOME, [*(Waypoint(*c) for c in corners), Waypoint(0.0, 0.0, 0.0)], FORWARD)
    assert segments[0].start == (0.0, 0.0)
    end, gap = end_of(HOME, segments)
    assert gap < 0.01
    assert math.hypot(end.x, end.y) < 1e-6
    assert end.yaw == pytest.approx(0.0)


def test_two_poses_tangent_to_a_circle_are_joined_by_an_arc():
    segments = plan(HOME, [Waypoint(0.2, 0.2, math.pi / 2)], FORWARD)
    arc = segments[0]
    assert isinstance(arc, Arc)
    assert arc.center == pytest.approx((0.0, 0.2))
    assert arc.radius == pytest.approx(0.2)
    assert arc.sweep_angle == pytest.approx(math.pi / 2)
    assert arc.start == pytest.approx((0.0, 0.0), abs=1e-9)
    assert arc.end_heading == pytest.approx(math.pi / 2)


def test_arcs_around_one_circle_become_one():
    poses = [
        Waypoint(0.3 * math.sin(a), 0.3 * (1 - math.cos(a)), a)
        for a in (math.radians(10 * i) for i in range(1, 13))
    ]
    arcs = [s for s in plan(HOME, poses, FORWARD) if isinstance(s, Arc)]
    (arc,) = arcs
    assert arc.sweep_angle == pytest.approx(math.radians(120))
    assert arc.radius == pytest.approx(0.3)


@pytest.mark.parametrize("side", [1, -1])
def test_a_circle_is_driven_backwards_with_the_back_ahead(side):
    # Backing off to the left turns the robot clockwise.
    goal = Waypoint(-0.2, side * 0.2, -side * math.pi / 2)
    arc = plan(HOME, [goal], PathStyle(is_reverse=True))[0]
    assert isinstance(arc, Arc)
    assert arc.speed < 0
    assert arc.start == pytest.approx((0.0, 0.0), abs=1e-9)
    assert arc.end == pytest.approx((goal.x, goal.y))
    assert arc.start_heading == pytest.approx(0.0, abs=1e-9)
    assert arc.end_heading == pytest.approx(goal.yaw)


def test_a_gentle_corner_is_driven_around_and_a_sharp_one_turned_at():
    gentle = plan(HOME, [Waypoint(0.5, 0.0), Waypoint(0.9, 0.3)], FORWARD)
    assert kinds(gentle) == [Line, Arc, Line]
    sharp = plan(HOME, [Waypoint(0.5, 0.0), Waypoint(0.1, 0.1)], FORWARD)
    assert kinds(sharp) == [Line, Turn, Line]


@given(coordinates, coordinates, headings, headings)
def test_every_pose_is_reached_exactly(x, y, yaw, start_yaw):
    start = Pose2D(0.1, -0.2, start_yaw)
    segments = plan(start, [Waypoint(x, y, yaw)], FORWARD)
    end, gap = end_of(start, segments)
    assert math.dist((end.x, end.y), (x, y)) < 0.006
    assert abs(wrap_angle(end.yaw - yaw)) <= math.radians(2.0) + 1e-9
    assert gap < 1e-6


@given(st.lists(st.tuples(coordinates, coordinates), min_size=1, max_size=12), headings)
def test_any_polyline_can_be_driven_without_gaps(points, yaw):
    waypoints = [Waypoint(*point) for point in points]
    segments = plan(Pose2D(0.0, 0.0, yaw), waypoints, FORWARD)
    _, gap = end_of(Pose2D(0.0, 0.0, yaw), segments)
    assert gap < 1e-6


@given(st.lists(st.tuples(coordinates, coordinates, headings), min_size=1, max_size=12))
def test_any_poses_can_be_driven_backwards(poses):
    segments = plan(HOME, [Waypoint(*pose) for pose in poses], PathStyle(is_reverse=True))
    assert all(s.speed < 0 for s in segments if not isinstance(s, Turn))


def test_a_dense_smooth_path_becomes_few_segments_close_to_it():
    def curve(t):
        return t, 0.2 * math.sin(3 * t)

    points = [curve(i * 0.01) for i in range(1, 150)]
    start = Pose2D(0.0, 0.0, math.atan(0.6))
    segments = plan(start, [Waypoint(*p) for p in points], FORWARD)
    assert len(segments) < 40
    assert Turn not in kinds(segments)
    for segment in segments:
        for point in (segment.start, segment.end):
            assert min(math.dist(point, p) for p in [(0.0, 0.0), *points]) < 0.015


@pytest.mark.parametrize(
    "waypoints",
    [[], [Waypoint(math.nan, 0.0)], [Waypoint(0.0, math.inf)], [Waypoint(0.0, 0.0, math.nan)]],
)
def test_paths_that_are_none_are_refused(waypoints):
    with pytest.raises(ValueError, match="pose"):
        plan(HOME, waypoints, FORWARD)
