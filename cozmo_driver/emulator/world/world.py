"""One world with everything in it: what carries, what blocks and what can be pushed; mm, rad."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from random import Random

import numpy as np

from ...protocol import UpAxis
from ..body import Pose2D
from ..hardware import EFFECTIVE_TRACK, FLOOR_TRACKS, IN_AIR, STEEPEST_FLOOR
from ..lights import Rgb
from .layout import (
    CHARGER_LENGTH,
    CHARGER_WIDTH,
    ROBOT_FRONT,
    Layout,
    charger_plate,
    charger_wall,
    dock_pose,
    robot_shape,
)
from .optics import Floats
from .polygons import Overlap, Polygon, overlap, pushed
from .things import ATTITUDES, CUBE_EDGE, CubePlace

_ROUNDS = 6
"""Times that everything is pushed apart in a step before it counts as jammed."""
_JAMMED = 0.2
"""mm that things may stay in each other after that."""
_CUBE_REACH = 0.6 * CUBE_EDGE / 2
_ROBOT_REACH = 30.0
_NEAR = 300.0
"""mm; a row of three cubes ahead of the robot reaches no farther."""
_SPOT = 4.0
"""mm around the cliff sensor's middle that it sees (spec 13 §6)."""
_RINGS = ((0.0, 1), (0.5, 6), (1.0, 12))
_LIP = (-6.0, 4.0)
"""mm from the charger's lip at which the sensor looks past its edge. An estimate, for spec 14."""
_LIP_LEVEL = 250
_LAMPS = ((-18.0, 18.0, 18.0), (-18.0, -18.0, 18.0), (18.0, -18.0, 18.0), (18.0, 18.0, 18.0))
"""Where a cube's lights are in its frame, 0 to 3. Which one is where is an estimate."""
_LAMP_RADIUS = 4.5


@dataclass(slots=True)
class WorldCube:
    """A light cube; its number is its object type."""

    number: int
    place: CubePlace
    is_down: bool = False
    """It has fallen over an edge."""
    holder: object = None
    """The lift that holds it."""

    _outline: tuple[CubePlace, Polygon] | None = None

    @property
    def pose(self) -> Pose2D:
        return self.place.pose

    @pose.setter
    def pose(self, pose: Pose2D) -> None:
        self.place = replace(self.place, pose=pose)

    @property
    def shape(self) -> Polygon:
        if self._outline is None or self._outline[0] is not self.place:
            self._outline = self.place, self.place.shape()
        return self._outline[1]

    @property
    def is_on_floor(self) -> bool:
        return not self.is_down and self.holder is None and self.place.bottom == 0.0


@dataclass(frozen=True, slots=True)
class Lamp:
    """A light of a cube: where it is, its colour from 0 to 1, and the radius of its spot, mm."""

    place: Floats
    color: Floats
    radius: float


@dataclass(eq=False)
class Occupant:
    """A robot as the world sees it."""

    where: Callable[[], Pose2D]
    """Its origin's pose."""
    is_solid: Callable[[], bool]
    """Whether others bump into it."""
    has_cube: Callable[[int], bool] = lambda _: False
    """Whether a cube, by its factory id, is connected to it."""
    on_cube_moved: Callable[[WorldCube], None] = lambda _: None
    """Called for every step in which a cube is moved."""
    cube_colors: Callable[[int], tuple[Rgb, ...] | None] = lambda _: None
    """What the lights of a cube, by its number, show; None if it is not connected to this robot."""
    cube_front: Callable[[], float] = lambda: ROBOT_FRONT
    """Where cubes on the floor touch it, ahead of its origin."""


