"""AprilTag and ArUco tags: found by OpenCV, and their corners by aligning all of the tag.

In rendered images corners are 0.16 pixels off then, and what all four share is 0.07; of OpenCV's
own refinements, which know only the outer edge, the better one errs by 0.33 and 0.4. Drawn tags of
16 pixels err by 0.04 pixels, 0.08 with three times the noise of real images, 0.13 in a quarter of
the light.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import cv2
import numpy as np

from .alignment import FINE, TagTemplate
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
_MARGIN = 0.75
"""Cells of white around a tag that count: it has one at least. With 0.4 of them corners err by
15 % more."""
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

    def __init__(self, families: Iterable[str]) -> None:
        self._families = sorted(frozenset(families))
        self._dictionaries = [_dictionary(family) for family in self._families]
        self._parameters = _parameters()

    def detect(self, gray: Gray) -> list[tuple[Tag, Floats]]:
        """Return tags with their corners (4, 2), from the tag's own upper left one clockwise."""
        found = []
        for family, dictionary in zip(self._families, self._dictionaries, strict=True):
            if _NEW:
                detector = _ARUCO.ArucoDetector(dictionary, self._parameters)
                corners, numbers, _ = detector.detectMarkers(gray)
            else:
                corners, numbers, _ = _ARUCO.detectMarkers(
                    gray, dictionary, parameters=self._parameters
                )
            for number, seen in zip(numbers.ravel() if corners else (), corners, strict=True):
                tag = Tag(family, int(number))
                aligned = template_of(tag).align(gray, seen[0])
                if aligned is not None:
                    found.append((tag, aligned))
        return found


@lru_cache(maxsize=256)
def template_of(tag: Tag) -> TagTemplate:
    """Return what to align with an image of a tag."""
    cells = _dictionary(tag.family).markerSize + 2
    margin = round(_MARGIN * FINE)
    image = np.pad(draw_tag(tag, cells * FINE), margin, constant_values=255)
    return TagTemplate((image / 255).astype(np.float32), cells, margin / FINE)


def _dictionary(family: str) -> Any:
    number = getattr(_ARUCO, FAMILIES[family])
    if _NEW:
        return _ARUCO.getPredefinedDictionary(number)
    return _ARUCO.Dictionary_get(number)


def _parameters() -> Any:
    made = _ARUCO.DetectorParameters() if _NEW else _ARUCO.DetectorParameters_create()
    first, last, step = _WINDOWS
    made.adaptiveThreshWinSizeMin = first
    made.adaptiveThreshWinSizeMax = last
    made.adaptiveThreshWinSizeStep = step
    made.minMarkerPerimeterRate = 0.12
    # A wrong tag is worse than none.
    made.errorCorrectionRate = 0.4
    return made
