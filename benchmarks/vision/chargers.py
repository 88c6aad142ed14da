"""Pictures of a charger from before it, drawn unlike what is looked for; gray 240x320.

Of the marker only what was measured is taken as given: the ring's middle line, 24.0 x 17.5 mm, and
two light cells in a dark body with a pole at the right (spec 15 §4). Everything else varies: line,
corners, sticker, body and cells, and what is dark beside and above.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from cozmo_driver.media.printed_markers import CHARGER_MARKER_SIZE

from .backgrounds import background
from .measure import PITCH, conditions
from .scenes import CAMERA, Conditions, Gray, render

Floats = npt.NDArray[np.float64]

_MIDDLE = (0.0240, 0.0175)
"""Of the ring, m."""
_WALL_WIDTH = 0.080
_BASE = (0.096, 0.012, 0.055)
"""Width, height, and how far it stands out before the wall, m."""
_HEIGHT, _EYE = 0.025, 0.045
"""Of the marker's middle and of the camera, m."""
_DENSITY = 12_000.0
"""Pixels of a texture for a metre."""
_FINE = 3
_SHAPE = (240 * _FINE, 320 * _FINE)


@dataclass(frozen=True, slots=True)
class ChargerScene:
    """A picture with a charger in it."""

    picture: Gray
    corners: Floats
    """Of the outer edge of a ring 25.1 x 18.6 mm large, (4, 2) pixels from upper left."""
    distance: float
    """From the camera, m."""
    turn: float
    """By which it is seen from aside, rad."""
    conditions: Conditions


def charger_scenes(
    count: int,
    seed: int,
    has_dark: bool | None = None,
    distances: tuple[float, float] = (0.2, 0.45),
) -> Iterator[ChargerScene]:
    """Yield pictures of chargers up to 40 degrees aside.

    ``has_dark``: whether something dark and larger is right above the wall; None for some.
    ``distances``: the nearest and the farthest, m.
    """
    for number in range(count):
        random = np.random.default_rng([seed, number])
        is_dark = random.random() < 0.4 if has_dark is None else has_dark
        yield _scene(random, is_dark, random.uniform(*distances))


def _scene(random: np.random.Generator, has_dark: bool, distance: float) -> ChargerScene:
    canvas = cv2.resize(background(random), _SHAPE[::-1], interpolation=cv2.INTER_LINEAR)
    turn = random.uniform(-0.7, 0.7)
    bearing = random.uniform(-0.3, 0.3)
    c, s = math.cos(PITCH), math.sin(PITCH)
    tilt = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    place = distance * np.array([math.sin(bearing), 0.0, math.cos(bearing)])
    place[1] = _EYE - _HEIGHT
    place *= distance / np.linalg.norm(place)
    facing = turn + bearing
    across = tilt @ np.array([math.cos(facing), 0.0, -math.sin(facing)])
    down, out = tilt[:, 1], tilt @ np.array([-math.sin(facing), 0.0, -math.cos(facing)])
    middle = tilt @ place

    def quad(width: float, top: float, bottom: float, before: float = 0.0) -> Floats:
        corners = ((-width, top), (width, top), (width, bottom), (-width, bottom))
        points = [middle + x / 2 * across + y * down + before * out for x, y in corners]
        return np.array([_projected(point) for point in points])

    black = random.uniform(10, 32)
    wall = quad(_WALL_WIDTH, _HEIGHT - random.uniform(0.035, 0.046), _HEIGHT)
    if has_dark:
        _draw_dark(canvas, wall, random)
    _fill(canvas, wall, black)
    width, height, depth = _BASE
    base = quad(width, _HEIGHT - height, _HEIGHT, depth)
    _fill(canvas, np.concatenate((wall[[3, 2]], base[[1, 0]])), black + random.uniform(0, 25))
    _fill(canvas, base, black + random.uniform(0, 15))
    sticker, size = _sticker(random, black)
    _paste(canvas, sticker, quad(size[0], -size[1] / 2, size[1] / 2))
    how = conditions(random)
    ring = quad(CHARGER_MARKER_SIZE[0], -CHARGER_MARKER_SIZE[1] / 2, CHARGER_MARKER_SIZE[1] / 2)
    picture = render([], how, random, canvas).picture
    return ChargerScene(picture, ring, distance, turn, how)


