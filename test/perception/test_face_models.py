"""The files of YuNet and SFace are not here: networks of the same form take their place."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO

import numpy as np
import pytest

from benchmarks.vision.people import room
from cozmo_driver.perception.detection.face_models import FEATURES, SFace, YuNet, detections_of
from cozmo_driver.perception.detection.faces import FaceDetection, FaceModelError

from . import networks


def picture(*noses: tuple[int, int]) -> np.ndarray:
    """A room with something to recognise at the corner of each nose."""
    gray = room()
    for left, top in noses:
        gray[top : top + networks.NOSE, left : left + networks.NOSE] = 255
    return gray


def test_faces_have_boxes_eyes_and_landmarks_of_the_whole_picture(tmp_path: Path) -> None:
    model = networks.write_detector(tmp_path / "detector.onnx")
    detector = YuNet(tmp_path / "detector.onnx", (model,))
    assert detector.detect(room()) == []
    faces = sorted(detector.detect(picture((80, 96), (240, 136))), key=lambda face: face.box)
    width, height = networks.BOX
    assert [face.box for face in faces] == [
        pytest.approx((x + 4 - width / 2, y + 4 - height / 2, width, height))
        for x, y in ((80, 96), (240, 136))
    ]
    assert all(face.is_clear and face.score <= 1.0 for face in faces)
    assert faces[0].eyes == pytest.approx(np.array([[64.0, 88.0], [104.0, 88.0]]))
    # A larger image after a smaller one.
    large = np.full((480, 640), 100, np.uint8)
    large[400:408, 560:568] = 255
    (face,) = detector.detect(large)
    assert face.box[:2] == pytest.approx((564 - width / 2, 404 - height / 2))


def test_features_are_unit_vectors_that_tell_pictures_apart(tmp_path: Path) -> None:
    recognizer = SFace(
        tmp_path / "recognizer.onnx", (networks.write_recognizer(tmp_path / "recognizer.onnx"),)
    )
    detector = YuNet(
        tmp_path / "detector.onnx", (networks.write_detector(tmp_path / "detector.onnx"),)
    )
    same, again, other = picture((80, 96)), picture((80, 96)), picture((80, 96))
    again[:] = again // 2 + again // 4 + 64
    again[96:104, 80:88] = 255
    other[60:90, 60:84] = 30
    first, second, third = (
        recognizer.features(gray, detector.detect(gray)[0]) for gray in (same, again, other)
    )
    assert first is not None
    assert first.shape == (FEATURES,)
    assert np.linalg.norm(first) == pytest.approx(1.0, abs=1e-5)
    assert first @ second > first @ third + 0.1
    assert recognizer.features(same, FaceDetection((0.0, 0.0, 50.0, 50.0), 1.0, True)) is None


def test_rows_that_are_no_numbers_are_no_faces() -> None:
    good = np.arange(15, dtype=np.float32) + 1.0
    bad = [good.copy() for _ in range(3)]
    bad[0][4], bad[1][2], bad[2][14] = np.nan, 0.0, np.inf
    (face,) = detections_of(np.stack([*bad, good]))
    assert face.box == (1.0, 2.0, 3.0, 4.0)
    assert face.score == 1.0


@pytest.mark.parametrize(("score", "is_clear"), [(0.82, True), (0.78, False)])
def test_scores_are_judged_as_gray_pictures_of_people_have_them(
    score: float, is_clear: bool
) -> None:
    row = np.arange(15, dtype=np.float32) + 1.0
    row[14] = score
    assert detections_of(row[None])[0].is_clear is is_clear


@pytest.mark.parametrize("kind", [YuNet, SFace])
def test_a_file_that_is_not_known_is_refused(
    tmp_path: Path, kind: type[YuNet] | type[SFace]
) -> None:
    path = tmp_path / "model.onnx"
    with pytest.raises(FaceModelError, match="No such file"):
        kind(path)
    with pytest.raises(FaceModelError, match="Is a directory"):
        kind(tmp_path)
    networks.write_detector(path)
    with pytest.raises(FaceModelError, match=r"not face_.*model zoo: its SHA-256"):
        kind(path)
    path.write_bytes(bytes(40_000_000))
    with pytest.raises(FaceModelError, match="bytes"):
        kind(path)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(FaceModelError, match="regular file"):
        kind(path)


def _garbage(path: Path) -> networks.ModelFile:
    model = networks.write_recognizer(path)
    data = path.read_bytes()[: model.size // 2]
    path.write_bytes(data)
    return networks.model_file(path)


@pytest.mark.parametrize(
    ("kind", "write", "why"),
    [
        (YuNet, networks.write_recognizer, "cannot use"),
        (SFace, _garbage, "cannot use"),
        (SFace, lambda path: networks.write_recognizer(path, 64), "gives 64 features, not 128"),
    ],
)
def test_a_known_file_that_opencv_cannot_use_is_refused(
    tmp_path: Path,
    kind: type[YuNet] | type[SFace],
    write: Callable[[Path], networks.ModelFile],
    why: str,
) -> None:
    """As the files of another OpenCV's YuNet."""
    path = tmp_path / "model.onnx"
    with pytest.raises(FaceModelError, match=why):
        kind(path, (write(path),))


@pytest.mark.parametrize(("place", "why"), [("missing", "No such file"), ("full", "No space")])
def test_a_model_that_cannot_be_copied_for_opencv_is_refused_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, why: str
) -> None:
    path = tmp_path / "model.onnx"
    model = networks.write_detector(path)
    if place == "missing":
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    else:
        # Every write to it fails, as on a full disk.
        monkeypatch.setattr(tempfile, "NamedTemporaryFile", lambda **_: _full())
    with pytest.raises(FaceModelError, match=f"cannot be written: .*{why}"):
        YuNet(path, (model,))
    assert path.exists()


def _full() -> IO[bytes]:
    return open("/dev/full", "wb")
