"""What is drawn inside a ring, named by comparison with templates that were seen before.

Both are brought to the blur of the smaller ring, freed of shadows, and correlated in four turns and
some small shifts. A template has a name only if it resembles none of another name nearly as well.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ...media import CUBE_CODES, cube_and_side, draw_marker
from .quads import Floats, Gray
from .rings import Ring

PIXELS = 48
"""Of a template, across."""
_FIELD = (0.11, 0.89)
"""Where it is cut out, in sides of the ring."""
_POINTS = 16
"""Across, at which templates are compared."""
_SHIFT = 2
"""Of these; by so many it may be off, because its ring was measured badly."""
_SPREAD = 1.0
"""Pixels of the image over which the camera blurs an edge."""
_SIZES = (16.0, 20.0, 26.0, 34.0, 46.0, 64.0, 90.0)
"""Of rings, for which templates are kept, blurred as those are."""
_BROAD = 2.7
"""Points; shadows and highlights broader than this do not count."""
_LEAST_SCORE, _LEAST_SCORE_OWN = 0.64, 0.80
_CLEAR_MARGIN, _LEAST_MARGIN, _RATIO, _RATIO_ASIDE = 0.27, 0.05, 2.2, 1.9
"""Between the scores of the best name and of the next one. Small templates are all alike: with less
of a margin what the score lacks of 1 must be less than what the next one lacks by this factor.
Seen from aside what is right lacks more; of real cubes 1.8 named one wrongly, 1.9 none."""
_ASIDE = 1.4
"""Ratio of a ring's sides, 45 degrees."""


@dataclass(frozen=True, slots=True, eq=False)
class Template:
    """The inside of a ring as it was seen: 0 as dark as the ring, 255 as light as around it."""

    name: str
    """Of what carries it."""
    pixels: Gray
    """(48, 48)."""
    size: float
    """Of the ring in the image, pixels."""
    side: str = ""
    code: int | None = None
    is_own: bool = False
    """Drawn by this package and therefore known to every point."""


@dataclass(frozen=True, slots=True)
class Match:
    """The template that is most like what is inside a ring."""

    template: Template
    turns: int
    """Quarter turns, clockwise in the image, from the template to what is seen."""
    score: float
    """Correlation, -1 to 1."""
    other: float
    """The best score of another name."""
    is_aside: bool = False
    """The ring is seen from 45 degrees aside or more."""

    @property
    def is_sure(self) -> bool:
        margin = self.score - self.other
        if self.score < (_LEAST_SCORE_OWN if self.template.is_own else _LEAST_SCORE):
            return False
        ratio = _RATIO_ASIDE if self.is_aside else _RATIO
        is_nearer = 1.0 - self.other >= ratio * (1.0 - self.score)
        return margin >= _CLEAR_MARGIN or (margin >= _LEAST_MARGIN and is_nearer)


def cut_out(gray: Gray, ring: Ring) -> Gray:
    """Return the inside of a ring, squarely, (48, 48)."""
    fine = PIXELS if ring.size < PIXELS else 2 * PIXELS
    whole = fine / (_FIELD[1] - _FIELD[0])
    corners = np.array([[0, 0], [whole, 0], [whole, whole], [0, whole]], np.float32)
    corners -= np.float32(_FIELD[0] * whole + 0.5)
    matrix = cv2.getPerspectiveTransform(ring.corners, corners)
    patch = cv2.warpPerspective(gray, matrix, (fine, fine), flags=cv2.INTER_LINEAR)
    if fine > PIXELS:
        patch = cv2.resize(patch, (PIXELS, PIXELS), interpolation=cv2.INTER_AREA)
    few = patch.size * 3 // 100
    ordered = np.partition(patch, (few, -few - 1), axis=None)
    dark, light = float(ordered[few]), float(ordered[-few - 1])
    stretched = (patch.astype(np.float32) - dark) * (255.0 / max(light - dark, 1.0))
    return np.clip(stretched, 0, 255).astype(np.uint8)