def _sticker(random: np.random.Generator, black: float) -> tuple[Gray, tuple[float, float]]:
    """Return a sticker with its marker, and its width and height in m."""
    margin = random.uniform(0.0008, 0.0018)
    line = random.uniform(0.0009, 0.0014)
    size = _MIDDLE[0] + line + 2 * margin, _MIDDLE[1] + line + 2 * margin
    columns, rows = (round(side * _DENSITY) for side in size)
    paper = np.full((rows, columns), random.uniform(140, 175), np.float32)
    ink = black + random.uniform(0, 12)

    def box(x: float, y: float, w: float, h: float, tone: float, corner: float) -> None:
        """Fill a box about a middle; m, with round corners."""
        across = np.abs((np.arange(columns) + 0.5) / _DENSITY - size[0] / 2 - x) - w / 2 + corner
        down = np.abs((np.arange(rows) + 0.5) / _DENSITY - size[1] / 2 - y) - h / 2 + corner
        near = np.ix_(down <= corner, across <= corner)
        down, across = down[near[0]], across[near[1]]
        inside = np.minimum(np.maximum(down, across), 0.0)
        off = np.hypot(np.maximum(down, 0.0), np.maximum(across, 0.0)) + inside
        paper[near] = np.where(off <= corner, tone, paper[near])

    white = float(paper[0, 0])
    corner = random.uniform(0.0015, 0.003)
    box(0, 0, _MIDDLE[0] + line, _MIDDLE[1] + line, ink, corner + line)
    box(0, 0, _MIDDLE[0] - line, _MIDDLE[1] - line, white, corner)
    scale = random.uniform(0.82, 1.02)
    wide, high = 0.0136 * scale, 0.0081 * scale * random.uniform(0.9, 1.1)
    x, y = -0.0008 + random.normal(0, 0.0002), random.normal(0, 0.0002)
    box(x, y, wide, high, ink, 0.0006)
    box(x + wide / 2 + 0.0006, y, 0.0016, 0.42 * high, ink, 0.0003)
    frame = random.uniform(0.0011, 0.0016)
    cell = (wide - 3 * frame) / 2
    for side in (-1, 1):
        box(x + side * (cell + frame) / 2, y, cell, high - 2 * frame, white, 0.0003)
    gloss = np.linspace(*random.uniform(0.9, 1.1, 2), columns)
    return np.clip(paper * gloss, 0, 255).astype(np.uint8), size


def _draw_dark(canvas: Gray, wall: Floats, random: np.random.Generator) -> None:
    """Draw something larger than the wall and as dark above it, as furniture behind is."""
    low = wall[:2, 1].min() - random.uniform(0, 4)
    high = low - random.uniform(0.6, 1.6) * (wall[3, 1] - wall[0, 1])
    width = wall[1, 0] - wall[0, 0]
    left, right = wall[0, 0] - random.uniform(-0.3, 0.7) * width, wall[1, 0] + 0.2 * width
    box = np.array([[left, high], [right, high], [right, low], [left, low]])
    _fill(canvas, box, random.uniform(8, 35))


def _projected(point: Floats) -> Floats:
    x, y, depth = CAMERA @ point
    return np.array([x, y]) / depth


def _fill(canvas: Gray, quad: Floats, tone: float) -> None:
    fine = (quad + 0.5) * _FINE - 0.5
    cv2.fillPoly(canvas, [np.round(fine * 16).astype(np.int32)], round(tone), cv2.LINE_AA, 4)


def _paste(canvas: Gray, texture: Gray, quad: Floats) -> None:
    fine = ((quad + 0.5) * _FINE - 0.5).astype(np.float32)
    rows, columns = texture.shape
    ends = [[-0.5, -0.5], [columns - 0.5, -0.5], [columns - 0.5, rows - 0.5], [-0.5, rows - 0.5]]
    matrix = cv2.getPerspectiveTransform(np.array(ends, np.float32), fine)
    # Smoothed first, or every tenth pixel alone would be seen.
    step = math.sqrt(texture.size / cv2.contourArea(fine))
    smooth = cv2.GaussianBlur(texture, (0, 0), 0.4 * step)
    left, top, width, height = cv2.boundingRect(fine)
    right, bottom = left + width + 1, top + height + 1
    left, top = max(left - 1, 0), max(top - 1, 0)
    part = canvas[top:bottom, left:right]
    matrix = np.array([[1, 0, -left], [0, 1, -top], [0, 0, 1]]) @ matrix
    size = part.shape[::-1]
    patch = cv2.warpPerspective(smooth, matrix, size, borderMode=cv2.BORDER_REPLICATE)
    mask = np.zeros(part.shape, np.uint8)
    inner = np.round((fine - (left, top)) * 16).astype(np.int32)
    cv2.fillConvexPoly(mask, inner, 255, cv2.LINE_8, 4)
    part[mask > 0] = patch[mask > 0]
