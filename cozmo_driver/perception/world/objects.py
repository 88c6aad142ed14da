"""What can stand in the world: its size, where its markers are, and how well its place is known."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from types import MappingProxyType

import numpy as np

from ...media import CHARGER_MARKER_SIZE, CUBE_MARKER_SIZE, SIDE_AXES
from .frames import Matrix, angle_between, carried_place, inverse, moved, pose, side_pose
from .pose_history import StampedState

CUBE_EDGE = 0.044
CHARGER_SIZE = (0.096, 0.080, 0.031)
CHARGER_MARKER = (0.086, 0.0, 0.022)
"""Middle of its marker in the charger's frame (spec 13 §2)."""
DOCKED = pose(0.050, 0.0, 0.0, math.pi)
"""``base_footprint`` of a robot on the charger's contacts, in the charger's frame (spec 13 §2)."""
_LOST_DISTANCE, _LOST_TURN = 0.02, 0.015
"""What odometry errs by, as a share of distance and turn (spec 14)."""
_SIGHT_ERROR, _LEAST_ERROR = 0.45, 0.0015
"""m, that a sighting puts the robot beside the charger's axis, at 1 m, and at the least: how a
small marker is turned is seen the worse the farther it is. Cubes are seen wrong by less."""
_ALIKE = 0.3
_PUSHED = 0.012
"""m that a cube seems to be beside where it was because it was pushed; more than images of a
robot that drives are wrong by."""
SAME_PLACE = 0.8
"""Of the size: how far apart two places of one object may be that count as the same."""
SAME_ANGLE = math.radians(45.0)
TAP_SETTLES = 0.5
"""s after a tap in which a cube's radio reports movement that is none."""
SIDES = tuple(SIDE_AXES)
"""The front first: of a cube that was never seen before it is what is seen."""
_PRINT_BOUNDS = (0.031, 0.002, 0.002, 0.1)
"""By which a marker may differ from the drawn one: share of its size, m, m, rad. A guess: real
rings measure 24.5 to 25.1 mm where 25 are drawn (spec 15, 19)."""
# A marker's frame turned by 90 degrees as it is looked at.
_QUARTER = np.array([[0.0, 0.0, 1.0, 0.0], [0, 1, 0, 0], [-1, 0, 0, 0], [0, 0, 0, 1]])


class Kind(Enum):
    """What an object is."""

    CUBE = "cube"
    CHARGER = "charger"
    CUSTOM = "custom"


class PoseState(Enum):
    """How well an object's place is known."""

    UNKNOWN = 0
    KNOWN = 1
    DIRTY = 2


@dataclass(frozen=True, slots=True)
class Print:
    """How a cube's marker was printed, against the drawn one."""

    scale: float = 1.0
    right: float = 0.0
    """m, as it is looked at, as is ``up``."""
    up: float = 0.0
    turn: float = 0.0
    """rad, counter-clockwise as it is looked at."""

    @property
    def is_possible(self) -> bool:
        values = self.scale - 1.0, self.right, self.up, self.turn
        return all(abs(value) <= most for value, most in zip(values, _PRINT_BOUNDS, strict=True))


_EXACT = Print()
DRAWN: Mapping[str, Print] = MappingProxyType({})
"""Of a cube of which nobody knows how it was printed."""


@dataclass(frozen=True, slots=True)
class PrintedCube:
    """How one cube's markers were printed, by side."""

    factory_id: int
    """Its serial number; 0 where it had no radio link."""
    sides: Mapping[str, Print]

    def prints_of(self, factory_id: int) -> Mapping[str, Print]:
        """Return them for the cube with this serial number, 0 for unknown; none for another one."""
        is_another = self.factory_id and factory_id and self.factory_id != factory_id
        return DRAWN if is_another else self.sides


@dataclass(frozen=True)
class MarkerPlace:
    """A marker on an object: its frame there (x to its right, y into it, z up) and its size."""

    matrix: Matrix
    width: float
    height: float

    @cached_property
    def corners(self) -> Matrix:
        """Return the corners in the object's frame, (4, 3), from the marker's upper left."""
        w, h = self.width / 2, self.height / 2
        flat = np.array([[-w, 0.0, h], [w, 0.0, h], [w, 0.0, -h], [-w, 0.0, -h]])
        return moved(self.matrix, flat)


