"""Faces of people in an image, and how far away they are (spec 15 §6)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import cv2
import numpy as np
import numpy.typing as npt

from .camera import Camera, Floats
from .quads import Gray

EYE_DISTANCE = 0.062
"""m between the eyes of a person."""
LEAST_EYE_GAP = 6.0
"""Pixels between eyes below which a distance is not worth its name."""

_SMALLEST = 34
"""Pixels of a face, 1.2 m away."""
_STEP = 1.2
_CLEAR, _FAINT = 6, 3
"""Windows of the cascade that have to agree on a face that is new, or followed."""
_EYES_WIDTH = 140
"""Pixels to which a face is scaled to look for its eyes."""
_EYE_SIZES = (18, 56)
_EYE_GAPS = (0.3, 0.6)
"""In widths of the face; what is nearer or farther apart are no two eyes."""
_STEEPEST = 0.5
_FOLDERS = ("/usr/share/opencv4/haarcascades", "/usr/share/opencv/haarcascades")
"""Of Debian's and Ubuntu's package opencv-data."""


class FaceModelError(ValueError):
    """A detector or recogniser that cannot be used; the text says why, and what to do."""


@dataclass(frozen=True, slots=True, eq=False)
class FaceDetection:
    """A face in an image."""

    box: tuple[float, float, float, float]
    """Left and upper edge, width and height; pixels."""
    score: float
    """0 to 1."""
    is_clear: bool
    """Enough to begin following it; a face that is followed may be fainter."""
    eyes: Floats | None = None
    """(2, 2) pixels, where they were found."""
    landmarks: npt.NDArray[np.float32] | None = None
    """(15,), as ``cv2.FaceDetectorYN`` gives a face; what a recogniser aligns it by."""

    @property
    def estimated_eyes(self) -> Floats:
        """Return the eyes (2, 2), where they are in most faces if they were not found."""
        if self.eyes is not None:
            return self.eyes
        left, top, width, height = self.box
        row, middle, half_gap = top + 0.38 * height, left + 0.5 * width, 0.18 * width
        return np.array([[middle - half_gap, row], [middle + half_gap, row]])

    @property
    def roll(self) -> float:
        """Return how far it leans to the image's right, rad; NaN without eyes."""
        if self.eyes is None:
            return math.nan
        x, y = self.eyes[1] - self.eyes[0]
        return math.atan2(float(y), float(x))

    @property
    def eye_gap(self) -> float:
        """Pixels."""
        first, second = self.estimated_eyes
        return float(np.hypot(*(second - first)))


class Detector(Protocol):
    """Finds faces in a gray image: rows x columns, uint8.

    One of pets' faces would have the same form. None is included: no free model is good enough.
    """

    def detect(self, gray: Gray) -> list[FaceDetection]:
        """Return the faces, in any order."""


class CascadeDetector:
    """OpenCV's own cascades for faces from the front and for eyes; nothing to download."""

    def __init__(self) -> None:
        """Raise ``FaceModelError`` where OpenCV came without them."""
        self._faces = _cascade("haarcascade_frontalface_alt2.xml")
        self._eyes = _cascade("haarcascade_eye.xml")

    def detect(self, gray: Gray) -> list[FaceDetection]:
        """Return the faces upright to some 20 degrees; a pair of eyes in each where it is found."""
        # Larger images have no more to say at the distances that count.
        scale = max(1.0, gray.shape[1] / 320)
        small = gray if scale == 1.0 else _resized(gray, 1.0 / scale)
        smallest = (_SMALLEST, _SMALLEST)
        boxes, counts = self._faces.detectMultiScale2(small, _STEP, _FAINT, minSize=smallest)
        found = []
        for box, count in zip(boxes, np.ravel(counts), strict=True):
            left, top, width, height = (float(value) for value in box * scale)
            found.append(
                FaceDetection(
                    (left, top, width, height),
                    float(count / (count + _FAINT)),
                    bool(count >= _CLEAR),
                    self._eyes_in(gray, left, top, width, height),
                )
            )
        return found

    def _eyes_in(
        self, gray: Gray, left: float, top: float, width: float, height: float
    ) -> Floats | None:
        """Return the pair of eyes in a box, or None."""
        # Eyes are in the upper half, below the forehead.
        first, row = int(left), int(top + 0.15 * height)
        part = gray[row : int(top + 0.6 * height), first : int(left + width)]
        scale = _EYES_WIDTH / part.shape[1]
        smallest, largest = ((size, size) for size in _EYE_SIZES)
        eyes = self._eyes.detectMultiScale(
            _resized(part, scale), 1.1, 3, minSize=smallest, maxSize=largest
        )
        middles = sorted(
            (first + (x + w / 2) / scale, row + (y + h / 2) / scale) for x, y, w, h in eyes
        )
        pairs = [
            np.array([one, other])
            for index, one in enumerate(middles)
            for other in middles[index + 1 :]
            if _EYE_GAPS[0] * width <= other[0] - one[0] <= _EYE_GAPS[1] * width
            and abs(other[1] - one[1]) <= _STEEPEST * (other[0] - one[0])
        ]
        center = left + width / 2
        return min(pairs, key=lambda pair: abs(pair[:, 0].mean() - center), default=None)


def place_of(face: FaceDetection, camera: Camera) -> Floats | None:
    """Return the point between a face's eyes in the optical frame (3,), m; None if too small."""
    if not face.eye_gap >= LEAST_EYE_GAP:
        return None
    first, second = camera.directions(face.estimated_eyes)
    depth = EYE_DISTANCE / float(np.hypot(*(second - first)))
    return np.array([*((first + second) / 2 * depth), depth])


def _cascade(name: str) -> cv2.CascadeClassifier:
    if not hasattr(cv2, "CascadeClassifier"):
        raise FaceModelError(
            f"OpenCV {cv2.__version__} has no cascades: use OpenCV 4, or YuNet's file"
        )
    # Debian's OpenCV has no folder of its own.
    own = getattr(getattr(cv2, "data", None), "haarcascades", "")
    for folder in filter(None, (own, *_FOLDERS)):
        file = Path(folder) / name
        if file.is_file():
            cascade = cv2.CascadeClassifier(str(file))
            if not cascade.empty():
                return cascade
            raise FaceModelError(f"{file} is damaged: install OpenCV again")
    raise FaceModelError(
        f"OpenCV came without {name}: run `sudo apt-get install opencv-data`, or use YuNet's file"
    )


def _resized(gray: Gray, scale: float) -> Gray:
    how = cv2.INTER_AREA if scale < 1.0 else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(gray, None, fx=scale, fy=scale, interpolation=how), np.uint8)
