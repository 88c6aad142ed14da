from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from benchmarks.vision.people import EYE_ROW, EYES, drawn_face, room, with_face
from benchmarks.vision.scenes import cube_before
from cozmo_driver.emulator import Pose2D
from cozmo_driver.emulator.world.eye import Eye, Shutter
from cozmo_driver.emulator.world.optics import Lens, Stance
from cozmo_driver.emulator.world.world import Occupant
from cozmo_driver.perception.detection import faces
from cozmo_driver.perception.detection.camera import Camera
from cozmo_driver.perception.detection.faces import (
    EYE_DISTANCE,
    CascadeDetector,
    FaceDetection,
    FaceModelError,
    place_of,
)
from cozmo_driver.robot import camera_pose

from ..emulator.world.worlds import world
from .pictures import seen

FLOOR = {"floor": [{"rectangle": [-1.5, -1.0, 1.5, 1.0], "pattern": "wood"}]}
DETECTOR = CascadeDetector()


@pytest.mark.parametrize("size", [48, 80, 160, 220])
def test_a_face_is_found_with_its_eyes(size: int) -> None:
    (face,) = DETECTOR.detect(with_face(60, 10, size))
    left, top, width, height = face.box
    assert (left + width / 2, top + height / 2) == pytest.approx(
        (60 + 0.5 * size, 10 + 0.58 * size), abs=0.08 * size
    )
    assert face.is_clear
    assert 0.5 < face.score <= 1.0
    first, second = face.estimated_eyes
    assert (first + second) / 2 == pytest.approx(
        np.array([60 + 0.5 * size, 10 + EYE_ROW * size]), abs=0.06 * size
    )
    if size >= 80:
        assert face.eyes is not None
        assert face.eye_gap == pytest.approx(EYES * size, rel=0.1)


@pytest.mark.parametrize("lean", [-20.0, -8.0, 0.0, 8.0, 20.0])
@pytest.mark.parametrize("size", [60, 110])
def test_a_head_that_leans_has_its_angle(size: int, lean: float) -> None:
    upright = with_face(150 - size // 2, 100 - size // 2, size)
    turned = cv2.warpAffine(
        upright,
        cv2.getRotationMatrix2D((150, 100), -lean, 1.0),
        (320, 240),
        borderMode=cv2.BORDER_REFLECT,
    )
    (face,) = DETECTOR.detect(turned)
    assert np.degrees(face.roll) == pytest.approx(lean, abs=4.0)


def test_a_larger_picture_has_the_same_face() -> None:
    small = with_face(100, 40, 100)
    (face,) = DETECTOR.detect(small)
    (large,) = DETECTOR.detect(cv2.resize(small, (640, 480)))
    assert large.box == pytest.approx([2 * value for value in face.box], abs=8)


def test_nothing_is_a_face_in_rooms_and_on_cubes() -> None:
    pictures = [room(seed) for seed in range(3)]
    pictures += [
        seen(cube_before(1, 0.12, 0.1, 0.2), cube_before(2, 0.2, -0.2, 0.5)).picture,
        np.zeros((240, 320), np.uint8),
    ]
    pictures.append(np.random.default_rng(0).integers(0, 256, (240, 320)).astype(np.uint8))
    for picture in pictures:
        assert not [face for face in DETECTOR.detect(picture) if face.is_clear]


@pytest.mark.parametrize("x", [0.4, 0.7])
def test_a_picture_on_a_stand_is_a_person_at_its_place(tmp_path: Path, x: float) -> None:
    """The drawing is as wide as makes its eyes a person's, and stands before the robot."""
    Image.fromarray(drawn_face(400)).save(tmp_path / "person.png")
    width, y, foot = EYE_DISTANCE / EYES, 0.05, 0.05
    stand = {"file": str(tmp_path / "person.png"), "x": x, "y": y, "z": foot}
    head, stance = 0.25, Stance(Pose2D(), 0.25)
    robot = Occupant(lambda: stance.pose, lambda: True)
    eye = Eye(world(FLOOR, pictures=[stand | {"width": width}]), robot, lambda _: stance)
    (face,) = DETECTOR.detect(eye.gray(Shutter()))
    lens = Lens()
    place = place_of(face, Camera(lens.fx, lens.fy, lens.cx, lens.cy))
    assert place is not None
    found = camera_pose(head) @ np.append(place, 1.0)
    true = x, y, foot + width * (1.0 - EYE_ROW)
    assert found[:2] == pytest.approx(true[:2], rel=0.15, abs=0.01)
    assert found[2] == pytest.approx(true[2], abs=0.02)


def test_a_photograph_of_a_person_is_one() -> None:
    """Of the public domain, from Matplotlib's sample data."""
    cbook = pytest.importorskip("matplotlib.cbook")
    try:
        with cbook.get_sample_data("grace_hopper.jpg") as file:
            photograph = np.asarray(Image.open(file).convert("L"))
    except FileNotFoundError:
        pytest.skip("this Matplotlib came without sample data")
    picture = room()
    picture[:200, 80:250] = cv2.resize(photograph, (170, 200), interpolation=cv2.INTER_AREA)
    (face,) = DETECTOR.detect(picture)
    assert face.is_clear
    # Her face fills 230 of 512 columns, from 150 on.
    assert face.box == pytest.approx((80 + 150 / 3, 33, 77, 77), abs=8)


def test_distance_follows_from_the_eyes() -> None:
    camera = Camera(292.0, 292.0, 160.0, 120.0)
    eyes = np.array([[150.0, 100.0], [170.0, 100.0]])
    face = FaceDetection((130.0, 80.0, 60.0, 60.0), 1.0, True, eyes)
    place = place_of(face, camera)
    assert place == pytest.approx([0.0, -20 / 292 * place[2], EYE_DISTANCE * 292 / 20])
    # Without eyes 0.36 of the width is their distance, 0.12 of the height above the middle.
    face = FaceDetection((135.0, 87.0, 50.0, 100.0), 1.0, True)
    estimated = place_of(face, camera)
    assert estimated == pytest.approx([0.0, 5 / 292 * estimated[2], EYE_DISTANCE * 292 / 18])
    assert place_of(FaceDetection((0.0, 0.0, 11.0, 11.0), 1.0, True), camera) is None


def test_an_opencv_without_cascades_is_told_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cv2.data, "haarcascades", "/nowhere")
    monkeypatch.setattr(faces, "_FOLDERS", ())
    with pytest.raises(FaceModelError, match="apt-get install opencv-data"):
        CascadeDetector()
