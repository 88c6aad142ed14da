"""Objects are placed by what is seen of them (spec 15 §3.1, §9)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cozmo_driver.perception.world.frames import (
    Matrix,
    angle_between,
    flattened,
    pose,
    rotation,
    tilt,
)
from cozmo_driver.perception.world.objects import charger_model
from cozmo_driver.perception.world.placing import MarkerObservation, place
from cozmo_driver.perception.world.pose_history import StampedState

from .scene import CUBE, apart, box_model, cube_at, look_at

CAMERA_X = 0.0245
"""Of the camera ahead of ``base_footprint`` at head angle 0, m."""
HALF = math.pi / 2
RESTING = [
    np.eye(3),
    *(
        rotation(v)
        for v in ((HALF, 0, 0), (-HALF, 0, 0), (0, HALF, 0), (0, -HALF, 0), (math.pi, 0, 0))
    ),
]


def ahead(distance: float, yaw: float = 0.0, y: float = 0.0) -> Matrix:
    """Return a cube whose front is at a distance from the camera."""
    return cube_at(CAMERA_X + distance + 0.022, y, yaw)


def placed(truth: Matrix, noise: float = 0.2, seed: int = 0, **robot: float) -> Matrix:
    moment = StampedState(0.0, **robot)
    seen = look_at(CUBE, truth, moment, noise, seed)
    found = place(CUBE, seen, moment.camera)
    assert found is not None
    return found.pose


@settings(max_examples=60)
@given(
    st.sampled_from(RESTING),
    st.floats(0.09, 0.35),
    st.floats(-math.pi, math.pi),
    st.floats(-0.25, 0.25),
    st.integers(0, 1000),
)
def test_a_cube_on_any_side_is_placed_to_2_percent_and_some_degrees(
    resting: Matrix, distance: float, yaw: float, bearing: float, seed: int
) -> None:
    truth = ahead(distance, yaw, distance * math.tan(bearing))
    truth[:3, :3] = truth[:3, :3] @ resting
    moment = StampedState(0.0)
    seen = look_at(CUBE, truth, moment, 0.15, seed)
    if not seen:
        return
    found = place(CUBE, seen, moment.camera)
    assert found is not None
    assert apart(found.pose, truth) <= 0.001 + 0.02 * distance
    # Of a single marker far away, seen squarely, 0.15 pixels are a turn of 4 degrees.
    is_clear = distance < 0.2 or len(found.seen) > 1
    assert math.degrees(angle_between(found.pose, truth)) <= (3.0 if is_clear else 8.0)
    assert tilt(found.pose) < 1e-6


def test_near_cubes_are_placed_as_exactly_as_by_the_maker_s_engine() -> None:
    errors = [
        apart(placed(ahead(0.09 + 0.01 * n, 0.1 * n), seed=n), ahead(0.09 + 0.01 * n, 0.1 * n))
        for n in range(12)
    ]
    assert np.median(errors) < 0.0007


def test_a_leaning_cube_stays_as_it_leans() -> None:
    truth = ahead(0.15, 0.5)
    truth[:3, :3] = truth[:3, :3] @ rotation((0.0, math.radians(35.0), 0.0))
    truth[2, 3] = 0.03
    found = placed(truth, noise=0.05)
    assert math.degrees(tilt(found)) == pytest.approx(35.0, abs=2.0)
    assert apart(found, truth) < 0.002


def test_two_sides_agree_and_one_that_is_misread_is_left_out() -> None:
    truth, moment = ahead(0.15, 0.7), StampedState(0.0)
    seen = look_at(CUBE, truth, moment, 0.1)
    assert len(seen) == 2
    both = place(CUBE, seen, moment.camera)
    assert both is not None
    assert len(both.seen) == 2
    right, wrong = seen
    misread = MarkerObservation("cube_1", "top", wrong.poses, wrong.directions)
    one = place(CUBE, [right, misread], moment.camera)
    assert one is not None
    assert len(one.seen) == 1


def test_what_makes_no_sense_is_no_cube() -> None:
    moment = StampedState(0.0)
    (seen,) = look_at(CUBE, ahead(0.15), moment)
    assert place(CUBE, [], moment.camera) is None
    for poses, directions in (
        ((np.full((4, 4), np.nan),), seen.directions),
        (seen.poses, np.full((4, 2), np.inf)),
        (seen.poses, seen.directions[[0, 2, 1, 3]]),
        (seen.poses, np.zeros((4, 2))),
    ):
        bad = MarkerObservation("cube_1", "front", poses, directions)
        assert place(CUBE, [bad], moment.camera) is None
    nowhere = MarkerObservation("cube_1", "inside", seen.poses, seen.directions)
    assert place(CUBE, [nowhere], moment.camera) is None


def test_sides_that_are_unknown_give_the_place_and_turn_the_cube_as_it_was_before() -> None:
    truth, moment = ahead(0.15, 0.7 + math.pi / 2), StampedState(0.0)
    seen = look_at(CUBE, truth, moment, 0.1)
    nameless = [replace(one, side="") for one in seen]
    assert sorted(one.side for one in seen) == ["back", "left"]
    found = place(CUBE, nameless, moment.camera)
    assert found is not None
    assert len(found.seen) == 2
    assert np.linalg.norm(found.pose[:3, 3] - truth[:3, 3]) < 0.003
    for before in (truth, ahead(0.3, 0.7 + 0.6 + math.pi / 2)):
        found = place(CUBE, nameless, moment.camera, before)
        assert found is not None
        assert apart(found.pose, truth) < 0.003
        assert angle_between(found.pose, truth) < math.radians(3.0)
    found = place(CUBE, [nameless[0], seen[1]], moment.camera)
    assert found is not None
    assert len(found.seen) == 2
    assert angle_between(found.pose, truth) < math.radians(3.0)


@pytest.mark.parametrize("distance", [0.2, 0.3, 0.45])
@pytest.mark.parametrize("aside", [0.0, 20.0, 40.0])
def test_the_charger_is_found_by_its_marker(distance: float, aside: float) -> None:
    """5 % and 10 mm sideways, at 0 to 40 degrees."""
    charger, moment = charger_model(), StampedState(0.0)
    angle = math.radians(aside)
    marker = np.array([CAMERA_X + distance, 0.0])
    lip = marker - 0.086 * np.array([math.cos(angle), math.sin(angle)])
    truth = pose(*lip, 0.0, angle)
    errors = []
    for seed in range(9):
        found = place(charger, look_at(charger, truth, moment, 0.15, seed), moment.camera)
        assert found is not None
        middle = (found.pose @ charger.markers["front"].matrix)[:2, 3] - marker
        errors.append(np.abs(middle))
    ahead_error, sideways = np.median(errors, axis=0)
    assert ahead_error < 0.05 * distance
    assert sideways < 0.010


def test_a_charger_whose_small_marker_seems_tilted_stands_upright_all_the_same() -> None:
    charger, moment = charger_model(), StampedState(0.0)
    truth = pose(CAMERA_X + 0.45 - 0.086, 0.0, 0.0, 0.0)
    found = [
        place(charger, look_at(charger, truth, moment, 1.0, seed), moment.camera)
        for seed in range(40)
    ]
    kept = [one for one in found if one is not None]
    assert len(kept) >= 36
    for one in kept:
        assert tilt(one.pose) < 1e-6
        assert abs((one.pose @ charger.markers["front"].matrix)[1, 3]) < 0.010


def test_a_box_of_the_user_is_placed_by_any_of_its_sides() -> None:
    box = box_model("parcel", (0.10, 0.06, 0.08), {"front": 0.04, "left": 0.03, "top": 0.02})
    truth, moment = pose(0.3, 0.02, 0.04, 0.6), StampedState(0.0)
    seen = look_at(box, truth, moment, 0.1)
    assert {one.side for one in seen} == {"front"}
    turned = pose(0.3, 0.02, 0.04, math.radians(80.0))
    (side,) = look_at(box, turned, moment, 0.1)
    assert side.side == "left"
    for expected, observations in ((truth, seen), (turned, [side])):
        found = place(box, observations, moment.camera)
        assert found is not None
        assert apart(found.pose, expected) < 0.006


@given(st.floats(-3, 3), st.floats(-3, 3), st.floats(-3, 3))
def test_flattening_makes_one_axis_vertical_and_turns_no_further(
    a: float, b: float, c: float
) -> None:
    matrix = np.eye(4)
    matrix[:3, :3] = rotation((a, b, c))
    flat = flattened(matrix)
    assert np.abs(flat[2, :3]).max() == pytest.approx(1.0)
    assert flat[:3, :3] @ flat[:3, :3].T == pytest.approx(np.eye(3), abs=1e-9)
    assert angle_between(flat, matrix) == pytest.approx(tilt(matrix), abs=1e-6)
