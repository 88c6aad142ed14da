from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks.vision.floors import WORLDS, errors
from cozmo_driver.robot import camera_pose
from cozmo_driver.vision.camera import Camera
from cozmo_driver.vision.ground import ground_edges

POSE, CAMERA = camera_pose(-0.2), Camera()


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


def test_a_clear_floor_is_clear_as_far_as_is_looked() -> None:
    edges = ground_edges(floor_up_to(0), CAMERA, POSE, farthest=0.3)
    assert np.isnan(edges.rows).all()
    assert edges.clear[160, 0] == pytest.approx(0.3, abs=0.02)


def test_what_is_narrow_or_faint_is_no_edge() -> None:
    for picture in (floor_up_to(130, left=100, right=102), floor_up_to(130, levels=15)):
        assert np.isnan(ground_edges(picture, CAMERA, POSE).rows).all()


def test_without_floor_in_sight_nothing_is_known() -> None:
    edges = ground_edges(floor_up_to(130), CAMERA, camera_pose(0.77))
    assert np.isnan(edges.rows).all()
    assert np.isnan(edges.clear).all()


@pytest.mark.parametrize("world", WORLDS[:1])
def test_edges_of_a_world_are_at_their_true_range(world: str) -> None:
    true, seen = errors(world, 12, seed=4)
    assert len(true) > 300
    assert np.mean(np.abs(seen - true) <= 0.01) > 0.9
    assert math.isfinite(float(np.nanmedian(seen)))
