"""Square dark rings around drawings, as cubes carry them: where they are, to parts of a pixel.

The ring's middle line is measured across the sides of what could be one: blur and exposure move a
thin ring's edges, not its middle (spec 15 §2, 19).
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from .outlines import SMALLEST, outline_quads
from .quads import Floats, Gray, from_upper_left, homographies, mapped_points, sampled, signed_areas

RING = 0.095
"""Thickness of the ring, in sides of its outer edge."""
_MARGIN = 1.0
"""Pixels between a whole ring and the picture's border; column 0 is noise."""
_ROUNDS = 2
_MOST_OPPOSITE, _MOST_ASPECT, _MOST_ASPECT_SMALL = 1.6, 2.8, 1.6
"""Ratios of the sides of a square seen from 60 mm, and 65 degrees aside; of a small one, 45."""
_NARROW = 20.0
"""Longer side of a small ring, pixels."""
_LEAST_WHOLE = 0.85
_BRIGHTEST = 245.0
_BEND = 0.006, 0.4
"""Most of a straight side, in sides and pixels; in grain the darkest pixels are anywhere."""
_UNIT = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)

_ALONG = np.linspace(0.18, 0.82, 16, dtype=np.float32)
"""Where on each side the ring is measured."""
_POWERS = _ALONG[:, None] ** np.arange(3, dtype=np.float32)
_ACROSS = np.linspace(-0.11, 0.21, 27, dtype=np.float32)
"""Where across it, inwards from the outer edge; in sides."""
_OUTSIDE = _ACROSS < -0.02
_INSIDE = _ACROSS > 0.115
_STEP = float(_ACROSS[1] - _ACROSS[0])


@dataclass(frozen=True, slots=True, eq=False)
class Ring:
    """A ring in a picture."""

    corners: Floats
    """Of the outer edge as if it had no round corners, (4, 2) pixels: upper left, upper right,
    lower right, lower left as seen in the picture."""
    contrast: float
    """Gray levels between the ring and what is around it."""
    wholeness: float
    """Share of it that is dark, from 0.85."""

    @property
    def size(self) -> float:
        """Square root of the area, pixels."""
        return float(np.sqrt(cv2.contourArea(self.corners)))


def find_rings(gray: Gray) -> list[Ring]:
    """Return the whole rings of a picture, the largest first."""
    quads = _plausible(gray, outline_quads(gray))
    for _ in range(_ROUNDS):
        if len(quads) == 0:
            return []
        quads, profiles = _refined(gray, quads)
    if len(quads) == 0:
        return []
    is_ring, contrast, wholeness = _check_profiles(quads, profiles)
    level = profiles.light.mean(axis=(1, 2)) - 0.5 * contrast
    is_ring &= _is_round(gray, quads) & _has_drawing(gray, quads, level)
    found = zip(*(of[is_ring] for of in (quads, contrast, wholeness)), strict=True)
    rings = [Ring(from_upper_left(quad), float(c), float(w)) for quad, c, w in found]
    return _without_doubles(sorted(rings, key=lambda ring: -ring.contrast))


# -- sampling


def _around(along: Floats, across: Floats) -> Floats:
    """Return points on the four sides of the unit square, clockwise: (4 * along * across, 2)."""
    a, b = np.meshgrid(along, across, indexing="ij")
    sides = [(a, b), (1 - b, a), (1 - a, 1 - b), (b, 1 - a)]
    return np.stack([np.stack(side, axis=-1) for side in sides]).reshape(-1, 2).astype(np.float32)


