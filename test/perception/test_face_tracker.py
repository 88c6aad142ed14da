from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.vision.people import room, with_face
from cozmo_driver.perception.detection.camera import Camera
from cozmo_driver.perception.detection.face_album import FaceAlbum, FaceAlbumError
from cozmo_driver.perception.detection.face_models import SFace, YuNet
from cozmo_driver.perception.detection.face_tracker import (
    FORGETTING,
    IDLE_PERIOD,
    PERIOD,
    VIEWS,
    Enrollment,
    Face,
    FaceTracker,
)
from cozmo_driver.perception.detection.faces import CascadeDetector
from cozmo_driver.perception.detection.motion import MotionDetector
from cozmo_driver.robot import camera_pose

from . import networks

CAMERA = Camera()
VIEW = camera_pose(0.3)
LEFT, RIGHT = (80, 96), (240, 96)
STEP = 0.2


def update(
    tracker: FaceTracker, stamp: float, gray: np.ndarray, view: np.ndarray = VIEW
) -> list[Face]:
    return tracker.update(stamp, gray, CAMERA, view)


def picture(*noses: tuple[int, int], who: int = 0) -> np.ndarray:
    """What the networks of the tests take for faces; each person has spots of their own."""
    gray = room()
    spots = np.random.default_rng(who).integers(20, 220, (6, 5)).astype(np.uint8)
    for left, top in noses:
        gray[top - 44 : top + 52, left - 36 : left + 44] = np.kron(
            spots, np.ones((16, 16), np.uint8)
        )
        gray[top : top + 8, left : left + 8] = 255
    return gray


@pytest.fixture
def detector(tmp_path: Path) -> YuNet:
    return YuNet(tmp_path / "d.onnx", (networks.write_detector(tmp_path / "d.onnx"),))


@pytest.fixture
def tracker(tmp_path: Path, detector: YuNet) -> FaceTracker:
    recognizer = SFace(tmp_path / "r.onnx", (networks.write_recognizer(tmp_path / "r.onnx"),))
    return FaceTracker(detector, recognizer, FaceAlbum(tmp_path / "faces.json"))


def enrolled(tracker: FaceTracker, name: str, gray: np.ndarray, start: float) -> Enrollment:
    """Enrol the person in an image."""
    enrollment = tracker.start_enrollment(name)
    for index in range(5 * VIEWS):
        update(tracker, start + STEP * index, gray)
        if tracker.enrollment is None:
            break
    return enrollment


def test_a_face_is_followed_as_one_and_forgotten(detector: YuNet) -> None:
    tracker = FaceTracker(detector)
    assert update(tracker, 0.0, picture(LEFT)) == []
    (first,) = update(tracker, 0.2, picture(LEFT))
    assert (first.id, first.name) == (-1, "")
    assert np.linalg.norm(np.array(first.position) - VIEW[:3, 3]) == pytest.approx(first.distance)
    # It moves by 24 pixels, 3 cm.
    (moved,) = update(tracker, 0.4, picture((104, 96)))
    assert moved.id == -1
    assert moved.position[1] < first.position[1]
    assert update(tracker, 0.6, picture()) == []
    (back,) = update(tracker, 0.6 + FORGETTING - 1.0, picture((104, 96)))
    assert back.id == -1
    later = 2 * FORGETTING + 1.0
    assert update(tracker, later, picture((104, 96))) == []
    (new,) = update(tracker, later + 0.2, picture((104, 96)))
    assert new.id == -2


def test_two_faces_are_two_wherever_the_robot_looks(detector: YuNet) -> None:
    tracker = FaceTracker(detector)
    for stamp in (0.0, 0.2):
        faces = update(tracker, stamp, picture(LEFT, RIGHT))
    by_box = {face.box[0] < 160: face.id for face in faces}
    assert sorted(by_box.values()) == [-2, -1]
    assert [face.distance for face in faces] == sorted(face.distance for face in faces)
    # The robot turned: who was at the right is at the left, at the same place of the world.
    turn = -(RIGHT[0] - LEFT[0]) / CAMERA.fx
    c, s = np.cos(turn), np.sin(turn)
    turned = np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]) @ VIEW
    (face,) = update(tracker, 0.4, picture(LEFT), turned)
    assert face.id == by_box[False]


def test_nothing_under_the_floor_is_a_face(detector: YuNet) -> None:
    tracker = FaceTracker(detector)
    for stamp in (0.0, 0.2, 0.4):
        assert update(tracker, stamp, picture(LEFT), camera_pose(-0.4)) == []