@dataclass(frozen=True)
class ObjectModel:
    """A kind of box with markers. Its frame is in its middle, but for the charger's lip."""

    name: str
    kind: Kind
    size: tuple[float, float, float]
    markers: Mapping[str, MarkerPlace]
    """By side, or by the name of a tag."""
    center: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Its middle in its own frame."""
    is_upright: bool = False
    """Whether it stands on its bottom always."""
    prints: Mapping[str, Print] = field(default_factory=lambda: DRAWN)
    """Of a cube: how its markers differ from the drawn ones, by side, where that is known."""

    @cached_property
    def turned_markers(self) -> tuple[MarkerPlace, ...]:
        """Where a marker may be of which neither side nor turn is known; the front comes first."""
        front = self.markers["front"]
        if self.is_upright:
            return (front,)
        turns = [np.linalg.matrix_power(_QUARTER, count) for count in range(4)]
        places = (front, *self.markers.values())
        return tuple(replace(one, matrix=one.matrix @ turn) for one in places for turn in turns)

    @cached_property
    def corners(self) -> Matrix:
        """Return the corners of the box in its frame, (8, 3)."""
        half = np.array(self.size) / 2
        signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        corners: Matrix = np.array(self.center) + signs * half
        return corners

    def is_same_pose(self, a: Matrix, b: Matrix) -> bool:
        """Whether two poses differ by no more than sightings of one resting object do."""
        offset = np.abs((inverse(a) @ b)[:3, 3])
        is_near = bool((offset <= SAME_PLACE * np.array(self.size)).all())
        return is_near and angle_between(a, b) <= SAME_ANGLE


def detection_error(distance: float) -> float:
    """Return the m by which something is seen beside where it is, from a distance."""
    return max(_SIGHT_ERROR * distance**3, _LEAST_ERROR)


def cube_model(number: int, prints: Mapping[str, Print] = DRAWN) -> ObjectModel:
    """Return light cube 1, 2 or 3, with its markers as they were ``prints``-ed, by side."""
    size = (CUBE_EDGE,) * 3
    places = {}
    for side in SIDES:
        one = prints.get(side, _EXACT)
        width = one.scale * CUBE_MARKER_SIZE
        matrix = side_pose(side, size, (one.right, one.up), one.turn)
        places[side] = MarkerPlace(matrix, width, width)
    return ObjectModel(f"cube_{number}", Kind.CUBE, size, MappingProxyType(places), prints=prints)


def charger_model() -> ObjectModel:
    """Return the charger: its origin is the entrance's lip on the floor, x inwards."""
    marker = side_pose("front", CHARGER_SIZE)
    marker[:3, 3] = CHARGER_MARKER
    places = {"front": MarkerPlace(marker, *CHARGER_MARKER_SIZE)}
    x, _, z = CHARGER_SIZE
    return ObjectModel(
        "charger",
        Kind.CHARGER,
        CHARGER_SIZE,
        MappingProxyType(places),
        center=(x / 2, 0.0, z / 2),
        is_upright=True,
    )


@dataclass(slots=True)
class Candidate:
    """A place where an object was seen that is not believed yet."""

    pose: Matrix
    since: float
    """s, when it was seen there first."""
    count: int = 1


