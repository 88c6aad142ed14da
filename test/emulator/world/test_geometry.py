"""Convex polygons: overlap, the way out, pushing."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cozmo_driver.emulator import Pose2D
from cozmo_driver.emulator.world.polygons import (
    Polygon,
    contains,
    is_convex,
    overlap,
    polygon,
    pushed,
    rectangle,
)

poses = st.builds(Pose2D, st.floats(-60, 60), st.floats(-60, 60), st.floats(-math.pi, math.pi))


def square(pose: Pose2D, edge: float) -> Polygon:
    return rectangle(pose, edge / 2, edge / 2, edge / 2)


def test_the_way_out_is_the_shortest_and_points_away() -> None:
    hit = overlap(square(Pose2D(8.0), 10.0), square(Pose2D(), 10.0))
    assert hit is not None
    assert (hit.x, hit.y, hit.depth) == pytest.approx((1.0, 0.0, 2.0))
    assert hit.at == pytest.approx((4.0, 0.0))


def test_what_only_touches_does_not_overlap() -> None:
    assert overlap(square(Pose2D(10.0), 10.0), square(Pose2D(), 10.0)) is None


@given(poses, poses)
def test_moved_out_of_the_way_nothing_overlaps_any_more(a: Pose2D, b: Pose2D) -> None:
    thing, other = rectangle(a, 30.0, 50.0, 30.0), square(b, 44.0)
    hit = overlap(thing, other)
    assume(hit is not None)
    assert hit is not None
    way = hit.depth + 1e-6
    out = Pose2D(a.x + way * hit.x, a.y + way * hit.y, a.angle)
    assert overlap(rectangle(out, 30.0, 50.0, 30.0), other) is None
    back = overlap(other, thing)
    assert back is not None
    assert back.depth == pytest.approx(hit.depth)


@given(poses, st.floats(-1.5, 1.5), st.floats(-1.5, 1.5))
def test_a_point_is_inside_a_rectangle_as_seen_from_it(pose: Pose2D, x: float, y: float) -> None:
    assume(abs(abs(x) - 1) > 1e-6)
    assume(abs(abs(y) - 1) > 1e-6)
    point = pose.then(Pose2D(x, y))
    corners = rectangle(pose, 1.0, 1.0, 1.0).corners
    assert contains(corners, point.x, point.y) is (abs(x) < 1 and abs(y) < 1)


def test_a_push_beside_the_middle_turns_and_clears_the_way() -> None:
    cube, robot = Pose2D(40.0, 15.0), rectangle(Pose2D(), 20.0, 20.0, 20.0)
    hit = overlap(square(cube, 44.0), robot)
    assert hit is not None
    after = pushed(cube, hit, 13.0)
    assert after.x > cube.x
    assert after.angle > 0.0
    left = overlap(square(after, 44.0), robot)
    assert left is None or left.depth < hit.depth


def test_corners_may_be_given_either_way_round() -> None:
    corners = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)]
    assert polygon(corners[::-1]).corners == tuple(corners)


def test_a_corner_may_be_repeated_as_in_a_closed_outline() -> None:
    corners = [(0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0)]
    closed = polygon([*corners, corners[0]])
    hit = overlap(square(Pose2D(14.0, 5.0), 10.0), closed)
    assert hit is not None
    assert (hit.x, hit.y, hit.depth) == pytest.approx((1.0, 0.0, 1.0))
    assert closed == polygon(corners)


def test_a_dent_is_seen() -> None:
    assert is_convex([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)])
    assert not is_convex([(0.0, 0.0), (1.0, 0.0), (0.1, 0.1), (0.0, 1.0)])
    assert not is_convex([(0.0, 0.0), (1.0, 0.0)])
