"""AprilTag and ArUco tags, by OpenCV."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import cv2

from .quads import Floats, Gray

FAMILIES = {
    **{f"{bits}": f"DICT_APRILTAG_{bits}" for bits in ("16h5", "25h9", "36h10", "36h11")},
    **{
        f"{cells}x{cells}_{count}": f"DICT_{cells}X{cells}_{count}"
        for cells in (4, 5, 6, 7)
        for count in (50, 100, 250, 1000)
    },
}
"""Names here and in OpenCV: AprilTags by their bits and distance, ArUco by cells and number."""
_TAG = re.compile(r"(?:tag)?([0-9a-z_]+):([0-9]{1,4})", re.IGNORECASE)
_WINDOWS = (5, 25, 10)
"""Pixels around which light is averaged: first, last, step."""
_ARUCO: Any = cv2.aruco
_NEW = hasattr(_ARUCO, "ArucoDetector")
"""Whether OpenCV is 4.7 or later, whose interface differs."""


class TagError(ValueError):
    """A tag that does not exist; the text says why."""


@dataclass(frozen=True, slots=True)
class Tag:
    """One tag of a family; its text is as in ``36h11:5``."""

    family: str
    number: int

    def __str__(self) -> str:
        return f"{self.family}:{self.number}"


def parse_tag(text: str) -> Tag:
    """Return a tag from ``36h11:5``. Raises ``TagError``."""
    match = _TAG.fullmatch(text.strip())
    family = match[1].lower() if match else ""
    if match is None or family not in FAMILIES:
        known = ", ".join(FAMILIES)
        raise TagError(f"{text[:40]!r} is no tag like 36h11:5; the families are {known}")
    count = len(_dictionary(family).bytesList)
    if int(match[2]) >= count:
        raise TagError(f"{family} has the tags 0 to {count - 1}, not {match[2]}")
    return Tag(family, int(match[2]))


def draw_tag(tag: Tag, pixels: int) -> Gray:
    """Return a tag up to the outer edge of its black border, 0 and 255."""
    dictionary = _dictionary(tag.family)
    # Whole pixels for each cell, so that the cells are of one size.
    cells = dictionary.markerSize + 2
    fine = cells * max(1, pixels // cells)
    if _NEW:
        image = _ARUCO.generateImageMarker(dictionary, tag.number, fine, borderBits=1)
    else:
        image = _ARUCO.drawMarker(dictionary, tag.number, fine, borderBits=1)
    return cv2.resize(image, (pixels, pixels), interpolation=cv2.INTER_NEAREST)


class TagDetector:
    """Finds the tags of some families."""

    def __init__(self, families: Iterable[str], landmarks: Iterable[str] = ()) -> None:
        """``landmarks``: families of tags with much white around them, on no object.

        Lines along their edges are better known than single corners: 0.4 pixels instead of 0.55 in
        rendered images. On a small box they put it 2 to 4 % too far away.
        """
        on_objects = frozenset(families)
        self._families = sorted(on_objects.union(landmarks))
        self._dictionaries = [_dictionary(family) for family in self._families]
        self._parameters = [
            _parameters(
                _ARUCO.CORNER_REFINE_SUBPIX
                if family in on_objects
                else _ARUCO.CORNER_REFINE_CONTOUR
            )
            for family in self._families
        ]

    def detect(self, gray: Gray) -> list[tuple[Tag, Floats]]:
        """Return tags with their corners (4, 2), from the tag's own upper left one clockwise."""
        found = []
        for family, dictionary, parameters in zip(
            self._families, self._dictionaries, self._parameters, strict=True
        ):
            if _NEW:
                detector = _ARUCO.ArucoDetector(dictionary, parameters)
                corners, numbers, _ = detector.detectMarkers(gray)
            else:
                corners, numbers, _ = _ARUCO.detectMarkers(gray, dictionary, parameters=parameters)
            if numbers is not None:
                tags = (Tag(family, int(number)) for number in numbers.ravel())
                found += [(tag, c[0]) for tag, c in zip(tags, corners, strict=True)]
        return found


def _dictionary(family: str) -> Any:
    number = getattr(_ARUCO, FAMILIES[family])
    if _NEW:
        return _ARUCO.getPredefinedDictionary(number)
    return _ARUCO.Dictionary_get(number)


def _parameters(refinement: int) -> Any:
    made = _ARUCO.DetectorParameters() if _NEW else _ARUCO.DetectorParameters_create()
    first, last, step = _WINDOWS
    made.adaptiveThreshWinSizeMin = first
    made.adaptiveThreshWinSizeMax = last
    made.adaptiveThreshWinSizeStep = step
    made.minMarkerPerimeterRate = 0.12
    made.cornerRefinementMethod = refinement
    made.cornerRefinementWinSize = 3
    # A wrong tag is worse than none.
    made.errorCorrectionRate = 0.4
    return made
