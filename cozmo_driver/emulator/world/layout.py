"""A world as it is set up: floors, walls, boxes, cubes, the charger, robots; mm, rad."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from ..body import Pose2D
from ..hardware import ON_GROUND
from .polygons import Point, Polygon, contains, rectangle
from .things import CubePlace, Moving, Print

CHARGER_LENGTH, CHARGER_WIDTH, CHARGER_HEIGHT = 96.0, 80.0, 31.0
CHARGER_WALL = 86.0
"""From the lip to the wall that carries the marker (spec 13 §2)."""
_DOCKED = Pose2D(30.0, 0.0, math.pi)
"""A docked robot, as seen from the charger."""
ROBOT_FRONT, ROBOT_REAR, ROBOT_HALF_WIDTH = 32.1, 55.9, 30.0
"""From the robot's origin (spec 13 §2)."""


class Pattern(Enum):
    PLAIN = "plain"
    CHECKER = "checker"
    WOOD = "wood"


class Tint(Enum):
    """The colour of a thing; its gray says how light it is."""

    WHITE = "white"
    WOOD = "wood"
    RED = "red"
    GREEN = "green"
    BLUE = "blue"
    YELLOW = "yellow"


TINT_COLORS = {
    Tint.WHITE: (1.0, 1.0, 1.0),
    Tint.WOOD: (1.14, 0.98, 0.76),
    Tint.RED: (1.5, 0.66, 0.6),
    Tint.GREEN: (0.66, 1.25, 0.7),
    Tint.BLUE: (0.62, 0.92, 1.6),
    Tint.YELLOW: (1.25, 1.1, 0.45),
}
"""What red, green and blue are of a thing's gray."""


@dataclass(frozen=True, slots=True)
class Floor:
    """A piece of floor that carries the robot; its outer edges are cliffs."""

    corners: tuple[Point, ...]
    reflectance: int = ON_GROUND
    """What the cliff sensor reads over it."""
    gray: int = 170
    pattern: Pattern = Pattern.CHECKER
    tint: Tint = Tint.WHITE
    track: float | None = None
    """mm that the treads seem to be apart in turns, in which they slip; None for a usual one."""


@dataclass(frozen=True, slots=True)
class Solid:
    """Something upright that does not move: a piece of wall or a box."""

    shape: Polygon
    height: float
    gray: int = 140
    tint: Tint = Tint.WHITE
    prints: tuple[Print, ...] = ()
    """What is on the sides of a box."""


@dataclass(frozen=True, slots=True)
class Layout:
    """A world as it is set up; without floors the ground has no end."""

    name: str = "endless"
    floors: tuple[Floor, ...] = ()
    """Later ones lie on earlier ones."""
    holes: tuple[tuple[Point, ...], ...] = ()
    """Polygons without floor."""
    solids: tuple[Solid, ...] = ()
    cubes: Mapping[int, CubePlace] = field(default_factory=dict)
    """Where light cubes are, by number, which is their object type: 1 to 3."""
    moving: tuple[Moving, ...] = ()
    light: float = 1.0
    """How bright it is; 1 is usual."""
    flicker: float = 0.0
    """Share of the light that comes and goes with the mains: bands in pictures (spec 19)."""
    slope: float | None = None
    """rad, of all floors alike; None for a usual one."""
    uphill: float = 0.0
    """Where they rise to, rad."""
    charger: Pose2D | None = None
    """Middle of the entrance's lip; x points inwards."""
    robots: tuple[Pose2D, ...] = field(default=(Pose2D(),))
    """Where robots start, the first one first."""
    ground: Floor = field(default=Floor(()))
    """How the endless ground looks."""

    def floor_at(self, x: float, y: float) -> Floor | None:
        """Return what carries a robot at a point, None beyond the edges."""
        if not self.floors:
            return self.ground
        if any(contains(hole, x, y) for hole in self.holes):
            return None
        return next(
            (floor for floor in reversed(self.floors) if contains(floor.corners, x, y)), None
        )


def robot_shape(pose: Pose2D, front: float = ROBOT_FRONT) -> Polygon:
    return rectangle(pose, front, ROBOT_REAR, ROBOT_HALF_WIDTH)


def charger_plate(charger: Pose2D) -> Polygon:
    """Return what of the charger the robot drives on, its wall included."""
    return rectangle(charger, CHARGER_LENGTH, 0.0, CHARGER_WIDTH / 2)


def charger_wall(charger: Pose2D) -> Solid:
    thickness = CHARGER_LENGTH - CHARGER_WALL
    middle = charger.then(Pose2D(CHARGER_WALL + thickness / 2))
    shape = rectangle(middle, thickness / 2, thickness / 2, CHARGER_WIDTH / 2)
    return Solid(shape, CHARGER_HEIGHT, gray=235)


def dock_pose(charger: Pose2D) -> Pose2D:
    """Return where a robot stands with its contacts on those of the charger (spec 13 §2)."""
    return charger.then(_DOCKED)
