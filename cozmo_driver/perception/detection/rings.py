"""Square dark rings around templates, as cubes carry them: where they are, to parts of a pixel.

The ring's middle line is measured across the sides of what could be one: blur and exposure move a
thin ring's edges, not its middle (spec 15 §2, 19).
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from .outlines import SMALLEST, outline_quads
from .quads import (
    Floats,
    Gray,
    from_upper_left,
    homographies,
    mapped_points,
    sampled,
    side_lengths,
    signed_areas,
)

RING = 0.095
"""Thickness of the ring, in sides of its outer edge."""
_MARGIN = 1.0
"""Pixels between a whole ring and the image's border; column 0 is noise."""
_ROUNDS = 2, 1
"""Of which points along a side each round measures every so manieth."""
_MOST_OPPOSITE, _MOST_ASPECT, _MOST_ASPECT_SMALL = 1.6, 2.8, 1.6
"""Ratios of the sides of a square seen from 60 mm, and 65 degrees aside; of a small one, 45."""
_NARROW = 20.0
"""Longer side of a small ring, pixels."""
_LEAST_WHOLE = 0.75
"""Something may hide a corner of it: then its template says whether it is one."""
_LEAST_ROUND = 0.42
"""Of the light beside a ring in its cut off corners; real ones in dim rooms have 0.51."""
_BRIGHTEST = 245.0
_BEND = 0.006, 0.4
"""Most of a straight side, in sides and pixels; in grain the darkest pixels are anywhere."""
_UNIT = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)

_ALONG = np.linspace(0.18, 0.82, 16, dtype=np.float32)
"""Where on each side the ring is measured."""
_ACROSS = np.linspace(-0.11, 0.21, 27, dtype=np.float32)
"""Where across it, inwards from the outer edge; in sides."""
_STEP = float(_ACROSS[1] - _ACROSS[0])


def _between(low: float, high: float) -> slice:
    """Return which points across a side are there."""
    return slice(*np.searchsorted(_ACROSS, (low, high)).tolist())


_OUTSIDE, _ON, _GAP, _INSIDE = (
    _between(*ends) for ends in ((-1.0, -0.02), (-0.02, 0.115), (0.13, 0.19), (0.115, 1.0))
)


@dataclass(frozen=True, slots=True, eq=False)
class Ring:
    """A ring in an image."""

    corners: Floats
    """Of the outer edge as if it had no round corners, (4, 2) pixels: upper left, upper right,
    lower right, lower left as seen in the image."""
    contrast: float
    """Gray levels between the ring and what is around it."""
    wholeness: float
    """Share of it that is dark, from 0.75."""

    @property
    def size(self) -> float:
        """Square root of the area, pixels."""
        return float(np.sqrt(cv2.contourArea(self.corners)))

    @property
    def aspect(self) -> float:
        """Of its sides, the longer pair by the shorter one."""
        return float(_aspects(side_lengths(self.corners[None]))[0])


def find_rings(gray: Gray) -> list[Ring]:
    """Return the whole rings of an image, the largest first."""
    quads = _plausible(gray, outline_quads(gray))
    for every in _ROUNDS:
        if len(quads) == 0:
            return []
        quads, profiles = _refined(gray, quads, every)
    if len(quads) == 0:
        return []
    is_ring, contrast, wholeness = _check_profiles(quads, profiles)
    light = profiles.light.mean(axis=(1, 2))
    is_ring &= _is_round_with_content(gray, quads, light, contrast)
    found = zip(*(of[is_ring] for of in (quads, contrast, wholeness)), strict=True)
    rings = [Ring(from_upper_left(quad), float(c), float(w)) for quad, c, w in found]
    return _without_doubles(sorted(rings, key=lambda ring: -ring.contrast))


# -- sampling


def _around(along: Floats, across: Floats) -> Floats:
    """Return points on the four sides of the unit square, clockwise: (4 * along * across, 2)."""
    a, b = np.meshgrid(along, across, indexing="ij")
    sides = [(a, b), (1 - b, a), (1 - a, 1 - b), (b, 1 - a)]
    return np.stack([np.stack(side, axis=-1) for side in sides]).reshape(-1, 2).astype(np.float32)


_PROFILES = _around(_ALONG, _ACROSS).reshape(4, len(_ALONG), len(_ACROSS), 2)
_EDGE = np.array([0.35, 0.65], np.float32)
_CORNERS_AND_INNER = np.concatenate(
    [
        np.repeat(0.5 + 0.94 * (_UNIT - 0.5), 2, axis=0),
        _around(_EDGE, np.array([RING / 2], np.float32)),
        np.stack(np.meshgrid(*2 * [np.linspace(0.27, 0.73, 10)]), -1).reshape(-1, 2),
    ]
).astype(np.float32)
"""Inside of the corners; on the ring: 8 points each; then where something is drawn."""
_FEW = _around(np.linspace(0.25, 0.75, 5, dtype=np.float32), np.array([RING / 2, 0.16], np.float32))


