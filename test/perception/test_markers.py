from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks.vision.scenes import cube_facing
from cozmo_driver.media.printed_markers import SIDES, code_of
from cozmo_driver.perception.detection.learning import LearningError, learn
from cozmo_driver.perception.detection.markers import ImageError, MarkerDetector, as_gray
from cozmo_driver.perception.detection.templates import Match, Template

from .pictures import ROOM, marker_at, seen

OWN = MarkerDetector()
PENS = 5
"""A set of drawings that is not ours, as real cubes have them."""


@pytest.mark.parametrize("cube", [1, 2, 3])
@pytest.mark.parametrize("side", SIDES)
def test_our_own_markers_are_named_however_they_are_turned(cube: int, side: str) -> None:
    for quarter, distance in enumerate((0.1, 0.2, 0.28, 0.35)):
        scene = seen(cube_facing(cube, side, distance, 0.3, roll=quarter * math.pi / 2))
        (truth,) = [t for t in scene.truths if t.side == side]
        marker = marker_at(truth, OWN.detect(scene.picture))
        assert marker is not None
        assert (marker.name, marker.side, marker.code) == (
            f"cube_{cube}",
            side,
            code_of(cube, side),
        )
        assert np.abs(marker.own_corners - truth.corners).max() < 0.03 * truth.size + 0.3


def picture_of(cube: int, side: str, distance: float, turn: float = 0.0, **conditions: float):
    quarter = conditions.pop("roll", 0.0) * math.pi / 2
    return seen(cube_facing(cube, side, distance, turn, quarter, kind=PENS), **conditions).picture


def test_one_picture_of_a_side_names_it_in_other_light_turned_and_far_away() -> None:
    known: list = []
    for cube in (1, 2, 3):
        known, _ = learn(known, cube, picture_of(cube, "front", 0.11))
    detector = MarkerDetector(known)
    for cube in (1, 2, 3):
        for number, (distance, light) in enumerate(
            ((0.09, 240), (0.15, 60), (0.2, 110), (0.25, 200), (0.34, 150))
        ):
            picture = picture_of(
                cube, "front", distance, -0.4, roll=number, light=light, seed=number
            )
            names = [marker.name for marker in detector.detect(picture)]
            assert names[0] == f"cube_{cube}"


def test_a_score_near_1_is_sure_with_less_of_a_lead() -> None:
    template = Template("cube_1", np.zeros((48, 48), np.uint8), 60.0)
    matches = [Match(template, 0, *scores) for scores in ((0.98, 0.88), (0.92, 0.84), (0.8, 0.7))]
    assert [match.is_sure for match in matches] == [True, False, False]


def test_a_cube_that_was_not_learnt_has_a_ring_and_no_name() -> None:
    known, _ = learn([], 1, picture_of(1, "front", 0.11))
    detector = MarkerDetector(known)
    markers = [detector.detect(picture_of(2, side, 0.14))[0] for side in SIDES]
    assert [marker.name for marker in markers] == [None] * 6
    assert all(marker.code is None and marker.score < 0.8 for marker in markers)


def test_only_a_ring_that_is_named_may_have_something_across_it() -> None:
    for kind, names in ((0, ["cube_1"]), (PENS, [])):
        picture = seen(cube_facing(1, "front", 0.15, kind=kind)).picture.copy()
        right, top = OWN.detect(picture)[0].corners[1].astype(int)
        picture[top + 20 : top + 27, right - 12 : right + 8] = 170
        assert [marker.name for marker in OWN.detect(picture)] == names


def test_a_side_that_is_known_is_not_learnt_twice_but_from_nearer() -> None:
    known, first = learn([], 2, picture_of(2, "left", 0.2))
    again, second = learn(known, 2, picture_of(2, "left", 0.1, seed=3))
    assert len(again) == 1
    assert second.size > 1.5 * first.size
    kept, third = learn(again, 2, picture_of(2, "left", 0.2, seed=4))
    assert kept == again
    assert third is second
    both, _ = learn(again, 2, picture_of(2, "top", 0.1))
    assert len(both) == 2


def test_the_largest_ring_is_the_one_that_is_learnt() -> None:
    near, far = cube_facing(1, "front", 0.12, kind=PENS), cube_facing(3, "front", 0.24, kind=PENS)
    near.place[0] -= 0.03
    far.place[0] += 0.06
    known, _ = learn([], 1, seen(near, far).picture)
    assert [m.name for m in MarkerDetector(known).detect(picture_of(1, "front", 0.15))] == [
        "cube_1"
    ]


@pytest.mark.parametrize(
    ("picture", "reason"),
    [
        (ROOM, "no whole marker is in sight"),
        (picture_of(1, "front", 0.42), "pixels large: bring the cube nearer"),
        (picture_of(2, "front", 0.12), "this is a side of cube 2"),
    ],
)
def test_what_cannot_be_learnt_from_is_refused_with_the_reason(picture, reason: str) -> None:
    known, _ = learn([], 2, picture_of(2, "front", 0.1))
    with pytest.raises(LearningError, match=reason):
        learn(known, 1, picture)


def test_pictures_of_other_sizes_are_refused() -> None:
    for shape in ((240, 330), (100, 133), (240, 320, 4), (960, 1281), (240,)):
        with pytest.raises(ImageError, match="needed"):
            as_gray(np.zeros(shape, np.uint8))
    with pytest.raises(ImageError, match="needed"):
        as_gray(np.zeros((240, 320), np.float32))


def test_colours_and_the_robots_narrow_pictures_become_gray_ones_of_full_width() -> None:
    assert as_gray(np.zeros((240, 160, 3), np.uint8)).shape == (240, 320)
    assert as_gray(np.full((480, 640, 3), 7, np.uint8)).tolist() == [[7] * 640] * 480


def test_a_picture_of_twice_the_size_shows_the_same_markers() -> None:
    scene = seen(cube_facing(2, "back", 0.2))
    large = scene.picture.repeat(2, axis=0).repeat(2, axis=1)
    (small,), (twice,) = OWN.detect(scene.picture), OWN.detect(large)
    assert (twice.name, twice.side) == (small.name, small.side) == ("cube_2", "back")
    assert np.abs(twice.corners - (small.corners * 2 + 0.5)).max() < 1.0
