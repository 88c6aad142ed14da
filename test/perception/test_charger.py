from __future__ import annotations

import cv2
import numpy as np
import pytest

from benchmarks.vision.backgrounds import background, world_picture
from benchmarks.vision.chargers import charger_scenes
from benchmarks.vision.measure import CAMERA
from benchmarks.vision.measure import scenes as cube_scenes
from cozmo_driver.media.printed_markers import CHARGER_CODE, CHARGER_MARKER_SIZE, draw_marker
from cozmo_driver.perception.detection.charger import find_charger
from cozmo_driver.perception.detection.markers import CHARGER, MarkerDetector, as_gray
from cozmo_driver.perception.detection.poses import marker_poses


def test_cubes_and_rooms_are_no_charger() -> None:
    random = np.random.default_rng(3)
    detector = MarkerDetector()
    cubes = [scene.picture for scene, _, _ in cube_scenes(40, 3, (0, 1))]
    rooms = [make(random) for make in (background, world_picture) for _ in range(10)]
    for number, picture in enumerate((*cubes, *rooms)):
        gray = picture if picture.ndim == 2 else picture[..., 1].copy()
        assert all(one.family != CHARGER for one in detector.detect(gray)), number


@pytest.mark.parametrize(("seed", "number"), [(116, 12), (134, 8)], ids=["label", "far cube"])
def test_small_frames_that_are_no_chargers_are_none(seed: int, number: int) -> None:
    *_, (scene, _, _) = cube_scenes(number + 1, seed, (0,))
    assert find_charger(as_gray(scene.picture)) is None


def test_a_charger_is_looked_for_now_and_then_and_always_while_it_is_seen() -> None:
    empty, charger = np.full((240, 320), 128, np.uint8), _charger()
    assert find_charger(charger) is not None
    detector = MarkerDetector(charger_every=3)
    pictures = [empty, charger, charger, charger, charger, empty, charger]
    found = [len(detector.detect(picture)) for picture in pictures]
    assert found == [0, 0, 0, 1, 1, 0, 0]


def test_blurred_pictures_put_the_look_for_the_charger_off_and_skipped_ones_do_not() -> None:
    charger = _charger()
    detector = MarkerDetector(charger_every=3)
    assert detector.detect(charger, is_blurred=True) == []
    assert len(detector.detect(charger)) == 1
    detector = MarkerDetector(charger_every=3)
    detector.detect(np.full((240, 320), 128, np.uint8))
    for _ in range(2):
        detector.skip()
    assert len(detector.detect(charger)) == 1
    detector = MarkerDetector(charger_every=3)
    found = [len(detector.detect(charger, is_blurred=True)) for _ in range(4)]
    assert found == [0, 0, 1, 1]


def test_after_a_turn_a_charger_is_looked_for_more_often() -> None:
    empty = np.full((240, 320), 128, np.uint8)
    detector = MarkerDetector(charger_every=8)

    def looks(count: int) -> int:
        sought = 0
        for _ in range(count):
            detector.detect(empty)
            sought += detector.has_searched_charger
        return sought

    assert looks(16) == 2
    detector.on_turn()
    assert looks(16) == 8
    assert looks(16) == 2


def test_a_charger_is_found_among_and_right_below_larger_dark_things() -> None:
    picture = _charger()
    for left, top in ((5, 5), (110, 30), (215, 5), (5, 165), (110, 170), (215, 165)):
        picture[top : top + 65, left : left + 98] = 20
    assert find_charger(picture) is not None


@pytest.mark.parametrize("has_dark", [False, True])
def test_a_charger_drawn_otherwise_is_found_below_furniture_too_and_as_far_as_it_is(
    has_dark: bool,
) -> None:
    errors = []
    scenes = [one for one in charger_scenes(60, 8, has_dark) if one.conditions.light > 80.0]
    for scene in scenes:
        found = find_charger(as_gray(scene.picture))
        if found is None:
            continue
        assert np.abs(found.corners.mean(axis=0) - scene.corners.mean(axis=0)).max() < 3.0
        poses = marker_poses(found.corners, CHARGER_MARKER_SIZE, CAMERA)
        errors.append(poses[0].distance / scene.distance - 1.0)
    assert len(errors) >= 0.6 * len(scenes)
    assert abs(np.median(errors)) < 0.02
    assert np.percentile(np.abs(errors), 90) < 0.06


def test_from_half_a_metre_most_pictures_show_where_it_is() -> None:
    scenes = [
        one for one in charger_scenes(60, 9, distances=(0.45, 0.55)) if one.conditions.light > 80.0
    ]
    found = [(find_charger(as_gray(scene.picture)), scene) for scene in scenes]
    beside = [np.abs(s.corners.mean(axis=0) - f.corners.mean(axis=0)).max() for f, s in found if f]
    assert len(beside) >= 0.6 * len(scenes)
    assert max(beside) < 3.0


def test_a_small_one_is_found_in_the_shade_of_what_is_above_it() -> None:
    found = []
    for scene in charger_scenes(80, 12, distances=(0.38, 0.45)):
        if scene.conditions.light < 80.0 or abs(scene.turn) > 0.5:
            continue
        gray = as_gray(scene.picture)
        top, bottom = scene.corners[[0, 2], 1]
        shade = np.interp(np.arange(240), (top, (top + bottom) / 2), (0.7, 1.0))[:, None]
        found.append(find_charger((gray * shade).astype(np.uint8)))
    assert sum(one is not None for one in found) >= 0.65 * len(found)


def test_a_frame_within_a_frame_is_no_charger() -> None:
    picture = _charger()
    picture[111:122, 149:173] = 25
    picture[114:119, 152:170] = 150
    assert find_charger(cv2.GaussianBlur(picture, (0, 0), 0.8)) is None


def _charger() -> np.ndarray:
    picture = np.full((240, 320), 170, np.uint8)
    picture[100:150, 120:200] = 25
    marker = draw_marker(CHARGER_CODE, 40)
    rows, columns = marker.shape
    picture[100 : 104 + rows, 138 : 142 + columns] = 150
    picture[102 : 102 + rows, 140 : 140 + columns] = np.where(marker > 127, 150, 25)
    return cv2.GaussianBlur(picture, (0, 0), 0.8)
