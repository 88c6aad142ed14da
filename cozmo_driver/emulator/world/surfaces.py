"""What the camera sees besides the floor: flat surfaces with a gray picture on each; mm.

Row 0 of a picture is at the top.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..body import Pose2D
from ..hardware import LIFT_ARM, LIFT_PIVOT
from ..joints import lift_height
from .floor_map import Floats, Gray
from .layout import (
    CHARGER_HEIGHT,
    CUBE_EDGE,
    ROBOT_FRONT,
    Polygon,
    Solid,
    Tint,
    robot_shape,
)

_CUBE_BODY, _CUBE_FIELD, _WHITE, _DARK = 70, 30, 245, 20
_WALL_PIXELS = (64, 256)
# Which face of cube 1 carries which code (spec 13 §2); each further cube has 6 more.
FACE_CODES = {"front": 6, "left": 7, "back": 4, "right": 8, "top": 9, "bottom": 5}
_CODES_PER_CUBE = 6
CHARGER_CODE = 2
_CELLS = 3
_ROBOT_HEIGHT = 67.7
_LIGHT = np.array([0.45, 0.25, 0.86])
"""Towards the light."""
_AMBIENT = 0.86
_BAR_WIDTH, _BAR_HEIGHT, _BAR_DROP = 30.0, 8.5, 20.0
_BAR_REACH = (-1.0, 4.0)
"""The lift's crossbar as seen from its wrist (spec 13 §2)."""


