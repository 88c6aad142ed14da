"""Outlines of dark things that could be the outer or inner edge of a ring, as quadrilaterals."""

from __future__ import annotations

import math
from collections.abc import Iterator

import cv2
import numpy as np
import numpy.typing as npt

from .quads import Floats, Gray, signed_areas

SMALLEST = 12.0
"""Side of a ring, pixels."""
_MOST_CANDIDATES = 200
_WINDOW = 7
"""Pixels across which light is averaged, of images half and a quarter of the camera's size."""


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
_MOST = 150
"""Mean of four pixels of which three are 255."""
_SHORTEST = {1: 0.7 * SMALLEST, 2: SMALLEST}
"""Side of an outline, pixels, in each mask; smaller ones are found in the whole image."""
_OUTLINE_GROWTH, _HOLE_GROWTH = 1.06, 1.24
"""From the corners of an outline, which the rounding cuts off, to the ring's outer ones."""
_LEAST_TURNS = 4
"""Of an outline."""
_LEAST_FIT, _LARGEST_JOINED, _MOST_JOINED = 0.6, 120.0, 16
"""Of two pieces of a ring: share of their box along which they face each other; size in pixels."""


def outline_quads(gray: Gray) -> Floats:
    """Return quadrilaterals near the outer edges of what could be rings, (n, 4, 2) clockwise."""
    found: list[Floats] = []
    growth: list[tuple[float, int]] = []
    for scale, mask in _masks(gray):
        outlines, tree = cv2.findContours(mask, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
        height, width = mask.shape
        shortest = _SHORTEST[scale]
        pieces: list[_Piece] = []
        relations = tree[0].tolist() if outlines else []
        for outline, (_, _, child, parent) in zip(outlines, relations, strict=True):
            if len(outline) < _LEAST_TURNS:
                continue
            x, y, w, h = cv2.boundingRect(outline)
            if (w < shortest and h < shortest) or w * h < shortest * 2:
                continue
            if x <= 1 or y <= 1 or x + w >= width - 1 or y + h >= height - 1:
                continue
            is_hole = parent >= 0
            corners = None
            if w >= shortest and h >= shortest and w <= 4 * h and h <= 4 * w:
                corners = _corners_in(outline, w * h, is_hole, child < 0 and not is_hole)
            if corners is None:
                pieces.append((outline, is_hole, (x, y, x + w, y + h)))
            else:
                found.append(corners)
                growth.append((_HOLE_GROWTH if is_hole else _OUTLINE_GROWTH, scale))
        for corners, is_hole in _joined(pieces, shortest):
            found.append(corners)
            growth.append((_HOLE_GROWTH if is_hole else _OUTLINE_GROWTH, scale))
    quads = np.array(found[:_MOST_CANDIDATES], np.float32).reshape(-1, 4, 2)
    factors, scales = (
        np.array(growth[:_MOST_CANDIDATES], np.float32).reshape(-1, 2).T[..., None, None]
    )
    middles = quads.mean(axis=1, keepdims=True)
    grown: Floats = (middles + (quads - middles) * factors) * scales + (scales - 1) / 2
    is_left = signed_areas(grown) < 0.0
    grown[is_left] = grown[is_left, ::-1]
    return grown


_Piece = tuple[npt.NDArray[np.int32], bool, tuple[int, int, int, int]]
"""An outline that is no quadrilateral, whether of a hole, and its left, top, right and bottom."""


def _joined(pieces: list[_Piece], shortest: float) -> Iterator[tuple[Floats, bool]]:
    """Yield corners of what two pieces are opposite parts of, and whether those are holes.

    Motion leaves of a small ring its upper and its lower side; a bar across parts what is in it.
    """
    if len(pieces) < 2:
        return
    holes = np.array([is_hole for _, is_hole, _ in pieces])
    left, top, right, bottom = np.array([box for *_, box in pieces], np.float32).T
    width = np.maximum.outer(right, right) - np.minimum.outer(left, left)
    height = np.maximum.outer(bottom, bottom) - np.minimum.outer(top, top)
    across = (np.minimum.outer(right, right) - np.maximum.outer(left, left)) / width
    down = (np.minimum.outer(bottom, bottom) - np.maximum.outer(top, top)) / height
    fit = np.maximum(np.where(down < 0.25, across, 0.0), np.where(across < 0.25, down, 0.0))
    fit[np.equal.outer(holes, ~holes)] = 0.0
    fit[(np.minimum(width, height) < shortest) | (np.maximum(width, height) > _LARGEST_JOINED)] = 0
    fit[(width > 2.8 * height) | (height > 2.8 * width)] = 0.0
    first, second = np.nonzero(np.triu(fit, 1) > _LEAST_FIT)
    best = np.argsort(-fit[first, second])[:_MOST_JOINED]
    for one, other in zip(first[best].tolist(), second[best].tolist(), strict=True):
        both = np.concatenate((pieces[one][0], pieces[other][0]))
        corners = _corners_of(cv2.convexHull(both), float(width[one, other] * height[one, other]))
        if corners is not None:
            yield corners, bool(holes[one])


def _masks(gray: Gray) -> list[tuple[int, Gray]]:
    """Return images of what is dark, and how many times smaller each is."""
    masks = []
    half = cv2.resize(gray, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    quarter = cv2.resize(half, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    fine = cv2.GaussianBlur(gray, (3, 3), 0.5)
    for scale, image, smaller in ((1, fine, half), (2, half, quarter)):
        # Light changes slowly: it is averaged in an image half as large, in half the time.
        mean = cv2.blur(smaller, (_WINDOW, _WINDOW))
        limit = cv2.resize(cv2.LUT(mean, _DARK), image.shape[::-1])
        dark = cv2.compare(image, limit, cv2.CMP_LT)
        darker = cv2.compare(smaller, cv2.LUT(mean, _DARKER), cv2.CMP_LT)
        # In the smaller image it closes faint large rings that noise has broken; a small ring
        # would grow together with its template.
        if scale > 1:
            dark = cv2.dilate(dark, np.ones((2, 2), np.uint8))
        least = 0 if scale == 1 else _MOST
        masks.append((scale, _without_specks(dark, darker, _SHORTEST[scale], least)))
    return masks


def _without_specks(mask: Gray, certain: Gray, shortest: float, least: int) -> Gray:
    """Leave out what is too narrow or too faint for a ring: it costs less than outlining it.

    ``certain`` is half the size. Four pixels with a mean above ``least`` connect with their
    neighbours.
    """
    height, width = mask.shape
    halves = cv2.resize(mask, certain.shape[::-1], interpolation=cv2.INTER_AREA)
    halves = cv2.compare(halves, least, cv2.CMP_GT)
    halves = cv2.bitwise_and(halves, cv2.dilate(certain, _NEAR))
    # Without the algorithm's name OpenCV takes three times as long.
    count, labels, boxes, _ = cv2.connectedComponentsWithStatsWithAlgorithm(
        halves, 8, cv2.CV_16U, cv2.CCL_GRANA
    )
    is_kept = (boxes[:, 2:4] >= math.ceil(shortest / 2)).all(axis=1)
    is_kept &= np.bincount(labels[certain > 0], minlength=count) >= _LEAST_DARKER
    is_kept[0] = False
    kept = np.where(is_kept, 255, 0).astype(np.uint8)[labels]
    wide = cv2.resize(kept, (width, height), interpolation=cv2.INTER_NEAREST)
    return cv2.bitwise_and(mask, wide)


def _corners_in(
    outline: npt.NDArray[np.int32], box: float, is_hole: bool, is_solid: bool
) -> Floats | None:
    """Return four corners of an outline in a box of that area, None if it is no quadrilateral."""
    own = cv2.contourArea(outline)
    if is_hole and own < 0.35 * box:
        return None
    hull = cv2.convexHull(outline)
    if is_solid and own > 0.7 * cv2.contourArea(hull):
        return None
    return _corners_of(hull, box)


def _corners_of(hull: npt.NDArray[np.int32], box: float) -> Floats | None:
    """Return four corners of a hull in a box of that area, None if it is no quadrilateral."""
    area = cv2.contourArea(hull)
    if area < 0.42 * box:
        return None
    corners = cv2.approxPolyDP(hull, 0.14 * math.sqrt(area), True)[:, 0].astype(np.float32)
    if len(corners) > 4:
        corners = _four_sides(corners)
    if len(corners) != 4 or not 0.75 * area < cv2.contourArea(corners) < 1.35 * area:
        return None
    return corners


def _four_sides(corners: Floats) -> Floats:
    """Return where the four longest sides of a convex polygon meet: a thing may hide a corner."""
    points = [complex(x, y) for x, y in corners.tolist()]
    sides = [
        (end - start, start) for start, end in zip(points, points[1:] + points[:1], strict=True)
    ]
    least = sorted((abs(direction) for direction, _ in sides), reverse=True)[3]
    chosen = [side for side in sides if abs(side[0]) >= least][:4]
    found = []
    for (direction, start), (other, beyond) in zip(chosen, chosen[1:] + chosen[:1], strict=True):
        whole = (direction.conjugate() * other).imag
        if abs(whole) < 1e-3 * abs(direction) ** 2:
            return corners
        meet = start + direction * (((beyond - start).conjugate() * other).imag / whole)
        found.append((meet.real, meet.imag))
    return np.array(found, np.float32)