_PROFILES = _around(_ALONG, _ACROSS)
_INNER = np.stack(np.meshgrid(*2 * [np.linspace(0.27, 0.73, 10, dtype=np.float32)]), -1).reshape(
    -1, 2
)
_EDGE = np.array([0.35, 0.65], np.float32)
_CORNERS = np.concatenate(
    [
        np.repeat(0.5 + 0.94 * (_UNIT - 0.5), 2, axis=0),
        _around(_EDGE, np.array([RING / 2], np.float32)),
        _around(_EDGE, np.array([-0.05], np.float32)),
    ]
).astype(np.float32)
"""Inside of the corners; on the ring; around it: 8 points each."""
_FEW = _around(np.linspace(0.25, 0.75, 5, dtype=np.float32), np.array([RING / 2, 0.16], np.float32))


def _plausible(gray: Gray, quads: Floats) -> Floats:
    """Return the quadrilaterals whose edge is darker than what is inside of it, once each."""
    sides = np.linalg.norm(quads - np.roll(quads, 1, axis=1), axis=2)
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


def _refined(gray: Gray, quads: Floats) -> tuple[Floats, _Profiles]:
    """Return the quadrilaterals moved onto the rings' middle lines, and what was seen there."""
    matrices = homographies(quads)
    levels = sampled(gray, matrices, _PROFILES).reshape(len(quads), 4, len(_ALONG), len(_ACROSS))
    outside = np.partition(levels[..., _OUTSIDE], -3, axis=-1)[..., -3]
    inside = np.partition(levels[..., _INSIDE], -3, axis=-1)[..., -3]
    ramp = np.clip((_ACROSS + 0.05) / 0.2, 0.0, 1.0)
    light = outside[..., None] + (inside - outside)[..., None] * ramp
    lowest = levels[..., ~_OUTSIDE & ~_INSIDE]
    depth = np.minimum(outside, inside) - lowest.min(axis=-1)
    # Only the ring itself: dark pixels that hang together with its darkest one.
    center = _ACROSS[~_OUTSIDE & ~_INSIDE][lowest.argmin(axis=-1)]
    is_near = np.abs(_ACROSS - center[..., None]) < 0.075
    dark = np.clip(light - levels, 0.0, None) * is_near
    mass = dark.sum(axis=-1)
    at = (dark * _ACROSS).sum(axis=-1) / np.maximum(mass, 1e-3)
    lines, bends = _lines(at, depth)
    profiles = _Profiles(
        depth,
        mass / np.maximum(depth, 1.0) * _STEP,
        np.minimum(outside, inside),
        inside,
        levels[..., (_ACROSS > 0.13) & (_ACROSS < 0.19)].mean(axis=-1),
        bends,
    )
    corners = mapped_points(matrices, _corners_of(lines))
    moved = _grown(corners)
    is_sane = np.isfinite(moved).all(axis=(1, 2)) & (np.abs(lines).max(axis=(1, 2)) < 0.25)
    height, width = gray.shape
    low, high = moved.min(axis=1), moved.max(axis=1)
    is_sane &= (low >= _MARGIN).all(axis=1)
    is_sane &= (high[:, 0] <= width - 1 - _MARGIN) & (high[:, 1] <= height - 1 - _MARGIN)
    kept = _Profiles(*(getattr(profiles, name)[is_sane] for name in _Profiles.__slots__))
    return moved[is_sane], kept


def _lines(at: Floats, depth: Floats) -> tuple[Floats, Floats]:
    """Fit a line to where the middle is along each side.

    Returns offsets and slopes, (n, 4, 2), and the median distances from the lines, (n, 4).
    """
    at, depth = at.reshape(-1, len(_ALONG)), depth.reshape(-1, len(_ALONG))
    weight = np.clip(depth / np.maximum(_middle(depth)[:, None], 1.0) - 0.3, 0.0, 0.5)
    for _ in range(2):
        total, sum_t, sum_tt = (weight @ _POWERS).T
        sum_a, sum_ta, _ = (weight * at @ _POWERS).T
        slope = (total * sum_ta - sum_t * sum_a) / np.maximum(total * sum_tt - sum_t**2, 1e-6)
        offset = (sum_a - slope * sum_t) / np.maximum(total, 1e-6)
        error = at - offset[:, None] - slope[:, None] * _ALONG
        bend = _middle(np.abs(error))
        weight = weight / (1.0 + (error / (2.0 * np.maximum(bend, 0.004)[:, None])) ** 2)
    return np.stack([offset, slope], axis=-1).reshape(-1, 4, 2), bend.reshape(-1, 4)


