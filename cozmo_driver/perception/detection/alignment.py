"""Aligns the template of a tag with an image of it, to a tenth of a pixel.

All of the template counts, not only its edge; what light and blur add is solved for beside the
corners. Inverse compositional Gauss-Newton (Baker, Matthews: Lucas-Kanade 20 years on, 2004).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np

from .quads import Floats, Gray

FINE = 8
"""Pixels of a template for each of its cells."""
_SAMPLES = 3
"""For each cell, across."""
_BLUR = 0.8
"""Pixels of the image, standard deviation: a lens of 0.63 (spec 19), and what pixels add."""
_BLURS = 0.1
"""Cells, between two blurs for which a template is kept."""
_KEPT = 64
"""Templates with their blurs, 100 kB each."""
_ROUNDS = 8
_CLOSE = 0.01
"""Pixels; a step so small is the last one."""
_LARGEST = 0.3
"""Half sides; a larger step leads nowhere."""
_LEAST_CONTRAST = 5.0
"""Gray levels between paper and ink: those of real rings in dim rooms are 8 to 25 (spec 19)."""
_LEAST_EXPLAINED = 0.6
"""Of the variance: 0.9 of rendered images, 0.67 where a sharp shadow of a third of the light is
across a tag of 14 pixels."""
_SQUARE = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float32)


class TagTemplate:
    """A square with what is in it, and its margin."""

    def __init__(self, image: Floats, cells: int, margin: float) -> None:
        """``image``: 0 to 1, with ``FINE`` pixels for each cell.

        Its corners are sought ``cells`` apart, and ``margin`` cells are around those.
        """
        self.image = image
        self.half = 1.0 + 2.0 * margin / cells
        """Half the image's side, in those of the square."""
        self._cells = cells

    def align(self, gray: Gray, corners: Floats) -> Floats | None:
        """Return the corners (4, 2), which may be a pixel off before; None where it is not there.

        The first one is the template's upper left one; clockwise.
        """
        side = float(np.sqrt(cv2.contourArea(corners)))
        cell = side / self._cells
        # Samples that are far apart would miss what is between them.
        spread = 0.4 * cell / _SAMPLES if cell > 2 * _SAMPLES else 0.0
        if spread:
            gray = cv2.GaussianBlur(gray, (0, 0), spread)
        slopes = _slopes(self, round(float(np.hypot(_BLUR, spread)) / cell / _BLURS))
        to_image = cv2.getPerspectiveTransform(_SQUARE, corners)
        for _ in range(_ROUNDS):
            patch = slopes.sampled(gray, to_image)
            contrast, step = slopes.step(patch)
            if contrast < _LEAST_CONTRAST or not np.abs(step).max() < _LARGEST:
                return None
            to_image = to_image @ np.linalg.inv(np.eye(3) + step)
            if np.abs(step).max() * side / 2 < _CLOSE:
                break
        if slopes.explained(patch) < _LEAST_EXPLAINED:
            return None
        found: Floats = cv2.perspectiveTransform(_SQUARE[None], to_image)[0]
        is_near = np.abs(found - corners).max() < cell
        return found if is_near else None


@dataclass(frozen=True, slots=True, eq=False)
class _Slopes:
    """By how much each sample of a template changes with what is solved for: (samples, 16)."""

    columns: Floats
    inverse: Floats
    points: Floats
    """Of the samples, in the square of -1 to 1: (samples, 1, 2)."""

    def sampled(self, gray: Gray, to_image: Floats) -> Floats:
        at = cv2.perspectiveTransform(self.points, to_image)
        levels = cv2.remap(gray, at, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return levels.ravel().astype(np.float32)

    def step(self, patch: Floats) -> tuple[float, Floats]:
        """Return the contrast, and by which homography, less the identity, the template is off."""
        found = self.inverse @ patch
        contrast = float(found[0])
        step = np.append(found[1:9], 0.0).reshape(3, 3) / max(contrast, 1e-9)
        return contrast, step.astype(np.float32)

    def explained(self, patch: Floats) -> float:
        """Return the share of the variance that is as it should be."""
        rest = patch - self.columns @ (self.inverse @ patch)
        return 1.0 - float(rest.var() / max(patch.var(), 1e-9))


@lru_cache(maxsize=_KEPT)
def _slopes(template: TagTemplate, blurs: int) -> _Slopes:
    image, half = template.image, template.half
    count = len(image) * _SAMPLES // FINE
    if blurs:
        blur = blurs * _BLURS * FINE
        image = cv2.GaussianBlur(image, (0, 0), blur, borderType=cv2.BORDER_REPLICATE)
    pixel = 2.0 * half / len(image)
    down, across = np.gradient(image, pixel)
    derivatives = (
        image,
        across,
        down,
        np.gradient(across, pixel, axis=1),
        np.gradient(down, pixel, axis=0),
    )
    places = ((np.arange(count) + 0.5) / count * len(image) - 0.5).astype(np.float32)
    columns, rows = np.meshgrid(places, places)
    tone, across, down, *bends = (
        cv2.remap(one.astype(np.float32), columns, rows, cv2.INTER_LINEAR).ravel()
        for one in derivatives
    )
    u, v = ((at.ravel() + np.float32(0.5)) * np.float32(pixel) - half for at in (columns, rows))
    one, away = np.ones_like(u), across * u + down * v
    solved_for = [
        tone,
        # The homography's, row by row.
        *(across * u, across * v, across),
        *(down * u, down * v, down),
        *(-away * u, -away * v),
        # Light that is uneven, and black that is none.
        *(tone * u, tone * v, one, u, v),
        # More blur or less, along and down.
        *bends,
    ]
    made = np.column_stack(solved_for).astype(np.float64)
    inverse = np.linalg.pinv(made).astype(np.float32)
    points = np.column_stack((u, v))[:, None].astype(np.float32)
    return _Slopes(made.astype(np.float32), inverse, points)