@lru_cache(maxsize=1)
def own_templates() -> tuple[Template, ...]:
    """Return our own markers for the cubes."""
    templates = []
    for code in CUBE_CODES:
        cube, side = cube_and_side(code)
        marker = draw_marker(code, 400)
        low, high = (round(edge * 400) for edge in _FIELD)
        pixels = cv2.resize(
            marker[low:high, low:high], (PIXELS, PIXELS), interpolation=cv2.INTER_AREA
        )
        templates.append(Template(f"cube_{cube}", pixels, 400.0, side, code, is_own=True))
    return tuple(templates)


class TemplateBook:
    """Templates with their names."""

    def __init__(self, templates: Sequence[Template]) -> None:
        self.templates = tuple(templates)
        self._pages: dict[int, list[_Page]] = {}

    def find(self, template: Gray, size: float, aspect: float = 1.0) -> Match | None:
        """Return what a template of ``cut_out`` is most like.

        Its ring is ``size`` pixels large, and its sides differ by the factor ``aspect``.
        """
        level = _level_of(size)
        found: dict[str, tuple[float, int, int]] = {}
        for page in self._pages_for(level):
            pixels = (
                template if page.level == level else _blurred(template, size, _SIZES[page.level])
            )
            views = _shifted(_features(pixels))
            # In half the time of OpenCV's gemm, and without the threads of matmul.
            scores = np.einsum("ik,jk->ij", views, page.features).max(axis=0)
            for (index, turns), score in zip(page.rows, scores.tolist(), strict=True):
                name = self.templates[index].name
                if name not in found or score > found[name][0]:
                    found[name] = score, index, turns
        if not found:
            return None
        ranked = sorted(found.values(), reverse=True)
        score, index, turns = ranked[0]
        other = ranked[1][0] if len(ranked) > 1 else -1.0
        return Match(self.templates[index], turns, score, other, aspect > _ASIDE)

    def _pages_for(self, level: int) -> list[_Page]:
        if level not in self._pages:
            levels = [min(level, _level_of(template.size)) for template in self.templates]
            self._pages[level] = [
                self._page(at, [i for i, of in enumerate(levels) if of == at])
                for at in sorted(set(levels))
            ]
        return self._pages[level]

    def _page(self, level: int, indices: list[int]) -> _Page:
        rows, features = [], []
        for index in indices:
            template = self.templates[index]
            seen = _features(_blurred(template.pixels, template.size, _SIZES[level]))
            for turns in range(4):
                rows.append((index, turns))
                features.append(_unit(_middle(np.rot90(seen, -turns))))
        return _Page(level, rows, np.array(features, np.float32))


@dataclass(frozen=True, slots=True)
class _Page:
    """Templates as they look in rings of one size."""

    level: int
    rows: list[tuple[int, int]]
    """Index and quarter turns of each."""
    features: Floats


def _level_of(size: float) -> int:
    return min(range(len(_SIZES)), key=lambda i: abs(math.log(_SIZES[i] / size)))


def _blurred(pixels: Gray, size: float, wanted: float) -> Gray:
    """Return a template from a ring of one size as it would look in a smaller one."""
    of_pixel = _SPREAD * PIXELS / (_FIELD[1] - _FIELD[0])
    variance = (of_pixel / wanted) ** 2 - (of_pixel / size) ** 2
    return cv2.GaussianBlur(pixels, (0, 0), math.sqrt(variance)) if variance > 0.05 else pixels


def _features(pixels: Gray) -> Floats:
    small = cv2.resize(pixels, (_POINTS, _POINTS), interpolation=cv2.INTER_AREA).astype(np.float32)
    return small - cv2.GaussianBlur(small, (0, 0), _BROAD)


def _middle(features: Floats) -> Floats:
    return features[_SHIFT:-_SHIFT, _SHIFT:-_SHIFT].ravel()


def _shifted(features: Floats) -> Floats:
    size = _POINTS - 2 * _SHIFT
    return _unit(sliding_window_view(features, (size, size)).reshape(-1, size * size))


def _unit(rows: Floats) -> Floats:
    centered = rows - rows.mean(axis=-1, keepdims=True)
    lengths = np.sqrt(np.einsum("...k,...k->...", centered, centered))
    unit: Floats = centered / np.maximum(lengths, 1e-3)[..., None]
    return unit