def _plausible(gray: Gray, quads: Floats) -> Floats:
    """Return the quadrilaterals whose edge is darker than what is inside of it, once each."""
    sides = side_lengths(quads)
    quads = quads[(sides.min(axis=1) > 0.25 * sides.max(axis=1)) & (sides.max(axis=1) > SMALLEST)]
    if len(quads) == 0:
        return quads
    levels = sampled(gray, homographies(quads), _FEW).reshape(len(quads), 4, 5, 2)
    darker = (levels[..., 1] - levels[..., 0]).mean(axis=2)
    kept = np.flatnonzero(((darker > 3.0).sum(axis=1) >= 3) & (darker.min(axis=1) > -10.0))
    middles, sizes = quads.mean(axis=1), np.sqrt(np.maximum(signed_areas(quads), 0.0))
    chosen: list[int] = []
    for index in kept[np.argsort(-darker[kept].sum(axis=1))].tolist():
        if all(
            abs(sizes[index] / sizes[other] - 1.0) > 0.1
            or np.abs(middles[index] - middles[other]).max() > 0.08 * sizes[other]
            for other in chosen
        ):
            chosen.append(index)
    return quads[chosen]


# -- measuring


@dataclass(frozen=True, slots=True)
class _Profiles:
    """What was measured across the sides, (n, 4 sides, 16 along)."""

    depth: Floats
    """Levels by which the ring is darker than both its sides."""
    width: Floats
    """Of the ring, in sides."""
    light: Floats
    inside: Floats
    gap: Floats
    bend: Floats
    """Of each side, (n, 4), median distance of its middle from a straight line, in sides."""


def _refined(gray: Gray, quads: Floats, every: int) -> tuple[Floats, _Profiles]:
    """Return the quadrilaterals moved onto the rings' middle lines, and what was seen there."""
    matrices = homographies(quads)
    levels = sampled(gray, matrices, _PROFILES[:, ::every].reshape(-1, 2))
    levels = levels.reshape(len(quads), 4, -1, len(_ACROSS))
    outside = np.partition(levels[..., _OUTSIDE], -3, axis=-1)[..., -3]
    inside = np.partition(levels[..., _INSIDE], -3, axis=-1)[..., -3]
    # Beside a lamp or in a shadow one side is much lighter: the ring is what is darker than both.
    light = np.minimum(outside, inside)
    lowest = levels[..., _ON]
    depth = light - lowest.min(axis=-1)
    # Only the ring itself: dark pixels that hang together with its darkest one.
    center = _ACROSS[_ON][lowest.argmin(axis=-1)]
    is_near = np.abs(_ACROSS - center[..., None]) < 0.075
    dark = np.clip(light[..., None] - levels, 0.0, None) * is_near
    mass = dark.sum(axis=-1)
    at = (dark * _ACROSS).sum(axis=-1) / np.maximum(mass, 1e-3)
    lines, bends = _lines(at, depth, _ALONG[::every])
    profiles = _Profiles(
        depth,
        mass / np.maximum(depth, 1.0) * _STEP,
        light,
        inside,
        levels[..., _GAP].mean(axis=-1),
        bends,
    )
    moved = mapped_points(matrices, _corners_of(lines))
    is_sane = np.isfinite(moved).all(axis=(1, 2)) & (np.abs(lines).max(axis=(1, 2)) < 0.25)
    height, width = gray.shape
    low, high = moved.min(axis=1), moved.max(axis=1)
    is_sane &= (low >= _MARGIN).all(axis=1)
    is_sane &= (high[:, 0] <= width - 1 - _MARGIN) & (high[:, 1] <= height - 1 - _MARGIN)
    kept = _Profiles(*(getattr(profiles, name)[is_sane] for name in _Profiles.__slots__))
    return moved[is_sane], kept


def _lines(at: Floats, depth: Floats, along: Floats) -> tuple[Floats, Floats]:
    """Fit a line to where the middle is along each side.

    Returns offsets and slopes, (n, 4, 2), and the median distances from the lines, (n, 4).
    """
    at, depth = at.reshape(-1, len(along)), depth.reshape(-1, len(along))
    powers = along[:, None] ** np.arange(3, dtype=np.float32)
    weight = np.clip(depth / np.maximum(_middle(depth)[:, None], 1.0) - 0.3, 0.0, 0.5)
    for _ in range(2):
        total, sum_t, sum_tt = (weight @ powers).T
        sum_a, sum_ta, _ = (weight * at @ powers).T
        slope = (total * sum_ta - sum_t * sum_a) / np.maximum(total * sum_tt - sum_t**2, 1e-6)
        offset = (sum_a - slope * sum_t) / np.maximum(total, 1e-6)
        error = at - offset[:, None] - slope[:, None] * along
        bend = _middle(np.abs(error))
        weight = weight / (1.0 + (error / (2.0 * np.maximum(bend, 0.004)[:, None])) ** 2)
    return np.stack([offset, slope], axis=-1).reshape(-1, 4, 2), bend.reshape(-1, 4)


