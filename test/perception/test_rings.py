from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks.vision.backgrounds import background
from benchmarks.vision.scenes import Gray, cube_facing
from cozmo_driver.perception.detection.rings import find_rings

from .pictures import ROOM, seen


def sides_off(found: np.ndarray, true: np.ndarray) -> float:
    """How far corners are off, whichever one is the first, in pixels."""
    return float(min(np.abs(np.roll(found, k, axis=0) - true).max() for k in range(4)))


@pytest.mark.parametrize(
    ("distance", "turn", "light"),
    [
        (0.08, 0, 150),
        (0.1, 40, 250),
        (0.2, 0, 40),
        (0.2, -55, 150),
        (0.2, 10, 550),
        (0.3, 20, 100),
        (0.38, 0, 200),
    ],
)
def test_a_ring_is_found_to_parts_of_a_pixel(distance: float, turn: float, light: float) -> None:
    scene = seen(cube_facing(2, "left", distance, math.radians(turn)), light=light)
    (truth,) = [t for t in scene.truths if t.side == "left"]
    ring = min(find_rings(scene.picture), key=lambda ring: sides_off(ring.corners, truth.corners))
    assert sides_off(ring.corners, truth.corners) < max(0.4, 0.015 * truth.size)
    assert ring.size == pytest.approx(truth.size, rel=0.02)


@pytest.mark.parametrize("roll", [0, 20, 45, 70])
def test_corners_begin_at_the_upper_left_and_go_round_clockwise(roll: int) -> None:
    scene = seen(cube_facing(1, "front", 0.15, roll=math.radians(roll)))
    (ring,) = find_rings(scene.picture)
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = ring.corners.tolist()
    assert (x1 - x0) * (y2 - y1) - (y1 - y0) * (x2 - x1) > 0.0
    assert x0 + y0 == pytest.approx(min(x0 + y0, x1 + y1, x2 + y2, x3 + y3))


@pytest.mark.parametrize("side", ["left", "right", "top", "bottom"])
def test_a_ring_that_the_border_cuts_is_no_ring(side: str) -> None:
    picture = seen(cube_facing(1, "front", 0.15)).picture
    (ring,) = find_rings(picture)
    (left, top), (right, bottom) = ring.corners.min(axis=0), ring.corners.max(axis=0)

    def cut(beside: int) -> Gray:
        """Return the image up to so many pixels beyond a side of the ring, or less."""
        return {
            "left": picture[:, round(left) - beside :],
            "right": picture[:, : round(right) + beside],
            "top": picture[round(top) - beside :],
            "bottom": picture[: round(bottom) + beside],
        }[side]

    assert len(find_rings(np.ascontiguousarray(cut(12)))) == 1
    for inside in (2, 15):
        assert find_rings(np.ascontiguousarray(cut(-inside))) == []


def test_a_ring_of_ten_pixels_is_not_found() -> None:
    assert find_rings(seen(cube_facing(1, "front", 0.72)).picture) == []


def test_rings_of_lit_half_shadowed_and_moving_cubes_are_found() -> None:
    cube = cube_facing(3, "top", 0.16, lit=5)
    for conditions in ({"shadow": 0.6}, {"bands": 0.3}, {"motion": 2.0}, {"color": True}):
        assert find_rings(seen(cube, **conditions).picture), conditions


@pytest.mark.parametrize("picture", [np.zeros((240, 320), np.uint8), ROOM, 255 - ROOM])
def test_where_nothing_is_nothing_is_found(picture: Gray) -> None:
    assert find_rings(picture) == []


def test_rooms_with_shelves_boards_print_and_tape_have_no_rings() -> None:
    random = np.random.default_rng(11)
    assert [find_rings(background(random)) for _ in range(40)] == [[]] * 40
