from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks.vision.floors import VISIBLE, WORLDS, edges_of
from cozmo_driver.vision.camera import Camera
from cozmo_driver.vision.ground import SCAN_ANGLE, SCAN_STEP, ground_edges, ground_scan
from cozmo_driver.world_model.frames import camera_pose
from cozmo_driver.world_model.visibility import Lens, own_outlines

CAMERA = Camera()
LIFT_DOWN, LIFT_HALF_UP = -0.198, 0.23


def looking(head: float) -> np.ndarray:
    return camera_pose(np.eye(4), head)


POSE = looking(-0.2)


def floor_up_to(row: int, levels: int = 60, left: int = 0, right: int = 320) -> np.ndarray:
    """A light floor, with something darker standing on it from a row upwards in some columns."""
    picture = np.full((240, 320), 160.0)
    picture[:row, left:right] -= levels
    noise = np.random.default_rng(1).normal(0.0, 5.0, picture.shape)
    return np.clip(picture + noise, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("row", [90, 130, 180])
def test_the_floor_ends_where_something_stands_on_it(row: int) -> None:
    edges = ground_edges(floor_up_to(row), CAMERA, POSE)
    (true,) = CAMERA.on_ground([[160.0, row - 0.5]], POSE)
    assert np.isfinite(edges.rows[1:-1]).mean() > 0.99
    assert np.nanmedian(edges.rows) == pytest.approx(row - 0.5, abs=0.3)
    assert edges.points[160] == pytest.approx(true, abs=0.006)
    # Columns go from left to right, and left is y in the robot's frame.
    assert edges.points[20, 1] > 0.0 > edges.points[300, 1]
    assert edges.clear[160] == pytest.approx(edges.points[160])
    # At the sides of the picture, too, nothing beyond counts as clear.
    assert np.nanmax(edges.clear[:, 0]) < true[0] + 0.01


def test_a_clear_floor_is_clear_as_far_as_is_looked() -> None:
    edges = ground_edges(floor_up_to(0), CAMERA, POSE, farthest=0.3)
    assert np.isnan(edges.rows).all()
    assert edges.clear[160, 0] == pytest.approx(0.3, abs=0.02)


def test_what_is_narrow_is_seen_or_not_clear_and_what_is_faint_is_no_edge() -> None:
    narrow = ground_edges(floor_up_to(130, left=100, right=102), CAMERA, POSE)
    seen = np.isfinite(narrow.rows)
    assert seen[100:102].all()
    assert seen.sum() < 12
    one = ground_edges(floor_up_to(130, levels=70, left=100, right=101), CAMERA, POSE)
    assert np.isnan(one.rows).all()
    assert np.isnan(one.clear[100]).all()
    faint = ground_edges(floor_up_to(130, levels=2), CAMERA, POSE)
    assert np.isnan(faint.rows).all()
    assert np.isfinite(faint.clear[101]).all()


def test_on_a_rough_floor_only_strong_edges_count() -> None:
    grain = np.random.default_rng(2).normal(0.0, 60.0, (60, 80)).repeat(4, 0).repeat(4, 1)

    def share_of_edges(levels: int) -> float:
        picture = np.clip(floor_up_to(130, levels) + 0.3 * grain, 0, 255).astype(np.uint8)
        return float(np.isfinite(ground_edges(picture, CAMERA, POSE).rows).mean())

    assert share_of_edges(0) < 0.1 < 0.9 < share_of_edges(140)


def test_an_edge_goes_on_where_a_low_thing_is_as_light_as_the_floor_but_not_between_two() -> None:
    gap, floor = slice(130, 160), floor_up_to(0)
    board, two = floor_up_to(130), floor_up_to(130)
    board[118:130, gap] = floor[118:130, gap]
    two[:130, gap] = floor[:130, gap]
    rows = ground_edges(board, CAMERA, POSE).rows[gap]
    assert rows == pytest.approx(np.full(len(rows), 129.5), abs=2.5)
    assert np.isnan(ground_edges(two, CAMERA, POSE).rows[gap][8:-8]).all()


def test_an_edge_goes_on_below_the_upper_edge_of_what_is_as_light_as_the_floor() -> None:
    board = floor_up_to(130, levels=20)
    board[112:130, 162:] += 20
    board[:112] -= 20
    rows = ground_edges(board, CAMERA, POSE).rows[1:-1]
    assert rows == pytest.approx(np.full(318, 129.5), abs=2.5)


@pytest.mark.parametrize("turn", [0.0, 0.6])
def test_a_cube_as_light_as_the_floor_ends_it_where_its_marker_says(turn: float) -> None:
    into, along = np.array([[math.cos(turn), math.sin(turn)], [math.sin(turn), -math.cos(turn)]])

    def edges_below(height: float) -> np.ndarray:
        across, up = 0.0125 * np.array([[-1, 1, 1, -1], [1, 1, -1, -1]])
        places = np.column_stack((across[:, None] * along + [0.2, 0.0], up + height))
        corners = CAMERA.project((places - POSE[:3, 3]) @ POSE[:3, :3])
        return ground_edges(floor_up_to(0), CAMERA, POSE, markers=[corners]).points

    points = edges_below(0.022)
    found = points[np.isfinite(points[:, 0])] - [0.2, 0.0]
    deep, beside = found @ into, np.abs(found @ along)
    # On its front, or on the side that is seen, too.
    assert np.minimum(np.abs(deep), np.abs(beside - 0.022)).max() < 0.003
    assert np.abs(deep).min() < 0.001
    assert (deep.max() > 0.03) == (turn > 0.0)
    assert beside.max() < 0.025
    # That of a cube on another says nothing of the floor.
    assert np.isnan(edges_below(0.066)).all()


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
    edges = ground_edges(picture, CAMERA, POSE, [hidden[0] - (0.0, 120.0)])
    assert np.isnan(edges.rows[205:]).all()
    assert np.nanmax(edges.clear[205:, 0]) < np.nanmedian(edges.clear[20:180, 0]) - 0.05


def test_the_lift_is_where_its_outlines_are() -> None:
    lens = Lens()
    (bar, left, right) = own_outlines(-0.3, LIFT_HALF_UP, lens)
    assert bar[:, 1].max() < 100
    assert abs(bar[:, 0].mean() - lens.cx) < 2.0
    assert left[:, 0].max() < lens.cx < right[:, 0].min()
    # Lowered, the head up: out of sight; a cube on it is not.
    assert all(part[:, 1].min() > 235 for part in own_outlines(0.3, LIFT_DOWN, lens)[:1])
    assert len(own_outlines(0.0, LIFT_DOWN, lens, is_carrying=True)) == 4


def test_a_scan_has_the_edges_at_their_bearings() -> None:
    picture = floor_up_to(130, left=60, right=150)
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
    # Left is positive: the edge is to the left of the middle of the picture.
    assert len(at) > 10
    assert min(at) * SCAN_STEP - SCAN_ANGLE > 0.0
    assert np.isposinf(scan.ranges[10])
    assert np.isnan(scan.ranges[[0, -1]]).all()
    assert 0.06 < scan.range_min < 0.09
    assert 0.35 < scan.range_max <= 0.40


def test_rays_that_the_lift_cuts_short_are_not_clear() -> None:
    above = [np.array([[0.0, 0.0], [320.0, 0.0], [320.0, 150.0], [0.0, 150.0]])]
    scan = ground_scan(ground_edges(floor_up_to(0), CAMERA, POSE, above))
    assert scan is not None
    assert np.isnan(scan.ranges).all()


def test_edges_of_a_world_are_at_their_true_range() -> None:
    edges = edges_of(WORLDS[1], 8, seed=4)
    assert len(edges.true) > 300
    assert edges.share(VISIBLE) > 0.95
    assert np.nanmedian(edges.seen - edges.true) == pytest.approx(0.0, abs=0.002)


def test_what_begins_near_beside_a_plain_floor_is_no_pattern_of_it() -> None:
    assert edges_of("table", 8, seed=202).share() > 0.92


def test_shadows_before_cubes_move_edges_little() -> None:
    edges = edges_of("table", 8, seed=10)
    off = edges.seen - edges.true
    assert np.mean((off > 0.01) & (off < 0.025)) < 0.03


def test_shadows_beside_cubes_are_no_edges_but_what_lies_across_the_floor_is() -> None:
    assert edges_of("table", 8, seed=6).is_invented.mean() < 0.25
    cable = floor_up_to(0)
    cable[110:115] -= 50
    rows = ground_edges(cable, CAMERA, POSE).rows[1:-1]
    assert np.mean((rows > 108.0) & (rows < 116.0)) > 0.95