class World:
    """Shared by the robots in it. Has no time of its own: things stay where they are put."""

    def __init__(self, layout: Layout | None = None, *, seed: int = 0, ideal: bool = False) -> None:
        """In an ``ideal`` one floors are level, and treads do not slip but in turns."""
        self.layout = layout or Layout()
        self.seed, self.ideal = seed, ideal
        self.cubes = {number: WorldCube(number, at) for number, at in self.layout.cubes.items()}
        self.charger = self.layout.charger
        self._plate = charger_plate(self.charger) if self.charger else None
        walls = (charger_wall(self.charger),) if self.charger else ()
        self.solids = (*self.layout.solids, *walls)
        self.occupants: list[Occupant] = []
        self.random = Random(f"{seed} world")
        floor = Random(f"{seed} floor")
        slope, uphill = floor.uniform(0.0, STEEPEST_FLOOR), floor.uniform(-math.pi, math.pi)
        track = floor.choice(FLOOR_TRACKS)
        if ideal:
            slope, track = 0.0, EFFECTIVE_TRACK
        self.slope = slope if self.layout.slope is None else self.layout.slope
        """rad; of all floors alike."""
        self.uphill = uphill if self.layout.slope is None else self.layout.uphill
        self._track = track
        self._has_tracks = any(floor.track for floor in self.layout.floors)

    # -- robots

    def is_taken(self, factory_id: int, robot: Occupant) -> bool:
        """Return whether a cube is connected to another robot than ``robot``."""
        return any(o.has_cube(factory_id) for o in self.occupants if o is not robot)

    def leave(self, occupant: Occupant) -> None:
        if occupant in self.occupants:
            self.occupants.remove(occupant)

    def start_of(self, index: int) -> Pose2D:
        """Return where a robot starts. Raises ``ValueError`` when the world has no place left."""
        starts = self.layout.robots
        if index < len(starts):
            return starts[index]
        if self.layout.floors:
            raise ValueError(
                f"the world {self.layout.name} has places for {len(starts)} robots: "
                "add one under robots in its file"
            )
        return Pose2D(0.0, 120.0 * index)

    @property
    def dock(self) -> Pose2D | None:
        """Where a robot stands on the charger's contacts."""
        return None if self.charger is None else dock_pose(self.charger)

    # -- the floor

    def reflectance(self, x: float, y: float) -> int:
        """Return what a cliff sensor reads over a point: the mean over what it sees."""
        if not self.layout.floors and self.charger is None:
            return self.layout.ground.reflectance
        rim = [self._level(x + dx, y + dy) for dx, dy in _RIM]
        if rim.count(rim[0]) == len(rim):
            return rim[0]
        levels = [self._level(x + dx, y + dy) for dx, dy in _SAMPLES]
        return round(sum(levels) / len(levels))

    def track_at(self, x: float, y: float) -> float:
        """Return the track, mm, that treads seem to have in turns at a point."""
        floor = self.layout.floor_at(x, y) if self._has_tracks else self.layout.ground
        return self._track if floor is None else floor.track or self._track

    def _level(self, x: float, y: float) -> int:
        plate = self._plate
        is_near = plate and math.hypot(plate.x - x, plate.y - y) <= plate.radius - _LIP[0]
        if is_near and self.charger is not None:
            spot = Pose2D(x, y).seen_from(self.charger)
            if abs(spot.y) <= CHARGER_WIDTH / 2 and _LIP[0] <= spot.x <= CHARGER_LENGTH:
                return _LIP_LEVEL if spot.x <= _LIP[1] else self.layout.ground.reflectance
        floor = self.layout.floor_at(x, y)
        return IN_AIR if floor is None else floor.reflectance

    # -- what is in the way

    def move_cube(self, number: int, pose: Pose2D) -> None:
        """Put a cube elsewhere on the floor; what stands on it goes with it.

        Raises ``ValueError`` if it is not there or cannot stand there.
        """
        cube, before = self.cube(number), self.cube(number).place
        place = replace(before, pose=pose, bottom=0.0, on=None)
        self.check_place(place.shape(), cube)
        cube.place, cube.is_down, cube.holder = place, False, None
        self._finish_move(cube, before)

    def stack_cube(self, number: int, below: int, yaw: float = 0.0) -> None:
        """Put a cube on another one, its middle over that one's; ``yaw`` in rad.

        Raises ``ValueError`` if one is not there, or the other has fallen, stands on it or carries
        a third one.
        """
        cube, base = self.cube(number), self.cube(below)
        if base.is_down:
            raise ValueError(f"cube {below} lies beside the floor: put it elsewhere first")
        if cube in (base, *self._under(base)):
            raise ValueError(f"cube {below} stands on cube {number}: take it off first")
        for other in self.cubes.values():
            if other.place.on == below and other is not cube:
                raise ValueError(f"cube {other.number} stands on cube {below}: take it off first")
        before = cube.place
        pose = replace(base.pose, angle=yaw)
        cube.place = replace(before, pose=pose, bottom=base.place.top, on=below)
        cube.is_down, cube.holder = False, None
        self._finish_move(cube, before)

    def turn_cube(self, number: int, up_axis: UpAxis) -> None:
        """Lay a cube on another side, so that ``up_axis`` points up."""
        cube, before = self.cube(number), self.cube(number).place
        roll, pitch = ATTITUDES[up_axis]
        cube.place = replace(before, roll=roll, pitch=pitch)
        self._finish_move(cube, before)

    def put_cube(self, cube: WorldCube, place: CubePlace) -> None:
        """Let a cube be wherever a robot's lift brings it."""
        before, cube.place = cube.place, place
        self._finish_move(cube, before)

    def _finish_move(self, cube: WorldCube, before: CubePlace) -> None:
        """Take along what stands on a cube that has moved, and tell the robots."""
        if cube.place == before:
            return
        for rider in self.cubes.values():
            if rider.place.on == cube.number:
                old = rider.place
                pose = cube.pose.then(old.pose.seen_from(before.pose))
                rider.place = replace(old, pose=pose, bottom=cube.place.top)
                rider.is_down = cube.is_down
                self._finish_move(rider, old)
        for occupant in self.occupants:
            occupant.on_cube_moved(cube)

    def _under(self, cube: WorldCube) -> Iterator[WorldCube]:
        while cube.place.on is not None:
            cube = self.cubes[cube.place.on]
            yield cube

    def lamps(self) -> Iterator[Lamp]:
        """Return the lights of cubes that are on: one at each corner of a cube's own top."""
        for cube in self.cubes.values():
            colors = next(
                (c for o in self.occupants if (c := o.cube_colors(cube.number)) is not None), ()
            )
            for color, corner in zip(colors, _LAMPS, strict=False):
                if any(color) and not cube.is_down:
                    place = cube.place.center + cube.place.rotation @ np.array(corner)
                    yield Lamp(place, np.array(color), _LAMP_RADIUS)

    def check_place(self, shape: Polygon, thing: object) -> None:
        """Raise ``ValueError`` if ``thing`` (a cube or an occupant) cannot stand in a place."""
        if self.layout.floor_at(shape.x, shape.y) is None:
            raise ValueError("there is no floor there: choose another place")
        if what := self.hindrance(shape, thing):
            raise ValueError(f"{what} is in the way: choose another place")

    def hindrance(self, shape: Polygon, thing: object = None) -> str:
        """Return what stands in a place besides ``thing``; empty for nothing."""
        there = [("a wall or a box", solid.shape) for solid in self.solids]
        there += [(f"cube {c.number}", c.shape) for c in self._standing_cubes() if c is not thing]
        there += [("a robot", other) for other in self._other_robots(thing)]
        return next((what for what, other in there if overlap(shape, other)), "")

    def cube(self, number: int) -> WorldCube:
        """Return a cube. Raises ``ValueError`` for one that is not there."""
        if number not in self.cubes:
            there = ", ".join(map(str, self.cubes)) or "none"
            raise ValueError(f"there is no cube {number} in this world; there are: {there}")
        return self.cubes[number]

    def settle(self, robot: Occupant, before: Pose2D, target: Pose2D, lead: float) -> Pose2D:
        """Return where a robot comes to stand; ``before`` and ``target`` are what it turns about.

        Its origin is ``lead`` mm ahead of that. Cubes give way, walls, boxes and other robots do
        not. Where nothing can give way, everything stays as it was.
        """
        origin = Pose2D(lead)
        obstacles = list(self._obstacles(robot, target))
        cubes = [c for c in self._standing_cubes() if _is_near(c.pose, target)]
        if not obstacles and not cubes:
            return target
        places = [cube.place for cube in cubes]
        pose, front = target, robot.cube_front()
        for number in range(_ROUNDS):
            shape = robot_shape(pose.then(origin))
            has_moved = self._push_cubes(cubes, robot_shape(pose.then(origin), front), obstacles)
            hits = (overlap(shape, other) for other in obstacles)
            hit = max((hit for hit in hits if hit), key=lambda hit: hit.depth, default=None)
            if hit is not None:
                pose = pushed(pose, hit, _ROBOT_REACH)
            elif not has_moved:
                if not number:
                    return target
                break
        if self._is_jammed(robot_shape(pose.then(origin), front), cubes, obstacles):
            for cube, place in zip(cubes, places, strict=True):
                cube.place = place
            return before
        for cube, place in zip(cubes, places, strict=True):
            if cube.pose != place.pose:
                cube.is_down = self.layout.floor_at(cube.pose.x, cube.pose.y) is None
                self._finish_move(cube, place)
        return pose

    def _obstacles(self, robot: Occupant, near: Pose2D) -> Iterator[Polygon]:
        """Return what does not give way and is near enough to matter, also for pushed cubes."""
        for shape in (*(s.shape for s in self.solids), *self._other_robots(robot)):
            if math.hypot(shape.x - near.x, shape.y - near.y) < shape.radius + _NEAR:
                yield shape

    def _other_robots(self, but: object) -> Iterator[Polygon]:
        for other in self.occupants:
            if other is not but and other.is_solid():
                yield robot_shape(other.where())

    def bases(self) -> list[WorldCube]:
        """Return the cubes on the floor that carry others."""
        carrying = {cube.place.on for cube in self.cubes.values()}
        return [cube for cube in self._standing_cubes() if cube.number in carrying]

    def _standing_cubes(self) -> Iterator[WorldCube]:
        return (cube for cube in self.cubes.values() if cube.is_on_floor)

    def _push_cubes(self, cubes: list[WorldCube], robot: Polygon, obstacles: list[Polygon]) -> bool:
        """Push cubes once away from the robot and what stands fast, and apart."""
        has_moved = False
        for cube in cubes:
            for mover in (robot, *obstacles):
                hit = overlap(cube.shape, mover)
                if hit is not None:
                    cube.pose = pushed(cube.pose, hit, _CUBE_REACH)
                    has_moved = True
        for a, b in combinations(cubes, 2):
            hit = overlap(a.shape, b.shape)
            if hit is not None:
                half = replace(hit, depth=hit.depth / 2)
                a.pose = pushed(a.pose, half, _CUBE_REACH)
                b.pose = pushed(b.pose, replace(half, x=-hit.x, y=-hit.y), _CUBE_REACH)
                has_moved = True
        return has_moved

    def _is_jammed(self, robot: Polygon, cubes: list[WorldCube], obstacles: list[Polygon]) -> bool:
        shapes = [cube.shape for cube in cubes]
        if any(_is_deep(overlap(robot, other)) for other in (*obstacles, *shapes)):
            return True
        return any(
            _is_deep(overlap(shape, other))
            for index, shape in enumerate(shapes)
            for other in (*obstacles, *shapes[:index])
        )


def _is_deep(hit: Overlap | None) -> bool:
    return hit is not None and hit.depth > _JAMMED


def _is_near(a: Pose2D, b: Pose2D) -> bool:
    return math.hypot(a.x - b.x, a.y - b.y) < _NEAR


_RIM = ((0.0, 0.0), (_SPOT, 0.0), (-_SPOT, 0.0), (0.0, _SPOT), (0.0, -_SPOT))
_SAMPLES = tuple(
    (_SPOT * ring * math.cos(2 * math.pi * i / n), _SPOT * ring * math.sin(2 * math.pi * i / n))
    for ring, n in _RINGS
    for i in range(n)
)
