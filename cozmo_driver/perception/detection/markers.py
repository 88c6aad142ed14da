"""All markers of an image: the rings of cubes with their names, and printed tags."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from ...media import CHARGER_CODE, CHARGER_MARKER_SIZE, CUBE_MARKER_SIZE
from .charger import find_charger
from .objects import TaggedObject
from .quads import Floats, Gray
from .rings import Ring, find_rings
from .tags import Tag, TagDetector
from .templates import Template, TemplateBook, cut_out, own_templates

CUBE, CHARGER = "cube", "charger"
"""The families of the cubes' markers and of the charger's."""
_SMALLEST_UNNAMED, _WHOLE_UNNAMED = 16.0, 0.96
"""Pixels, and share of a ring; print has small ones, and frames are crossed by other things."""
_SMALLEST_SHAPE, _LARGEST_SHAPE = (240, 320), (960, 1280)
_FRESH, _FRESH_EVERY = 15, 2
"""Images after a turn, in every second of which the charger is looked for: from afar one image
shows it and the next does not."""
_ROBOTS_COLOR = (240, 160)
"""Rows and columns of a colour image as the robot sends it, half as wide as it is seen."""


class ImageError(ValueError):
    """An image that cannot be looked at; the text says why."""


@dataclass(frozen=True, slots=True, eq=False)
class Marker:
    """A marker in an image."""

    family: str
    name: str | None
    """Of what carries it; None for a ring whose template is not known or not clear."""
    code: int | None
    """The marker's own number, where it is known."""
    corners: Floats
    """(4, 2) pixels: upper left, upper right, lower right, lower left as seen in the image."""
    score: float
    """0 to 1."""
    size: tuple[float, float] | None
    """Width and height, m; None for a tag that was not declared."""
    side: str = ""
    """Of a cube or box, where it is known."""
    turns: int = 0
    """Quarter turns, clockwise in the image, by which the marker is turned."""

    @property
    def pixels(self) -> float:
        """Square root of its area in the image."""
        return math.sqrt(cv2.contourArea(self.corners))

    @property
    def own_corners(self) -> Floats:
        """The corners from the marker's own upper left one, clockwise."""
        return np.roll(self.corners, -self.turns, axis=0)


class MarkerDetector:
    """Finds and names markers; holds what it knows, and nothing of the images."""

    def __init__(
        self,
        templates: Sequence[Template] = (),
        objects: Sequence[TaggedObject] = (),
        charger_every: int = 1,
        families: Iterable[str] = (),
    ) -> None:
        """Know these templates beside our own markers, and the tags of these objects.

        ``families``: of tags on no object that are looked for, too.

        The charger, which takes long, is looked for in every so many images, in all as long as it
        is in sight, and in every other one for a second after the view has changed.
        """
        self._charger_every = self._charger_due = charger_every
        self._fresh = 0
        self.has_searched_charger = False
        """In the last image."""
        self._book = TemplateBook((*templates, *own_templates()))
        self._placed = {placed.tag: (one, placed) for one in objects for placed in one.tags}
        self._tags = TagDetector([*(tag.family for tag in self._placed), *families])

    def skip(self) -> None:
        """Count an image that is not searched: the charger is due the sooner."""
        self._charger_due += 1
        self._fresh -= 1

    def on_turn(self) -> None:
        """Look for the charger more often for a second: the view has changed."""
        self._fresh = _FRESH

    def detect(self, gray: Gray, is_blurred: bool = False) -> list[Marker]:
        """Return the markers of an image of ``as_gray``, the largest first.

        ``is_blurred`` puts off the look for the charger for one period at most.
        """
        kept = [
            marker
            for ring in find_rings(gray)
            if (marker := self._named(gray, ring)).name
            or (ring.size >= _SMALLEST_UNNAMED and ring.wholeness > _WHOLE_UNNAMED)
        ]
        kept += [self._tagged(tag, corners) for tag, corners in self._tags.detect(gray)]
        kept += self._chargers(gray, kept, is_blurred)
        return sorted(kept, key=lambda one: -one.pixels)

    def _named(self, gray: Gray, ring: Ring) -> Marker:
        match = self._book.find(cut_out(gray, ring), ring.size, ring.aspect)
        size = CUBE_MARKER_SIZE, CUBE_MARKER_SIZE
        if match is None or not match.is_sure:
            score = 0.0 if match is None else max(match.score, 0.0)
            return Marker(CUBE, None, None, ring.corners, score, size)
        known = match.template
        return Marker(
            CUBE,
            known.name,
            known.code,
            ring.corners,
            match.score,
            size,
            known.side,
            match.turns,
        )

    def _chargers(self, gray: Gray, others: Sequence[Marker], is_blurred: bool) -> list[Marker]:
        """Return the charger's marker, if it is due and there is one beside the other markers."""
        self.skip()
        if is_blurred:
            self.on_turn()
        every = self._charger_every * (1 + is_blurred)
        if not is_blurred and self._fresh >= 0:
            every = min(every, _FRESH_EVERY)
        self.has_searched_charger = self._charger_due >= every
        if not self.has_searched_charger:
            return []
        self._charger_due = 0
        found = find_charger(gray)
        if found is None:
            return []
        middle = found.corners.mean(axis=0)
        if any(np.abs(one.corners.mean(axis=0) - middle).max() < one.pixels for one in others):
            return []
        self._charger_due = 2 * self._charger_every
        size = CHARGER_MARKER_SIZE
        return [Marker(CHARGER, CHARGER, CHARGER_CODE, found.corners, found.score, size)]

    def _tagged(self, tag: Tag, corners: Floats) -> Marker:
        first = int(corners.sum(axis=1).argmin())
        seen, turns = np.roll(corners, -first, axis=0), -first % 4
        if tag not in self._placed:
            return Marker(tag.family, None, tag.number, seen, 1.0, None, turns=turns)
        known, placed = self._placed[tag]
        size = placed.size, placed.size
        return Marker(tag.family, known.name, tag.number, seen, 1.0, size, placed.side, turns)


def as_gray(image: npt.NDArray[np.uint8]) -> Gray:
    """Return an image as it is looked at: gray, with square pixels.

    ``image``: uint8, gray (rows, columns) or RGB (rows, columns, 3), 320 x 240 up to 1280 x 960
    pixels in this ratio, or the robot's own 160 x 240 in colour. Raises ``ImageError``.
    """
    if image.dtype != np.uint8 or image.ndim not in (2, 3):
        raise ImageError(f"it is {image.dtype} {image.shape}: gray or RGB of 8 bits is needed")
    if image.ndim == 3:
        if image.shape[2] != 3:
            raise ImageError(f"it has {image.shape[2]} channels: gray or RGB is needed")
        image = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    rows, columns = image.shape
    if (rows, columns) == _ROBOTS_COLOR:
        rows, columns = _SMALLEST_SHAPE
        return cv2.resize(image, (columns, rows), interpolation=cv2.INTER_LINEAR)
    is_in_range = _SMALLEST_SHAPE[1] <= columns <= _LARGEST_SHAPE[1]
    if not is_in_range or abs(columns / rows - 4 / 3) > 0.02:
        raise ImageError(f"it has {columns} x {rows} pixels: 320 x 240 or 640 x 480 is needed")
    return np.ascontiguousarray(image)
