"""Faces found by YuNet and recognised by SFace, from files of the user (spec 15 §6).

A network's file is a program to OpenCV, so only known ones are loaded.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

import cv2
import numpy as np
import numpy.typing as npt

from ...whole_files import read_whole
from .faces import FaceDetection, FaceModelError
from .quads import Gray

Features = npt.NDArray[np.float32]

FEATURES = 128
SAME_PERSON = 0.363
"""Cosine of the features of two images from which they show the same person."""


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A file of OpenCV's model zoo (github.com/opencv/opencv_zoo)."""

    name: str
    sha256: str
    size: int
    versions: str
    """Of OpenCV that can use it."""


YUNET_FILES = (
    ModelFile(
        "face_detection_yunet_2023mar.onnx",
        "8f2383e4dd3cfbb4553ea8718107fc0423210dc964f9f4280604804ed2552fa4",
        232_589,
        "4.8 or later",
    ),
    ModelFile(
        "face_detection_yunet_2022mar.onnx",
        "50ef07f702a31741ca46a4c0d947773b64143b9362780237bf0d427d6c79bab7",
        345_478,
        "4.5.4 to 4.7",
    ),
)
SFACE_FILES = (
    ModelFile(
        "face_recognition_sface_2021dec.onnx",
        "0ba9fbfa01b5270c96627c4ef784da859931e02f04419c829e83484087c34e79",
        38_696_353,
        "4.5.4 or later",
    ),
)

_CLEAR, _FAINT = 0.8, 0.6
"""Scores of a face that is new, and of one that is followed. Gray, noisy images of people score
lower than the colour photographs that are usually cut at 0.9."""
_OVERLAP, _MOST = 0.3, 5000
_SIZE = (320, 240)
_COLUMNS = 15
"""Box, five points and score of a face."""
_Made = TypeVar("_Made")


class Recognizer(Protocol):
    """Makes features of faces: those of one person resemble each other."""

    def features(self, gray: Gray, face: FaceDetection) -> Features | None:
        """Return a unit vector, or None for a face without landmarks."""


class YuNet:
    """Finds faces by YuNet; better and faster than cascades, and with landmarks."""

    def __init__(self, path: Path, known: tuple[ModelFile, ...] = YUNET_FILES) -> None:
        """Raise ``FaceModelError`` for a file that is not known or not usable."""
        blank = np.zeros((_SIZE[1], _SIZE[0], 3), np.uint8)

        def make(file: str) -> Any:
            detector = cv2.FaceDetectorYN.create(file, "", _SIZE, _FAINT, _OVERLAP, _MOST)
            faces = detector.detect(blank)[1]
            if faces is not None and faces.shape[1:] != (_COLUMNS,):
                raise FaceModelError(f"it gives faces of {faces.shape[1:]} numbers, not {_COLUMNS}")
            return detector

        self._detector = _load(path, known, make)

    def detect(self, gray: Gray) -> list[FaceDetection]:
        self._detector.setInputSize(gray.shape[::-1])
        faces = self._detector.detect(cv2.cvtColor(gray, cv2.COLOR_GRAY2BGR))[1]
        return [] if faces is None else detections_of(faces)


class SFace:
    """Makes 128 numbers of a face."""

    def __init__(self, path: Path, known: tuple[ModelFile, ...] = SFACE_FILES) -> None:
        """Raise ``FaceModelError`` for a file that is not known or not usable."""
        blank = np.zeros((112, 112, 3), np.uint8)

        def make(file: str) -> Any:
            recognizer = cv2.FaceRecognizerSF.create(file, "")
            count = recognizer.feature(blank).size
            if count != FEATURES:
                raise FaceModelError(f"it gives {count} features, not {FEATURES}")
            return recognizer

        self._recognizer = _load(path, known, make)

    def features(self, gray: Gray, face: FaceDetection) -> Features | None:
        if face.landmarks is None:
            return None
        image = cv2.cvtColor(gray, cv2.COLOR_GRAY2BGR)
        aligned = self._recognizer.alignCrop(image, face.landmarks)
        features: Features = self._recognizer.feature(aligned).ravel().astype(np.float32)
        length = float(np.linalg.norm(features))
        return features / length if np.isfinite(length) and length > 0.0 else None


def detections_of(faces: npt.NDArray[np.float32]) -> list[FaceDetection]:
    """Return what the rows of ``cv2.FaceDetectorYN.detect`` mean, (n, 15).

    Box; right eye, left eye, nose and corners of the mouth; score.
    """
    return [
        FaceDetection(
            (float(row[0]), float(row[1]), float(row[2]), float(row[3])),
            min(float(row[-1]), 1.0),
            bool(row[-1] >= _CLEAR),
            row[4:8].reshape(2, 2).astype(np.float64),
            row,
        )
        for row in faces
        if np.isfinite(row).all() and row[2] > 0.0 and row[3] > 0.0
    ]


def _load(path: Path, known: tuple[ModelFile, ...], make: Callable[[str], _Made]) -> _Made:
    """Return what is made of a file that is one of the known ones."""
    names = " or ".join(file.name for file in known)
    try:
        data = read_whole(path, max(file.size for file in known))
    except OSError as error:
        raise FaceModelError(
            f"cannot read {path}: {error.strerror}; it should be {names}"
        ) from None
    digest = hashlib.sha256(data).hexdigest()
    model = next((file for file in known if file.sha256 == digest), None)
    if model is None:
        raise FaceModelError(
            f"{path} is not {names} of OpenCV's model zoo: its SHA-256 is {digest[:16]}..."
        )
    # What was checked is what is loaded, whatever happens to the user's file meanwhile.
    try:
        with tempfile.NamedTemporaryFile(suffix=".onnx") as checked:
            checked.write(data)
            checked.flush()
            return make(checked.name)
    except (AttributeError, cv2.error) as error:
        raise FaceModelError(
            f"OpenCV {cv2.__version__} cannot use {path}, it needs {model.versions}: "
            f"{str(error).splitlines()[0][:200]}"
        ) from None
    except FaceModelError as error:
        raise FaceModelError(f"{path} cannot be used: {error}") from None
    except OSError as error:
        raise FaceModelError(
            f"{path} cannot be loaded: its copy for OpenCV cannot be written: {error}"
        ) from None