def _corners_of(lines: Floats) -> Floats:
    """Return the outer corners that belong to middle lines, (n, 4, 2) in the unit square."""
    b0, b1, b2, b3 = lines[..., 1].T
    middles = lines[..., 0] + 0.5 * lines[..., 1]
    # A half of the ring further out, as wide as it is between this line and the opposite one.
    apart = 1.0 - middles - middles[:, [2, 3, 0, 1]]
    a0, a1, a2, a3 = (lines[..., 0] - RING / (2.0 - 2.0 * RING) * apart).T
    # Of the upper and lower side y = a + b x, of the left and right one x = a + b y.
    upper, lower = (a0, b0), (1.0 - a2 - b2, b2)
    left, right = (a3 + b3, -b3), (1.0 - a1, -b1)
    corners = []
    for (y, down), (x, across) in ((upper, left), (upper, right), (lower, right), (lower, left)):
        at = (x + across * y) / (1.0 - across * down)
        corners.append(np.stack((at, y + down * at), axis=-1))
    return np.stack(corners, axis=1)


def _middle(values: Floats) -> Floats:
    """Return the median along the last axis, which takes ``np.median`` ten times as long."""
    half = values.shape[-1] // 2
    return np.partition(values, half, axis=-1)[..., half]


# -- judging


def _check_profiles(quads: Floats, seen: _Profiles) -> tuple[npt.NDArray[np.bool_], Floats, Floats]:
    """Return which quadrilaterals are rings, and contrast and wholeness of each."""
    contrast = _middle(seen.depth.reshape(len(quads), -1))
    sizes = np.sqrt(np.maximum(signed_areas(quads), 0.0))
    width = _middle(seen.width.reshape(len(quads), -1))
    # Blur widens a thin ring, too much light narrows it; frames are often thinner.
    thinnest = np.where(_middle(seen.light.reshape(len(quads), -1)) > _BRIGHTEST, 0.05, 0.07)
    is_ring = (contrast > 8.0) & (width > thinnest) & (width < 0.125 + 1.0 / sizes)
    # Half the resolution across, as in colour, and motion leave little of two sides.
    sides = seen.depth.mean(axis=2)
    is_ring &= (sides.min(axis=1) > 0.18 * contrast) & (sides.min(axis=1) > 3.0)
    wholeness: Floats = (seen.depth > 0.3 * sides[..., None]).mean(axis=(1, 2))
    is_ring &= wholeness > _LEAST_WHOLE
    is_ring &= seen.bend.mean(axis=1) < _BEND[0] + _BEND[1] / sizes
    is_ring &= _middle(seen.depth / np.maximum(seen.light, 1.0)).mean(axis=1) > 0.2
    is_ring &= ((seen.inside - seen.gap) < 0.5 * contrast[:, None, None]).mean(axis=(1, 2)) > 0.85
    return is_ring & _is_square_seen_aside(quads) & (sizes >= SMALLEST), contrast, wholeness


def _is_square_seen_aside(quads: Floats) -> npt.NDArray[np.bool_]:
    sides = side_lengths(quads)
    opposite = np.maximum(sides[:, :2] / sides[:, 2:], sides[:, 2:] / sides[:, :2]).max(axis=1)
    # Letters are narrow; so small a ring could not be read from aside.
    is_small = (sides[:, :2] + sides[:, 2:]).max(axis=1) < 2 * _NARROW
    most = np.where(is_small, _MOST_ASPECT_SMALL, _MOST_ASPECT)
    return (opposite < _MOST_OPPOSITE) & (_aspects(sides) < most)


def _aspects(sides: Floats) -> Floats:
    pairs = sides[:, :2] + sides[:, 2:]
    ratios: Floats = pairs.max(axis=1) / pairs.min(axis=1)
    return ratios


def _is_round_with_content(
    gray: Gray, quads: Floats, light: Floats, contrast: Floats
) -> npt.NDArray[np.bool_]:
    """Return whether cut off corners are as light as beside the ring, unlike in most frames.

    And whether there is something darker, and something lighter in each.
    """
    levels = sampled(gray, homographies(quads), _CORNERS_AND_INNER)
    template = (levels[:, 16:] < (light - 0.5 * contrast)[:, None]).mean(axis=1)
    corner, ring = np.minimum(levels[:, :16], light[:, None]).reshape(-1, 2, 8).mean(axis=2).T
    is_round = corner - ring > _LEAST_ROUND * (light - ring)
    return is_round & (template > 0.1) & (template < 0.9)


def _without_doubles(rings: list[Ring]) -> list[Ring]:
    kept: list[Ring] = []
    for ring in rings:
        middle = ring.corners.mean(axis=0)
        if all(
            np.abs(middle - other.corners.mean(axis=0)).max() > 0.4 * max(ring.size, other.size)
            for other in kept
        ):
            kept.append(ring)
    return sorted(kept, key=lambda ring: -ring.size)
