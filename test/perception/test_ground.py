from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks.vision.floors import WORLDS, Verdicts, places, places_of_robot
from benchmarks.vision.light import LIGHTS, lit
from cozmo_driver.perception.detection.camera import Camera
from cozmo_driver.perception.detection.ground import (
    FARTHEST,
    SCAN_ANGLE,
    SCAN_STEP,
    ground_edges,
    ground_scan,
)
from cozmo_driver.perception.world.frames import camera_pose
from cozmo_driver.perception.world.visibility import own_outlines

CAMERA = Camera(292.0, 292.0, 160.0, 120.0)
LIFT_DOWN, LIFT_HALF_UP = -0.198, 0.23


def looking(head: float) -> np.ndarray:
    return camera_pose(np.eye(4), head)


POSE = looking(-0.2)


WALL = 50
"""A row that is farther away than is looked, and below the horizon."""


def floor_up_to(
    row: int,
    levels: int = 60,
    left: int = 0,
    right: int = 320,
    level: float = 160.0,
    noise: float = 5.0,
) -> np.ndarray:
    """A floor, with something darker standing on it from a row upwards in some columns."""
    picture = np.full((240, 320), float(level))
    picture[:row, left:right] -= levels
    grain = np.random.default_rng(1).normal(0.0, noise, picture.shape)
    return np.clip(picture + grain, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("row", [90, 130, 180])
def test_the_floor_ends_where_something_stands_on_it(row: int) -> None:
    edges = ground_edges(floor_up_to(row), CAMERA, POSE)
    (true,) = CAMERA.project_to_ground([[160.0, row - 0.5]], POSE)
    assert np.isfinite(edges.rows[1:-1]).mean() > 0.97
    assert np.nanmedian(edges.rows) == pytest.approx(row - 0.5, abs=1.0)
    assert edges.points[160] == pytest.approx(true, abs=0.006)
    # Columns go from left to right, and left is y in the robot's frame.
    assert edges.points[20, 1] > 0.0 > edges.points[300, 1]
    assert edges.clear[160] == pytest.approx(edges.points[160])
    # At the sides of the image, too, nothing beyond counts as clear.
    assert np.nanmax(edges.clear[:, 0]) < true[0] + 0.01


def test_a_camera_that_may_look_lower_sees_less_that_is_clear_and_edges_where_they_seem() -> None:
    doubt = 0.05
    for row in (130, WALL):
        picture = floor_up_to(row)
        sure = ground_edges(picture, CAMERA, POSE)
        edges = ground_edges(picture, CAMERA, POSE, doubt=doubt)
        lower = ground_edges(picture, CAMERA, looking(-0.2 - doubt))
        assert np.array_equal(edges.points, sure.points, equal_nan=True)
        assert np.array_equal(edges.starts, sure.starts, equal_nan=True)
        assert (edges.clear[100:200, 0] < sure.clear[100:200, 0] - 0.015).all()
        assert edges.reach < sure.reach - 0.1
        if row == 130:
            # The lens sinks, too, where it is the head that looks lower.
            assert edges.clear[160] == pytest.approx(lower.clear[160], abs=0.005)
    scan = ground_scan(edges)
    assert scan is not None
    assert scan.range_max == edges.reach
    assert np.isposinf(scan.ranges[25])
    # What may stand before the end of the range is neither there nor clear.
    far = ground_edges(floor_up_to(75), CAMERA, POSE, doubt=doubt)
    scan = ground_scan(far)
    assert np.nanmedian(far.points[:, 0]) > far.reach
    assert scan is not None
    assert np.isnan(scan.ranges[25])


def test_a_clear_floor_is_clear_as_far_as_is_looked_if_it_ends_somewhere() -> None:
    edges = ground_edges(floor_up_to(WALL), CAMERA, POSE)
    assert np.isnan(edges.rows).all()
    assert edges.clear[160, 0] == pytest.approx(FARTHEST, abs=0.02)
    # What goes on above the horizon is a wall, or something too dark to tell.
    assert np.isnan(ground_edges(floor_up_to(0), CAMERA, POSE).clear).all()


@pytest.mark.parametrize(
    ("level", "noise", "levels"), [(160, 5, 12), (160, 15, 20), (80, 10, 10), (25, 2, 3)]
)
def test_nothing_is_clear_through_something_faint(level: int, noise: int, levels: int) -> None:
    """The image of a table's edge in dark wood was one of them."""
    dark = floor_up_to(130, levels, level=level, noise=noise)
    dark[:WALL] = np.clip(dark[:WALL].astype(int) + 40, 0, 255)
    edges = ground_edges(dark, CAMERA, POSE)
    (true,) = CAMERA.project_to_ground([[160.0, 129.5]], POSE)
    assert not (edges.clear[:, 0] > true[0] + 0.015).any()


def test_where_white_and_black_are_clipped_nothing_is_known() -> None:
    for level in (255, 2):
        picture = floor_up_to(WALL, level=level, noise=1)
        picture[:WALL] = 120
        assert np.isnan(ground_edges(picture, CAMERA, POSE).clear).all()


def test_what_is_narrow_is_seen_or_not_clear() -> None:
    for right, levels in ((102, 60), (101, 90)):
        picture = np.minimum(floor_up_to(WALL), floor_up_to(130, levels, 100, right))
        edges = ground_edges(picture, CAMERA, POSE)
        near = edges.clear[:, 0] < 0.25
        assert (np.isnan(edges.clear[100:right, 0]) | near[100:right]).all()
        assert np.isfinite(edges.clear[:, 0]).mean() > 0.5


def test_beside_a_wall_nothing_goes_on_within_the_robots_width() -> None:
    """A part of the wall may be as light as the floor."""
    floor, two, one = (floor_up_to(WALL) for _ in range(3))
    two[:130] = floor_up_to(130)[:130]
    two[WALL:130, 130:160] = floor[WALL:130, 130:160]
    assert np.isnan(ground_edges(two, CAMERA, POSE).clear[134:156]).all()
    one[:130, :100] = floor_up_to(130)[:130, :100]
    far = ground_edges(one, CAMERA, POSE).clear[:, 0] > 0.35
    assert not far[:150].any()
    assert far[220:310].all()


def test_a_mark_on_the_floor_is_no_edge_and_hides_what_is_behind_it() -> None:
    cable = floor_up_to(WALL)
    cable[140:144, :100] -= 50
    edges = ground_edges(cable, CAMERA, POSE)
    assert np.isnan(edges.rows).all()
    assert np.isnan(edges.clear[:100]).all()
    assert np.isfinite(edges.clear[110:, 0]).mean() > 0.9


def test_what_begins_nearer_than_the_picture_is_not_clear() -> None:
    picture = floor_up_to(WALL)
    picture[WALL:, 260:] -= 30
    edges = ground_edges(picture, CAMERA, POSE)
    assert np.isnan(edges.clear[160:320]).all()
    assert np.isfinite(edges.clear[:40]).all()


@pytest.mark.parametrize("head", [0.1, 0.77])
def test_without_floor_in_sight_nothing_is_known(head: float) -> None:
    edges = ground_edges(floor_up_to(130), CAMERA, looking(head))
    assert np.isnan(edges.rows).all()
    assert np.isnan(edges.clear).all()
    assert ground_scan(edges) is None


def test_what_the_lift_hides_is_not_known() -> None:
    picture = floor_up_to(100)
    picture[130:, 200:] = 20
    hidden = [np.array([[200.0, 130.0], [330.0, 130.0], [330.0, 250.0], [200.0, 250.0]])]
    edges = ground_edges(picture, CAMERA, POSE, hidden)
    assert edges.rows[100] == pytest.approx(99.5, abs=0.5)
    assert np.isnan(edges.clear[205:]).all()
    # Above what is in sight from near, the lift ends the view.
    edges = ground_edges(floor_up_to(100), CAMERA, POSE, [hidden[0] - (0.0, 120.0)])
    assert np.isnan(edges.clear[205:]).all()


def test_the_lift_is_where_its_outlines_are() -> None:
    lens = Camera()
    (bar, left, right) = own_outlines(-0.3, LIFT_HALF_UP, lens)
    assert bar[:, 1].max() < 100
    assert abs(bar[:, 0].mean() - lens.cx) < 2.0
    assert left[:, 0].max() < lens.cx < right[:, 0].min()
    # Lowered, the head up: out of sight; a cube on it is not.
    assert all(part[:, 1].min() > 235 for part in own_outlines(0.3, LIFT_DOWN, lens)[:1])
    assert len(own_outlines(0.0, LIFT_DOWN, lens, is_carrying=True)) == 4


def test_a_scan_has_the_edges_at_their_bearings() -> None:
    picture = np.minimum(floor_up_to(WALL), floor_up_to(130, left=60, right=150))
    edges = ground_edges(picture, CAMERA, POSE)
    scan = ground_scan(edges)
    assert scan is not None
    at = {i: r for i, r in enumerate(scan.ranges) if math.isfinite(r)}
    for ray, distance in at.items():
        bearing = ray * SCAN_STEP - SCAN_ANGLE
        off = np.hypot(
            *(edges.points[62:148] - distance * np.array([math.cos(bearing), math.sin(bearing)])).T
        )
        assert off.min() < 0.006
    # Left is positive: the edge is to the left of the middle of the image.
    assert len(at) > 10
    assert min(at) * SCAN_STEP - SCAN_ANGLE > 0.0
    assert np.isposinf(scan.ranges[5])
    # Within the robot's width beside what was seen, and out of the image.
    assert np.isnan(scan.ranges[[0, 18, -1]]).all()
    assert 0.06 < scan.range_min < 0.09
    assert 0.35 < scan.range_max <= 0.40


@pytest.mark.parametrize("name", WORLDS)
def test_worlds_are_never_clear_through_what_stands_in_them(name: str) -> None:
    seen = {light: Verdicts() for light in LIGHTS}
    for number, place in enumerate(places(name, 12, seed=4)):
        for light, verdicts in seen.items():
            picture = lit(place.picture, LIGHTS[light], np.random.default_rng([4, number]))
            verdicts.add(place, place.edges(picture))
    ended = sum(one.ended for one in seen.values())
    assert ended > 10_000
    assert sum(one.too_far for one in seen.values()) < 0.01 * ended
    # 70 to 76 % are found as usual, 48 to 61 % in all light; 3.5 % at most are invented.
    usual = seen["as usual"]
    assert usual.found > 0.6 * usual.near
    assert sum(one.found for one in seen.values()) > 0.42 * sum(one.near for one in seen.values())
    opened = sum(one.open for one in seen.values())
    assert sum(one.invented for one in seen.values()) < 0.05 * opened
    if name != "table":
        assert sum(one.clear for one in seen.values()) > 0.2 * opened


@pytest.mark.parametrize("name", WORLDS)
def test_robots_with_errors_of_their_own_see_nothing_clear_through_what_stands_there(
    name: str,
) -> None:
    """In light, with a lens, a sensor and a mount as of real ones."""
    seen = Verdicts()
    for serial in range(1, 4):
        for both in places_of_robot(name, serial, 3, is_driving=serial % 2 == 0):
            for place in both:
                seen.add(place, place.edges())
    assert seen.ended > 1000
    assert seen.share_too_far < 0.01
    # 22 to 57 % are found, and 3.5 % at most are invented.
    assert seen.found > 0.2 * seen.near
    assert seen.invented < 0.05 * seen.open
