"""Outlines of dark things that could be the outer or inner edge of a ring, as quadrilaterals."""

from __future__ import annotations

import math

import cv2
import numpy as np
import numpy.typing as npt

from .quads import Floats, Gray, signed_areas

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


def outline_quads(gray: Gray) -> Floats:
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
