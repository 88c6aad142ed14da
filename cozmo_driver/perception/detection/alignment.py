"""Aligns a known drawing with an image of it, to a tenth of a pixel.

All of the drawing counts, not only its edge; what light and blur add is solved for beside the
corners. Inverse compositional Gauss-Newton (Baker, Matthews: Lucas-Kanade 20 years on, 2004).
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from .quads import Floats, Gray

_Doubles = npt.NDArray[np.float64]

FINE = 8
"""Pixels of a drawing for each of its cells."""
_SAMPLES = 3
"""For each cell, across."""
_BLUR = 0.8
"""Pixels of the image, standard deviation: a lens of 0.63 (spec 19), and what pixels add."""
_BLURS = 0.1
"""Cells, between two blurs for which a drawing is kept."""
_ROUNDS = 8
_CLOSE = 0.01
"""Pixels; a step so small is the last one."""
_LEAST_CONTRAST = 5.0
"""Gray levels."""
_LEAST_EXPLAINED = 0.6
"""Of the variance: 0.9 of rendered images, 0.67 where a sharp shadow of a third of the light is
across a tag of 14 pixels."""
_SQUARE = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float32)


class Drawing:
    """A square drawing, and its margin."""

    def __init__(self, picture: Floats, cells: float, margin: float, inside: float = 0.0) -> None:
        """``picture``: 0 to 1, with ``FINE`` pixels for each cell.

        Its corners are sought ``cells`` apart, and ``margin`` cells are around those. What is in
        them, in the share ``inside`` of the side, is not known, and may be anything.
        """
        self._picture, self._cells, self._inside = picture, cells, inside
        self._half = 1.0 + 2.0 * margin / cells
        self._slopes: dict[int, _Slopes] = {}

    def align(self, gray: Gray, corners: Floats) -> Floats | None:
        """Return the corners (4, 2), which may be a pixel off before; None where it is not there.

        The first one is the drawing's upper left one; clockwise.
        """
        side = float(np.sqrt(cv2.contourArea(corners)))
        cell = side / self._cells
        # Samples that are far apart would miss what is between them.
        spread = 0.4 * cell / _SAMPLES if cell > 2 * _SAMPLES else 0.0
        if spread:
            gray = cv2.GaussianBlur(gray, (0, 0), spread)
        slopes = self._slopes_for(float(np.hypot(_BLUR, spread)) / cell)
        to_image = cv2.getPerspectiveTransform(_SQUARE, corners)
        for _ in range(_ROUNDS):
            patch = slopes.sampled(gray, to_image)
            contrast, step = slopes.step(patch)
            if contrast < _LEAST_CONTRAST or not np.isfinite(step).all():
                return None
            to_image = to_image @ np.linalg.inv(np.eye(3) + step)
            if np.abs(step).max() * side / 2 < _CLOSE:
                break
        if slopes.explained(patch) < _LEAST_EXPLAINED:
            return None
        found: Floats = cv2.perspectiveTransform(_SQUARE[None], to_image)[0]
        is_near = np.abs(found - corners).max() < cell
        return found if is_near else None

    def _slopes_for(self, blur: float) -> _Slopes:
        level = round(blur / _BLURS)
        if level not in self._slopes:
            self._slopes[level] = _slopes(self._picture, self._half, level * _BLURS, self._inside)
        return self._slopes[level]


@dataclass(frozen=True, slots=True, eq=False)
class _Slopes:
    """By how much each sample of a drawing changes with what is solved for: (samples, 16)."""

    columns: _Doubles
    inverse: _Doubles
    points: Floats
    """Of the samples, in the square of -1 to 1: (samples, 1, 2)."""

    def sampled(self, gray: Gray, to_image: _Doubles) -> _Doubles:
        at = cv2.perspectiveTransform(self.points, to_image)
        levels = cv2.remap(gray, at, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return levels.ravel().astype(np.float64)

    def step(self, patch: _Doubles) -> tuple[float, _Doubles]:
        """Return the contrast, and by which homography, less the identity, the drawing is off."""
        found = self.inverse @ patch
        contrast = float(found[0])
        return contrast, np.append(found[1:9], 0.0).reshape(3, 3) / max(contrast, 1e-9)

    def explained(self, patch: _Doubles) -> float:
        """Return the share of the variance that is as it should be."""
        rest = patch - self.columns @ (self.inverse @ patch)
        return 1.0 - float(rest.var() / max(patch.var(), 1e-9))


def _slopes(picture: Floats, half: float, blur: float, inside: float) -> _Slopes:
    count = len(picture) * _SAMPLES // FINE
    if blur > 0.0:
        picture = cv2.GaussianBlur(picture, (0, 0), blur * FINE, borderType=cv2.BORDER_REPLICATE)
    pixel = 2.0 * half / len(picture)
    down, across = np.gradient(picture, pixel)
    images = (
        picture,
        across,
        down,
        np.gradient(across, pixel, axis=1),
        np.gradient(down, pixel, axis=0),
    )
    places = ((np.arange(count) + 0.5) / count * len(picture) - 0.5).astype(np.float32)
    columns, rows = np.meshgrid(places, places)
    tone, across, down, *bends = (
        cv2.remap(image.astype(np.float32), columns, rows, cv2.INTER_LINEAR).ravel()
        for image in images
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
    is_known = np.maximum(np.abs(u), np.abs(v)) >= inside
    made = np.column_stack(solved_for)[is_known].astype(np.float64)
    points = np.column_stack((u, v))[is_known, None].astype(np.float32)
    return _Slopes(made, np.asarray(np.linalg.pinv(made)), points)
