"""What the camera sees besides the floor: flat surfaces with a gray picture on each; mm.

Row 0 of a picture is at the top.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from ...media import SIDE_AXES
from ..body import Pose2D
from ..hardware import LIFT_ARM, LIFT_PIVOT
from ..joints import lift_height
from .layout import ROBOT_FRONT, ROBOT_HALF_WIDTH, ROBOT_REAR, Solid, Tint, robot_shape
from .light import unit_normal
from .optics import Floats, Gray
from .polygons import Polygon
from .textures import charger_wall_prints, cube_side, silhouette
from .things import CUBE_EDGE, Moving, Print
from .world import WorldCube

_WALL_PIXELS = (64, 256)
_ROBOT_HEIGHT = 67.7
_LIGHT = np.array([0.45, 0.25, 0.86])
"""Towards the light."""
_AMBIENT = 0.86
_SHADOW = 18.0
"""mm that a cube's shadow reaches."""
_DARKEST = 0.45
_SHADOW_PIXELS = 64
_ASIDE = np.zeros(2)


@lru_cache(maxsize=256)
def wall_side(gray: int, number: int) -> tuple[Gray, ...]:
    """Return a wall's side: stripes and spots that tell one place from another."""
    rows, columns = _WALL_PIXELS
    random = np.random.default_rng(number)
    stripes = np.repeat(random.uniform(-28, 28, columns // 8), 8)
    picture = gray + stripes[None, :] + random.normal(0.0, 3.0, (rows, columns))
    picture[-5:] -= 30.0
    for _ in range(6):
        row, column = random.integers(6, rows - 12), random.integers(0, columns - 12)
        picture[row : row + 6, column : column + 10] += random.choice((-45.0, 45.0))
    return (np.clip(picture, 0, 255).astype(np.uint8),)


@lru_cache(maxsize=64)
def plain(gray: int) -> tuple[Gray, ...]:
    return (np.full((1, 1), gray, np.uint8),)


@dataclass(frozen=True, slots=True)
class Surface:
    """A parallelogram: its upper left corner, and its edges to the right and down, from outside."""

    corner: Floats
    right: Floats
    down: Floats
    pictures: tuple[Gray, ...]
    """In its own size, half of it, and so on; one where all is plain."""
    is_double: bool = False
    """Seen from its back too."""
    tint: Tint = Tint.WHITE
    is_fine: bool = False
    """Drawn with several samples to a pixel."""
    is_cutout: bool = False
    """Nothing is where its picture is black."""
    is_shadow: bool = False
    """Its picture darkens what is behind it: 255 not at all."""
    is_glossy: bool = False
    """Reflects a lamp."""
    light: float = 1.0
    """How much light there is."""

    @property
    def edges(self) -> tuple[Floats, Floats, Floats]:
        return self.corner, self.right, self.down

    @property
    def normal(self) -> Floats:
        """Where it faces, a unit vector."""
        return unit_normal(self.right, self.down)

    @property
    def shade(self) -> float:
        """How light it is, by where it faces and the light that there is."""
        facing = float(self.normal @ _LIGHT)
        return (_AMBIENT + (1.0 - _AMBIENT) * facing) * self.light


def of_solid(solid: Solid, number: int) -> Iterator[Surface]:
    """Return the sides and, for four corners, the top of a wall or box, and what is on them."""
    gray = solid.gray
    for index, (start, end) in enumerate(_sides(solid.shape)):
        length = math.dist(start, end)
        picture = wall_side(gray, number * 7 + index) if length > 30.0 else plain(gray)
        yield _side(start, end, solid.height, picture, solid.tint)
    if _is_parallelogram(solid.shape):
        yield _top(solid.shape, solid.height, plain(min(gray + 25, 255)), solid.tint)
    if solid.prints:
        yield from _prints_of(solid)


def _prints_of(box: Solid) -> Iterator[Surface]:
    (x0, y0), (x1, y1), (x2, y2), _ = box.shape.corners
    ahead, left = np.array([x1 - x2, y1 - y2, 0.0]), np.array([x1 - x0, y1 - y0, 0.0])
    half = np.column_stack((ahead, left, (0.0, 0.0, box.height))) / 2
    center = np.array([box.shape.x, box.shape.y, box.height / 2])
    return _prints(box.prints, center, half)


def _prints(prints: Sequence[Print], center: Floats, half: Floats) -> Iterator[Surface]:
    """Return prints on a box; the columns of ``half`` lead from its centre to its sides."""
    for one in prints:
        normal, up = (half @ np.array(v) for v in SIDE_AXES[one.side])
        right = np.cross(up, normal)
        up, right = (v / np.linalg.norm(v) for v in (up, right))
        middle = center + normal * (1.0 + one.lift / np.linalg.norm(normal))
        corner = middle + (one.up + one.height / 2) * up + (one.right - one.width / 2) * right
        yield Surface(corner, one.width * right, -one.height * up, one.pictures, is_fine=True)


def of_charger(wall: Solid, seed: int, errors: float) -> Iterator[Surface]:
    """Return the charger's wall; its marker faces the entrance, smaller x of the charger.

    ``seed`` and ``errors`` are those of the print.
    """
    for start, end in _sides(wall.shape):
        yield _side(start, end, wall.height, plain(215))
    yield _top(wall.shape, wall.height, plain(225))
    plate, marker = _prints_of(replace(wall, prints=charger_wall_prints(seed, errors)))
    yield from (plate, replace(marker, is_glossy=True))


def of_cube(cube: WorldCube, seed: int, errors: float) -> Iterator[Surface]:
    """Return the six sides of a light cube, and what is stuck on them; as they were printed."""
    center, half = cube.place.center, cube.place.rotation * (CUBE_EDGE / 2)
    for side, (normal, up) in SIDE_AXES.items():
        out, top = half @ np.array(normal), half @ np.array(up)
        right = np.cross(top, out) * (2.0 / CUBE_EDGE)
        corner = center + out + top - right
        sides = cube_side(cube.number, side, seed, errors)
        yield Surface(corner, 2 * right, -2 * top, sides, is_fine=True, is_glossy=True)
    yield from _prints(cube.place.prints, center, half)


def shadow_of(cube: WorldCube, aside: Floats = _ASIDE) -> Surface | None:
    """Return the soft shadow round the foot of a cube on the floor; ``aside`` mm from it."""
    if not cube.is_on_floor:
        return None
    x, y, _ = cube.place.extents
    return _shadow(cube.pose, aside, x, y, _DARKEST)


def shadow_of_robot(pose: Pose2D, strength: float, aside: Floats = _ASIDE) -> Surface:
    """Return the soft shadow round a robot."""
    half = (ROBOT_FRONT + ROBOT_REAR) / 2
    middle = pose.then(Pose2D(ROBOT_FRONT - half))
    return _shadow(middle, aside, half, ROBOT_HALF_WIDTH, min(_DARKEST * strength, 1.0))


def _shadow(middle: Pose2D, aside: Floats, x: float, y: float, darkest: float) -> Surface:
    """Return the shadow of what reaches x mm ahead and behind, and y mm to both sides."""
    reach_x, reach_y = x + _SHADOW, y + _SHADOW
    c, s = math.cos(middle.angle), math.sin(middle.angle)
    ahead, left = np.array([c, s, 0.0]), np.array([-s, c, 0.0])
    place = np.array([middle.x + aside[0], middle.y + aside[1], 0.2])
    corner = place + reach_x * ahead + reach_y * left
    picture = _soft_shadow(round(x), round(y), darkest)
    return Surface(corner, -2 * reach_y * left, -2 * reach_x * ahead, picture, is_shadow=True)


@lru_cache(maxsize=16)
def _soft_shadow(x: int, y: int, darkest: float) -> tuple[Gray, ...]:
    """Return the shadow of a rectangle: darkest at its rim, gone ``_SHADOW`` mm away from it."""
    at = (np.arange(_SHADOW_PIXELS) + 0.5) / _SHADOW_PIXELS * 2 - 1
    beyond_x, beyond_y = (
        np.maximum(np.abs(at) * (half + _SHADOW) - half, 0.0) / _SHADOW for half in (x, y)
    )
    share = np.clip(1.0 - np.hypot(beyond_x[:, None], beyond_y[None, :]), 0.0, 1.0)
    return ((255.0 * (1.0 - darkest * share**2)).astype(np.uint8),)


def of_moving(thing: Moving, time: float, eye: Floats) -> Surface:
    """Return a moving thing as a picture that faces the camera."""
    place = thing.place(time)
    towards = place[:2] - eye[:2]
    distance = float(np.hypot(*towards)) or 1.0
    right = np.array([towards[1], -towards[0], 0.0]) / distance * thing.size
    down = np.array([0.0, 0.0, -thing.size])
    corner = place - right / 2 - down / 2
    return Surface(
        corner,
        right,
        down,
        silhouette(thing.form, thing.gray),
        is_double=True,
        is_fine=True,
        is_cutout=True,
    )


def of_robot(pose: Pose2D) -> Iterator[Surface]:
    """Return another robot: a block of its size with a dark face."""
    shape = robot_shape(pose)
    for start, end in _sides(shape):
        middle = Pose2D((start[0] + end[0]) / 2, (start[1] + end[1]) / 2).seen_from(pose)
        is_front = middle.x > ROBOT_FRONT - 1.0
        yield _side(start, end, _ROBOT_HEIGHT, _FRONT if is_front else _SIDE)
    yield _top(shape, _ROBOT_HEIGHT, plain(220))


def of_lift(place: Floats, axes: Floats, angle: float) -> Iterator[Surface]:
    """Return the robot's own lift: its crossbar and the posts beside it, seen from behind.

    ``place`` and ``axes`` are those of the body, ``angle`` that of the lift's arm, rad.
    """
    wrist = LIFT_PIVOT[0] + LIFT_ARM * math.cos(angle), lift_height(angle)
    for (x0, x1), (y0, y1), (z0, z1), picture in _LIFT_PARTS:
        back, front = wrist[0] + x0, wrist[0] + x1
        low, top = wrist[1] + z0, wrist[1] + z1
        wide, deep, high = (0.0, y0 - y1, 0.0), (front - back, 0.0, 0.0), (0.0, 0.0, low - top)
        for corner, right, down, shown in (
            ((back, y1, top), wide, high, picture),
            ((front, y1, top), wide, (back - front, 0.0, 0.0), plain(225)),
            ((back, y1, low), wide, deep, plain(150)),
            ((back, y0, top), deep, high, plain(190)),
            ((back, y1, top), deep, high, plain(190)),
        ):
            yield Surface(
                place + axes @ np.array(corner),
                axes @ np.array(right),
                axes @ np.array(down),
                shown,
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
    pictures: tuple[Gray, ...],
    tint: Tint = Tint.WHITE,
) -> Surface:
    corner, right = np.array([*start, height]), np.array([*end, height])
    return Surface(corner, right - corner, np.array([0.0, 0.0, -height]), pictures, tint=tint)


def _top(
    shape: Polygon, height: float, pictures: tuple[Gray, ...], tint: Tint = Tint.WHITE
) -> Surface:
    """Return the lid of a rectangle or any parallelogram, seen from above."""
    first, second, third = (np.array([*corner, height]) for corner in shape.corners[:3])
    return Surface(third, second - third, first - second, pictures, tint=tint)


def _is_parallelogram(shape: Polygon) -> bool:
    if len(shape.corners) != 4:
        return False
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = shape.corners
    return math.hypot(x0 - x1 + x2 - x3, y0 - y1 + y2 - y3) < 1e-6


def _front_of_robot() -> tuple[Gray, ...]:
    picture = np.full((68, 60), 215, np.uint8)
    picture[4:40, 10:50] = 60
    picture[12:25, 17:43] = 25
    picture[14:22, 20:27] = picture[14:22, 33:40] = 235
    picture[44:66, :10] = picture[44:66, 50:] = 50
    return (picture,)


def _side_of_robot() -> tuple[Gray, ...]:
    picture = np.full((68, 88), 215, np.uint8)
    picture[38:, 2:76] = 50
    picture[46:62, 8:24] = picture[50:62, 56:70] = 140
    return (picture,)


def _back_of_crossbar() -> tuple[Gray, ...]:
    """Return the crossbar as the camera sees it: light, with two dark round sockets."""
    rows, columns = np.mgrid[:17, :60]
    picture = np.full(rows.shape, 205, np.uint8)
    for middle in (17.0, 43.0):
        picture[np.hypot(rows - 8.0, columns - middle) < 5.0] = 35
    return (picture,)


_FRONT, _SIDE = _front_of_robot(), _side_of_robot()
_LIFT_PARTS = (
    ((-1.0, 4.0), (-15.0, 15.0), (-28.5, -20.0), _back_of_crossbar()),
    ((-1.0, 4.0), (15.0, 29.0), (-30.0, 3.0), plain(205)),
    ((-1.0, 4.0), (-29.0, -15.0), (-30.0, 3.0), plain(205)),
)
"""Crossbar and posts as seen from the wrist, x, y, z from and to (spec 13 §2, 19; posts: an
estimate), and their backs."""