def _corners_of(lines: Floats) -> Floats:
    """Return where neighbouring middle lines cross, (n, 4, 2) in the unit square."""
    offset, slope = lines[..., 0], lines[..., 1]
    one = np.ones_like(offset[:, 0])
    # a x + b y + c = 0 of the upper, right, lower and left side.
    sides = (
        (-slope[:, 0], one, -offset[:, 0]),
        (one, slope[:, 1], offset[:, 1] - 1.0),
        (-slope[:, 2], one, offset[:, 2] + slope[:, 2] - 1.0),
        (one, slope[:, 3], -offset[:, 3] - slope[:, 3]),
    )
    corners = []
    for (a0, b0, c0), (a1, b1, c1) in zip((sides[3], *sides[:3]), sides, strict=True):
        whole = a0 * b1 - a1 * b0
        corners.append(
            np.stack([(b0 * c1 - b1 * c0) / whole, (a1 * c0 - a0 * c1) / whole], axis=-1)
        )
    return np.stack(corners, axis=1).astype(np.float32)


def _grown(middles: Floats) -> Floats:
    """Return the outer corners that belong to the corners of the middle line."""
    edge = RING / (2.0 - 2.0 * RING)
    return mapped_points(homographies(middles), _UNIT + (_UNIT - 0.5) * 2.0 * np.float32(edge))


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
    is_ring &= (sides.min(axis=1) > 0.18 * contrast) & (sides.min(axis=1) > 4.0)
    wholeness: Floats = (seen.depth > 0.3 * sides[..., None]).mean(axis=(1, 2))
    is_ring &= wholeness > _LEAST_WHOLE
    is_ring &= seen.bend.mean(axis=1) < _BEND[0] + _BEND[1] / sizes
    is_ring &= _middle(seen.depth / np.maximum(seen.light, 1.0)).mean(axis=1) > 0.2
    is_ring &= ((seen.inside - seen.gap) < 0.5 * contrast[:, None, None]).mean(axis=(1, 2)) > 0.85
    return is_ring & _is_square_seen_aside(quads) & (sizes >= SMALLEST), contrast, wholeness


def _is_square_seen_aside(quads: Floats) -> npt.NDArray[np.bool_]:
    sides = np.linalg.norm(quads - np.roll(quads, -1, axis=1), axis=2)
    opposite = np.maximum(sides[:, :2] / sides[:, 2:], sides[:, 2:] / sides[:, :2]).max(axis=1)
    means = sides[:, :2] + sides[:, 2:]
    aspect = means.max(axis=1) / means.min(axis=1)
    # Letters are narrow; so small a ring could not be read from aside.
    most = np.where(means.max(axis=1) < 2 * _NARROW, _MOST_ASPECT_SMALL, _MOST_ASPECT)
    return (opposite < _MOST_OPPOSITE) & (aspect < most)


def _has_drawing(gray: Gray, quads: Floats, level: Floats) -> npt.NDArray[np.bool_]:
    """Return whether there is something darker, and something lighter than a level in each."""
    levels = sampled(gray, homographies(quads), _INNER)
    dark = (levels < level[:, None]).mean(axis=1)
    return (dark > 0.1) & (dark < 0.9)


def _is_round(gray: Gray, quads: Floats) -> npt.NDArray[np.bool_]:
    """Return whether it is as light as around where corners are cut off, unlike in most frames."""
    levels = sampled(gray, homographies(quads), _CORNERS).reshape(len(quads), 3, -1)
    corner, ring, outside = levels.mean(axis=2).T
    depth, around = corner - ring, outside - ring
    return (depth > 0.4 * around) & (depth < 1.5 * around)


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
