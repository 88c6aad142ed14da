"""Square dark rings around drawings, as cubes carry them: where they are, to parts of a pixel.

Whatever is dark against its surroundings is outlined. Outlines that could be a ring's outer or
inner edge become quadrilaterals, and the ring's middle line is measured across their sides: blur
and exposure move a thin ring's edges, not its middle (spec 15 §2, 19).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from .quads import Floats, Gray, from_upper_left, homographies, mapped_points, sampled, signed_areas

RING = 0.095
"""Thickness of the ring, in sides of its outer edge."""
SMALLEST = 12.0
"""Side of a ring, pixels."""
_MOST_CANDIDATES = 200
_WINDOW = 11
"""Pixels across which light is averaged, of the picture and of one half its size."""


def _limits(least: float, share: float) -> Gray:
    """Return for each mean level the one below which a pixel is dark."""
    means = np.arange(256)
    return np.clip(np.minimum(means - least, means * (1.0 - share)), 0, 255).astype(np.uint8)


_DARK, _DARKER = _limits(4.0, 0.05), _limits(5.0, 0.2)
"""Of a ring, every part and some part of it; the first alone holds much of a wall's grain."""
_NEAR = np.ones((7, 7), np.uint8)
"""Pixels of half the size around a darker one in which a dark one counts."""
_LEAST_DARKER = 8
"""Such pixels in a ring."""
_HALF, _MOST = 100, 150
"""Means of four pixels of which two, or three, are 255."""
_SHORTEST = {1: 0.7 * SMALLEST, 2: SMALLEST}
"""Side of an outline, pixels, in each mask; smaller ones are found in the whole picture."""
_OUTLINE_GROWTH, _HOLE_GROWTH = 1.06, 1.24
"""From the corners of an outline, which the rounding cuts off, to the ring's outer ones."""
_LEAST_TURNS = 6
"""Of an outline with four round corners."""
_MARGIN = 1.0
"""Pixels between a whole ring and the picture's border; column 0 is noise."""
_ROUNDS = 2
_MOST_OPPOSITE, _MOST_ASPECT, _MOST_ASPECT_SMALL = 1.6, 2.8, 1.6
"""Ratios of the sides of a square seen from 60 mm, and 65 degrees aside; of a small one, 45."""
_NARROW = 20.0
"""Longer side of a small ring, pixels."""
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

    @property
    def size(self) -> float:
        """Square root of the area, pixels."""
        return float(np.sqrt(cv2.contourArea(self.corners)))


def find_rings(gray: Gray) -> list[Ring]:
    """Return the whole rings of a picture, the largest first."""
    quads = _plausible(gray, _candidates(gray))
    for _ in range(_ROUNDS):
        if len(quads) == 0:
            return []
        quads, profiles = _refined(gray, quads)
    if len(quads) == 0:
        return []
    is_ring, contrast = _looks_right(quads, profiles)
    level = profiles.light.mean(axis=(1, 2)) - 0.5 * contrast
    is_ring &= _is_round(gray, quads) & _has_drawing(gray, quads, level)
    found = zip(quads[is_ring], contrast[is_ring].tolist(), strict=True)
    rings = [Ring(from_upper_left(quad), level) for quad, level in found]
    return _without_doubles(sorted(rings, key=lambda ring: -ring.contrast))


# -- candidates