@dataclass(slots=True, eq=False)
class TrackedObject:
    """One object and what is known of it."""

    model: ObjectModel
    state: PoseState = PoseState.UNKNOWN
    pose: Matrix | None = None
    """In odom; of the last place where it is not ``state`` UNKNOWN."""
    origin: int = 0
    candidate: Candidate | None = None
    last_seen: float = -math.inf
    seen_from: StampedState | None = None
    misses: int = 0
    """Images in a row that it was not in, and should have been; s, when the first one was taken."""
    missed_since: float = -math.inf
    is_carried: bool = False
    carried_turn: Matrix = field(default_factory=lambda: np.eye(3))
    """How it is turned against the robot while it is carried."""
    is_moving: bool = False
    """As its radio reports."""
    moved_at: float = -math.inf
    """When its radio last reported that it began to move, or stopped."""
    tapped_at: float = -math.inf
    slot: int | None = None
    """Of the robot's radio; None while it is not connected."""
    is_watched: bool = False
    """Whether it has been connected ever since it was last seen from near at rest."""
    up: str = ""
    """Side that is up, as its radio reports; empty where that is not known."""
    deviation: float = math.inf
    """m, by which it may be beside where it is believed to be; of a charger, beside its axis."""

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def place(self) -> Matrix:
        """Its pose; it must have one."""
        assert self.pose is not None
        return self.pose

    @property
    def side_up(self) -> str:
        """The side that is up; empty where that is not known, or changes now."""
        return "" if self.is_moving or self.is_carried else self.up

    def is_located(self, origin: int) -> bool:
        """Whether its place in odom is known since the robot was carried for the last time."""
        return self.state is not PoseState.UNKNOWN and self.origin == origin

    def expect(self, pose: Matrix, origin: int) -> None:
        """Take it to be at a pose in odom that nothing has shown; its state is set by others."""
        self.pose, self.origin, self.deviation = pose, origin, math.inf
        self.candidate, self.misses, self.is_carried = None, 0, False

    def is_at(self, pose: Matrix, origin: int) -> bool:
        """Whether it is located, and at a pose as far as sightings can tell."""
        if self.pose is None or not self.is_located(origin):
            return False
        return self.model.is_same_pose(self.pose, pose)

    def carried_pose(self, robot: StampedState) -> Matrix:
        """Return where it is on the lift."""
        carried = np.eye(4)
        carried[:3, :3], carried[:3, 3] = self.carried_turn, carried_place(robot.lift)
        placed: Matrix = robot.base @ carried
        return placed

    def drift(self, before: StampedState, now: StampedState) -> None:
        """Let its pose get worse by what the robot drove."""
        if self.pose is None or not self.is_located(now.origin):
            return
        x, y = self.pose[:2, 3]
        distance, turn = now.motion_since(before)
        away = math.hypot(x - now.x, y - now.y)
        self.deviation += _LOST_DISTANCE * distance + _LOST_TURN * abs(turn) * away

    def link(self, slot: int | None, up: str, prints: Mapping[str, Print]) -> None:
        """Take its radio slot, None without a link, which side is up, and how it was printed."""
        if prints != self.model.prints:
            self.model = cube_model(int(self.name[-1]), prints)
        self.is_watched = self.is_watched and slot == self.slot
        self.slot, self.up = slot, up
        if slot is None:
            self.is_moving, self.up = False, ""

    @property
    def has_not_moved(self) -> bool:
        """Whether the radio of a KNOWN cube would have told that it was moved since."""
        return self.state is PoseState.KNOWN and self.slot is not None

    def is_beside(self, pose: Matrix, distance: float) -> bool:
        """Whether a cube is seen, at a pose from a distance, m, beside where it is believed to be.

        By more than images of a robot that drives are wrong by.
        """
        if self.model.kind is not Kind.CUBE or self.pose is None:
            return False
        apart = float(np.linalg.norm(self.pose[:3, 3] - pose[:3, 3]))
        return apart > self.deviation + detection_error(distance) + _PUSHED

    def has_drifted(self, distance: float, origin: int) -> bool:
        """Whether odometry has lost more of its place than is seen wrong from a distance, m."""
        return self.is_located(origin) and self.deviation > detection_error(distance)

    def average(self, seen: Matrix, distance: float) -> Matrix:
        """Return it where it was and is seen to be, the nearer the more, turned as it is seen.

        ``distance``: from the camera to its marker.
        """
        error = detection_error(distance)
        if self.pose is None or math.isinf(self.deviation):
            self.deviation = error
            return seen
        share = self.deviation**2 / (self.deviation**2 + error**2)
        # Sightings from one place err alike, so that many are no better than a few.
        self.deviation = max(error * math.sqrt(share), _ALIKE * error)
        place = self.model.markers["front"].matrix[:, 3]
        averaged: Matrix = seen.copy()
        averaged[:3, 3] += (1.0 - share) * ((self.pose - seen) @ place)[:3]
        return averaged

    def heights(self) -> tuple[float, float]:
        """Return its lowest and highest point above the floor; it must have a pose."""
        z = self.model.corners @ self.place[2, :3] + self.place[2, 3]
        return float(z.min()), float(z.max())

    def footprint(self) -> Matrix:
        """Return its corners as seen from above, (8, 2); it must have a pose."""
        points: Matrix = self.model.corners @ self.place[:2, :3].T + self.place[:2, 3]
        return points

    def view(self, is_here: bool, is_visible: bool, on_top_of: str | None) -> LocatedObject:
        """Return what is known of it; ``is_here``: in the robot's odometry as it is now."""
        return LocatedObject(
            self.name,
            self.model.kind,
            self.state if is_here else PoseState.UNKNOWN,
            self.pose if is_here else None,
            self.model.size,
            self.slot,
            self.last_seen,
            is_visible,
            self.is_carried,
            on_top_of,
            self.model.center,
            self.is_moving,
        )


@dataclass(frozen=True, slots=True)
class LocatedObject:
    """What is known of an object now."""

    name: str
    kind: Kind
    state: PoseState
    pose: Matrix | None
    """In odom; None where it is UNKNOWN."""
    size: tuple[float, float, float]
    slot: int | None
    last_seen: float
    is_visible: bool
    is_carried: bool
    on_top_of: str | None
    center: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Its middle in its own frame."""
    is_moving: bool = False
    """As its radio says."""

    def middle(self, pose: Matrix) -> Matrix:
        """Return where its middle is when its frame is at ``pose``."""
        placed: Matrix = pose.copy()
        placed[:3, 3] += pose[:3, :3] @ self.center
        return placed