def test_pictures_are_searched_more_often_with_a_face_in_sight(detector: YuNet) -> None:
    tracker = FaceTracker(detector)
    assert tracker.is_due(0.0)
    update(tracker, 0.0, picture())
    assert not tracker.is_due(PERIOD)
    assert tracker.is_due(IDLE_PERIOD)
    update(tracker, 1.0, picture(LEFT))
    assert tracker.is_due(1.0 + PERIOD)
    # A recording begins again.
    assert tracker.is_due(0.1)
    assert update(tracker, 0.1, picture(LEFT)) == []


def test_a_person_who_agreed_is_known_by_name(tracker: FaceTracker) -> None:
    ann, bob = picture(LEFT), picture(LEFT, who=1)
    enrollment = enrolled(tracker, "Ann", ann, 0.0)
    assert enrollment.error == ""
    assert enrollment.face_id == 1
    assert tracker.people == [("Ann", 1)]
    (face,) = update(tracker, 10.0, ann)
    assert (face.id, face.name) == (1, "Ann")
    # Known again after being forgotten; Bob is not.
    names: dict[str, set[str]] = {}
    for who, gray, start in (("ann", ann, 100.0), ("bob", bob, 200.0)):
        for index in range(16):
            for seen in update(tracker, start + STEP * index, gray):
                names.setdefault(who, set()).add(seen.name)
    assert names == {"ann": {"", "Ann"}, "bob": {""}}
    assert tracker.forget("Ann") == 1
    for index in range(16):
        assert not [face.name for face in update(tracker, 300.0 + STEP * index, ann) if face.name]


def test_a_face_has_one_name(tracker: FaceTracker) -> None:
    enrolled(tracker, "Ann", picture(LEFT), 0.0)
    enrollment = enrolled(tracker, "Bob", picture(LEFT), 10.0)
    assert enrollment.face_id == 0
    assert "this is Ann: forget that name first" in enrollment.error


def test_an_enrollment_ends_without_a_face(tracker: FaceTracker) -> None:
    enrollment = enrolled(tracker, "Ann", picture(), 0.0)
    assert (enrollment.face_id, enrollment.error) == (0, "")
    tracker.stop_enrollment()
    with pytest.raises(FaceAlbumError, match="1 to 40"):
        tracker.start_enrollment(" ")
    assert tracker.start_enrollment("Bob").name == "Bob"


def test_without_a_recogniser_nobody_is_enrolled(tmp_path: Path) -> None:
    tracker = FaceTracker(CascadeDetector(), None, FaceAlbum(tmp_path / "faces.json"))
    update(tracker, 0.0, with_face(60, 10, 160))
    (face,) = update(tracker, 0.2, with_face(60, 10, 160))
    assert face.id == -1
    assert not tracker.can_recognize
    assert list(tmp_path.iterdir()) == []


def test_without_a_recogniser_a_person_is_known_by_the_place_and_only_there(
    detector: YuNet,
) -> None:
    tracker = FaceTracker(detector)
    enrollment = enrolled(tracker, "Ann", picture(LEFT, RIGHT), 0.0)
    assert enrollment.face_id < 0
    faces = update(tracker, 5.0, picture(LEFT, RIGHT))
    assert sorted(face.name for face in faces) == ["", "Ann"]
    named = next(face for face in faces if face.name)
    # Away for longer than a face is remembered: whoever comes to her place may be she.
    again = 5.0 + 2 * FORGETTING
    for stamp in (again, again + STEP):
        faces = update(tracker, stamp, picture(LEFT, RIGHT))
    (back,) = [face for face in faces if face.name]
    assert (back.name, back.box) == ("Ann", named.box)
    assert back.id < 0
    assert (tracker.forget("Ann"), tracker.names) == (1, [])
    assert not [face for face in update(tracker, again + 1.0, picture(LEFT)) if face.name]
    assert tracker.forget("Ann") == 0


FRAME = 1 / 15
LONGEST = 0.25
"""s from a face's appearance to eyes that turn, at most."""
EYES_BEGIN = 1 / 30


@pytest.mark.parametrize("phase", range(8))
def test_a_face_that_comes_is_told_of_so_soon_that_the_eyes_turn_within_a_quarter_of_a_second(
    detector: YuNet, phase: int
) -> None:
    """Whoever comes moves, which is seen in the same image: then no image is left out."""
    tracker, motion = FaceTracker(detector), MotionDetector()
    appears, told = 10.0 + phase * FRAME, None
    for index in range(300):
        stamp = index * FRAME
        gray = picture(LEFT) if stamp >= appears else picture()
        moving = motion.update(stamp, gray, CAMERA, VIEW, np.eye(4), False)
        if moving is not None and moving.area > 0.0:
            tracker.hurry(stamp)
        if tracker.is_due(stamp) and update(tracker, stamp, gray):
            told = stamp
            break
    assert told is not None
    # The face appears up to an image before the first one that shows it.
    latency = told - appears + FRAME + EYES_BEGIN
    print(f"{latency * 1000:.0f} ms")
    assert latency <= LONGEST