def _masks(gray: Gray) -> list[tuple[int, Gray]]:
    """Return pictures of what is dark, and how many times smaller each is."""
    masks = []
    small = cv2.resize(gray, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    for scale, picture in ((1, cv2.GaussianBlur(gray, (3, 3), 0.5)), (2, small)):
        mean = cv2.blur(picture, (_WINDOW, _WINDOW))
        dark = cv2.compare(picture, cv2.LUT(mean, _DARK), cv2.CMP_LT)
        darker = cv2.compare(picture, cv2.LUT(mean, _DARKER), cv2.CMP_LT)
        # In the smaller picture it closes faint large rings that noise has broken; a small ring
        # would grow together with its drawing.
        if scale > 1:
            dark = cv2.dilate(dark, np.ones((2, 2), np.uint8))
        least = 0 if scale == 1 else _MOST
        masks.append((scale, _without_specks(dark, darker, _SHORTEST[scale], least)))
    return masks


def _without_specks(mask: Gray, darker: Gray, shortest: float, least: int) -> Gray:
    """Leave out what is too narrow or too faint for a ring: it costs less than outlining it.

    Four pixels with a mean above ``least`` connect with their neighbours.
    """
    height, width = mask.shape
    half = width // 2, height // 2
    certain = cv2.resize(darker, half, interpolation=cv2.INTER_AREA)
    near = cv2.compare(cv2.dilate(certain, _NEAR), _HALF, cv2.CMP_GT)
    halves = cv2.resize(mask, half, interpolation=cv2.INTER_AREA)
    halves = cv2.bitwise_and(cv2.compare(halves, least, cv2.CMP_GT), near)
    count, labels, boxes, _ = cv2.connectedComponentsWithStats(halves, 8, cv2.CV_16U)
    is_kept = (boxes[:, 2:4] >= math.ceil(shortest / 2)).all(axis=1)
    is_kept &= np.bincount(labels[certain > 0], minlength=count) >= _LEAST_DARKER
    is_kept[0] = False
    kept = np.where(is_kept, 255, 0).astype(np.uint8)[labels]
    wide = cv2.resize(kept, (width, height), interpolation=cv2.INTER_NEAREST)
    return cv2.bitwise_and(mask, wide)


def _candidates(gray: Gray) -> Floats:
    """Return quadrilaterals near the outer edges of what could be rings, (n, 4, 2) clockwise."""
    found: list[npt.NDArray[np.int32]] = []
    growth: list[tuple[float, int]] = []
    for scale, mask in _masks(gray):
        outlines, tree = cv2.findContours(mask, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
        height, width = mask.shape
        shortest = _SHORTEST[scale]
        for index, outline in enumerate(outlines):
            if len(outline) < _LEAST_TURNS:
                continue
            x, y, w, h = cv2.boundingRect(outline)
            if w < shortest or h < shortest or w > 4 * h or h > 4 * w:
                continue
            if x <= 1 or y <= 1 or x + w >= width - 1 or y + h >= height - 1:
                continue
            _, _, child, parent = tree[0, index]
            corners = _corners_in(outline, w * h, parent >= 0, child < 0 and parent < 0)
            if corners is not None:
                found.append(corners)
                growth.append((_HOLE_GROWTH if parent >= 0 else _OUTLINE_GROWTH, scale))
    quads = np.array(found[:_MOST_CANDIDATES], np.float32).reshape(-1, 4, 2)
    factors, scales = (
        np.array(growth[:_MOST_CANDIDATES], np.float32).reshape(-1, 2).T[..., None, None]
    )
    middles = quads.mean(axis=1, keepdims=True)
    grown: Floats = (middles + (quads - middles) * factors) * scales + (scales - 1) / 2
    is_left = signed_areas(grown) < 0.0
    grown[is_left] = grown[is_left, ::-1]
    return grown


def _corners_in(
    outline: npt.NDArray[np.int32], box: int, is_hole: bool, is_solid: bool
) -> npt.NDArray[np.int32] | None:
    """Return four corners of an outline in a box of that area, None if it is no quadrilateral."""
    own = cv2.contourArea(outline)
    if is_hole and own < 0.35 * box:
        return None
    hull = cv2.convexHull(outline)
    area = cv2.contourArea(hull)
    if area < 0.42 * box or (is_solid and own > 0.7 * area):
        return None
    corners = cv2.approxPolyDP(hull, 0.14 * math.sqrt(area), True)[:, 0]
    if len(corners) > 4:
        corners = _largest_four(corners)
    if len(corners) != 4 or cv2.contourArea(corners) < 0.75 * area:
        return None
    return corners


def _largest_four(corners: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Return four of a convex polygon's corners that are far from each other, in their order."""
    points = [complex(x, y) for x, y in corners.tolist()]
    middle = sum(points) / len(points)
    away = [abs(point - middle) for point in points]
    first = away.index(max(away))
    away = [abs(point - points[first]) for point in points]
    third = away.index(max(away))
    across = (points[third] - points[first]).conjugate()
    beside = [((point - points[first]) * across).imag for point in points]
    return corners[sorted({first, third, beside.index(max(beside)), beside.index(min(beside))})]


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


def _looks_right(quads: Floats, seen: _Profiles) -> tuple[npt.NDArray[np.bool_], Floats]:
    """Return which quadrilaterals are rings, and the contrast of each."""
    contrast = _middle(seen.depth.reshape(len(quads), -1))
    sizes = np.sqrt(np.maximum(signed_areas(quads), 0.0))
    width = _middle(seen.width.reshape(len(quads), -1))
    # Blur widens a thin ring; frames are often thinner.
    is_ring = (contrast > 8.0) & (width > 0.07) & (width < 0.125 + 1.0 / sizes)
    # Half the resolution across, as in colour, and motion leave little of two sides.
    sides = seen.depth.mean(axis=2)
    is_ring &= (sides.min(axis=1) > 0.18 * contrast) & (sides.min(axis=1) > 4.0)
    is_ring &= (seen.depth > 0.3 * sides[..., None]).mean(axis=(1, 2)) > 0.85
    is_ring &= seen.bend.mean(axis=1) < _BEND[0] + _BEND[1] / sizes
    is_ring &= _middle(seen.depth / np.maximum(seen.light, 1.0)).mean(axis=1) > 0.2
    is_ring &= ((seen.inside - seen.gap) < 0.5 * contrast[:, None, None]).mean(axis=(1, 2)) > 0.85
    return is_ring & _is_square_seen_aside(quads) & (sizes >= SMALLEST), contrast


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