@lru_cache(maxsize=256)
def wall_side(gray: int, number: int) -> Gray:
    """Return a wall's side: stripes and spots that tell one place from another."""
    rows, columns = _WALL_PIXELS
    random = np.random.default_rng(number)
    stripes = np.repeat(random.uniform(-28, 28, columns // 8), 8)
    picture = gray + stripes[None, :] + random.normal(0.0, 3.0, (rows, columns))
    picture[-5:] -= 30.0
    for _ in range(6):
        row, column = random.integers(6, rows - 12), random.integers(0, columns - 12)
        picture[row : row + 6, column : column + 10] += random.choice((-45.0, 45.0))
    return np.clip(picture, 0, 255).astype(np.uint8)


@lru_cache(maxsize=64)
def plain(gray: int) -> Gray:
    return np.full((1, 1), gray, np.uint8)


@lru_cache(maxsize=32)
def cube_face(number: int, face: str) -> Gray:
    """Return a side of a light cube, 44 mm: our own sign for the face's code, 25 mm wide."""
    code = FACE_CODES[face] + _CODES_PER_CUBE * (number - 1)
    picture = np.full((88, 88), _CUBE_BODY, np.uint8)
    picture[8:-8, 8:-8] = _CUBE_FIELD
    picture[19:69, 19:69] = _sign(code, 50, 50)
    return picture


@lru_cache(maxsize=1)
def charger_sign() -> Gray:
    """Return the charger's wall, 80 x 31 mm: its sign, 27 x 20 mm, with its middle 22 mm up."""
    picture = np.full((62, 160), 215, np.uint8)
    picture[2:44, 40:120] = 35
    picture[3:43, 53:107] = _sign(CHARGER_CODE, 40, 54)
    return picture


def _sign(code: int, rows: int, columns: int) -> Gray:
    """Return a white frame around 3 x 3 cells, none like another one that is turned.

    Of the corners only the upper left one is white; the five other cells are the code's bits.
    """
    cells_of = {(row, column): 0 for row in range(_CELLS) for column in range(_CELLS)}
    cells_of[0, 0] = 1
    for bit, cell in enumerate(((0, 1), (1, 0), (1, 1), (1, 2), (2, 1))):
        cells_of[cell] = code >> bit & 1
    frame = 5
    inside = np.array(list(cells_of.values()), np.uint8).reshape(_CELLS, _CELLS)
    height, width = rows - 4 * frame, columns - 4 * frame
    row, column = np.arange(height) * _CELLS // height, np.arange(width) * _CELLS // width
    picture = np.full((rows, columns), _WHITE, np.uint8)
    picture[frame:-frame, frame:-frame] = _DARK
    cells = np.where(inside[row[:, None], column[None, :]] == 1, _WHITE, _DARK)
    picture[2 * frame : -2 * frame, 2 * frame : -2 * frame] = cells
    return picture


@dataclass(frozen=True, slots=True)
class Surface:
    """A parallelogram: its upper left corner, and its edges to the right and down, from outside."""

    corner: Floats
    right: Floats
    down: Floats
    picture: Gray
    is_double: bool = False
    """Seen from its back too."""
    tint: Tint = Tint.WHITE

    @property
    def shade(self) -> float:
        """How light it is, by where it faces."""
        normal = np.cross(self.down, self.right)
        facing = float(normal @ _LIGHT / np.linalg.norm(normal))
        return _AMBIENT + (1.0 - _AMBIENT) * facing


def of_solid(solid: Solid, number: int) -> Iterator[Surface]:
    """Return the sides and, for four corners, the top of a wall or box."""
    gray = solid.gray
    for index, (start, end) in enumerate(_sides(solid.shape)):
        length = math.dist(start, end)
        picture = wall_side(gray, number * 7 + index) if length > 30.0 else plain(gray)
        yield _side(start, end, solid.height, picture, solid.tint)
    if _is_parallelogram(solid.shape):
        yield _top(solid.shape, solid.height, plain(min(gray + 25, 255)), solid.tint)


def of_charger(wall: Solid) -> Iterator[Surface]:
    """Return the charger's wall; its sign faces the entrance, towards smaller x of the charger."""
    for start, end in _sides(wall.shape):
        is_inner = (start, end) == wall.shape.corners[2:]
        picture = charger_sign() if is_inner else plain(215)
        yield _side(start, end, CHARGER_HEIGHT, picture)
    yield _top(wall.shape, CHARGER_HEIGHT, plain(225))


def of_cube(number: int, pose: Pose2D) -> Iterator[Surface]:
    """Return a light cube on the floor; its front looks along its heading."""
    half = CUBE_EDGE / 2
    for face, turn in (("front", 0.0), ("left", 90.0), ("back", 180.0), ("right", -90.0)):
        looking = pose.then(Pose2D(angle=math.radians(turn)))
        start, end = looking.then(Pose2D(half, -half)), looking.then(Pose2D(half, half))
        picture = cube_face(number, face)
        yield _side((start.x, start.y), (end.x, end.y), CUBE_EDGE, picture)
    corners = [pose.then(Pose2D(x, y)) for x, y in ((half, half), (half, -half), (-half, half))]
    far_left, far_right, near_left = (np.array([p.x, p.y, CUBE_EDGE]) for p in corners)
    picture = cube_face(number, "top")
    yield Surface(far_left, far_right - far_left, near_left - far_left, picture)


def of_robot(pose: Pose2D) -> Iterator[Surface]:
    """Return another robot: a block of its size with a dark face."""
    shape = robot_shape(pose)
    for start, end in _sides(shape):
        middle = Pose2D((start[0] + end[0]) / 2, (start[1] + end[1]) / 2).seen_from(pose)
        is_front = middle.x > ROBOT_FRONT - 1.0
        yield _side(start, end, _ROBOT_HEIGHT, _FRONT if is_front else _SIDE)
    yield _top(shape, _ROBOT_HEIGHT, plain(220))


def of_lift(place: Floats, axes: Floats, angle: float) -> Iterator[Surface]:
    """Return the crossbar of the robot's own lift, which the camera sees when it is raised.

    ``place`` and ``axes`` are those of the body, ``angle`` that of the lift's arm, rad.
    """
    wrist_x = LIFT_PIVOT[0] + LIFT_ARM * math.cos(angle)
    top = lift_height(angle) - _BAR_DROP
    back, front = (wrist_x + reach for reach in _BAR_REACH)
    half, low = _BAR_WIDTH / 2, top - _BAR_HEIGHT
    for corner, right, down in (
        ((back, half, top), (0, -2 * half, 0), (0, 0, low - top)),
        ((front, half, top), (0, -2 * half, 0), (back - front, 0, 0)),
        ((back, half, low), (0, -2 * half, 0), (front - back, 0, 0)),
    ):
        yield Surface(
            place + axes @ np.array(corner),
            axes @ np.array(right, float),
            axes @ np.array(down, float),
            plain(200),
            is_double=True,
        )


def _sides(shape: Polygon) -> Iterator[tuple[tuple[float, float], tuple[float, float]]]:
    """Return the edges of a shape, each from left to right as seen from outside."""
    corners = shape.corners
    return zip(corners, (*corners[1:], corners[0]), strict=True)


def _side(
    start: tuple[float, float],
    end: tuple[float, float],
    height: float,
    picture: Gray,
    tint: Tint = Tint.WHITE,
) -> Surface:
    corner, right = np.array([*start, height]), np.array([*end, height])
    return Surface(corner, right - corner, np.array([0.0, 0.0, -height]), picture, tint=tint)


def _top(shape: Polygon, height: float, picture: Gray, tint: Tint = Tint.WHITE) -> Surface:
    """Return the lid of a rectangle or any parallelogram, seen from above."""
    first, second, third = (np.array([*corner, height]) for corner in shape.corners[:3])
    return Surface(third, second - third, first - second, picture, tint=tint)


def _is_parallelogram(shape: Polygon) -> bool:
    if len(shape.corners) != 4:
        return False
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = shape.corners
    return math.hypot(x0 - x1 + x2 - x3, y0 - y1 + y2 - y3) < 1e-6


def _front_of_robot() -> Gray:
    picture = np.full((68, 60), 215, np.uint8)
    picture[4:40, 10:50] = 60
    picture[12:25, 17:43] = 25
    picture[14:22, 20:27] = picture[14:22, 33:40] = 235
    picture[44:66, :10] = picture[44:66, 50:] = 50
    return picture


def _side_of_robot() -> Gray:
    picture = np.full((68, 88), 215, np.uint8)
    picture[38:, 2:76] = 50
    picture[46:62, 8:24] = picture[50:62, 56:70] = 140
    return picture


_FRONT, _SIDE = _front_of_robot(), _side_of_robot()
