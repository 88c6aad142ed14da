"""What others have found in a robot's images, as behaviours see it.

m and rad in the odometry frame, s of the loop's clock.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from ..robot import CubeKind, Pose2D

NAMES: Mapping[CubeKind, str] = {
    CubeKind.CUBE_1: "cube_1",
    CubeKind.CUBE_2: "cube_2",
    CubeKind.CUBE_3: "cube_3",
}
RECENT = 10.0
"""s for which what was seen counts as there."""
_UNNAMED_FOR, _NAMED_FOR = 15.0, 600.0
"""s unseen after which a face is forgotten (spec 17 §0)."""
_PET_FOR = 15.0
_AHEAD = 0.24
"""rad to either side in which the robot's width is, 3 cm, 0.12 m ahead: from there on floor is seen
at the latest (perception's limit)."""
_KNOWN = 2 / 3
"""Share of the rays ahead that must be known. With all of them 18 % of places with clear floor in
the emulator's worlds are free, with this 37 %; of those with something there 1.5 % with both."""
_HIGH = 0.034
"""Of a cube's middle from which it stands on another one, m (manipulation's limit)."""


class Sense(Enum):
    """What somebody may look for; the value is for people."""

    OBJECTS = "cubes"
    FACES = "faces"
    PETS = "pets"
    MOTION = "motion"
    GROUND = "the floor ahead"
    MAP = "a map of the floor"


REMEDIES: Mapping[Sense, str] = {
    Sense.OBJECTS: "run the vision node",
    Sense.FACES: "run the vision node and switch its mode faces on",
    Sense.PETS: "run a program that tells of pets",
    Sense.MOTION: "run the vision node and switch its mode motion on",
    Sense.GROUND: "run the vision node and switch its mode ground on",
    Sense.MAP: "run the vision node and switch its mode ground on",
}


@dataclass(frozen=True, slots=True)
class SeenObject:
    """A cube, the charger or an object of the user whose place is known."""

    name: str
    place: Pose2D
    """Of its middle; the charger's of its lip."""
    height: float = 0.022
    """Of its middle."""
    is_upright: bool = True
    """Its top is up."""
    is_sure: bool = True
    """Seen from near by the resting robot, and not moved since."""
    is_visible: bool = True
    seen_at: float = 0.0
    is_carried: bool = False
    is_moving: bool = False
    """As its radio says."""
    on_top_of: str = ""

    @property
    def is_cube(self) -> bool:
        return self.name in _CUBES

    @property
    def is_high(self) -> bool:
        return self.height > _HIGH


_CUBES = frozenset(NAMES.values())


@dataclass(frozen=True, slots=True)
class SeenFace:
    """A person's face; its id is below 0 while nobody is recognised."""

    id: int
    x: float
    y: float
    z: float
    name: str = ""
    seen_at: float = 0.0
    roll: float = math.nan
    """How far it leans to the camera's right, rad; NaN where its eyes are not found."""


@dataclass(frozen=True, slots=True)
class SeenPet:
    """A cat or a dog, in a direction of the odometry frame."""

    id: int
    kind: str
    heading: float
    elevation: float = 0.0
    seen_at: float = 0.0
    sightings: int = 1


@dataclass(frozen=True, slots=True)
class SeenMotion:
    """Something that moves before the resting robot.

    ``area`` and ``ground_area`` are shares of the image and of the ground in view; ``left``,
    ``right`` and ``top`` how much moves at those edges, 0 to 1.
    """

    at: float
    area: float
    ground_area: float = 0.0
    ground: tuple[float, float] | None = None
    """The nearest of it on the floor."""
    left: float = 0.0
    right: float = 0.0
    top: float = 0.0


@dataclass(frozen=True, slots=True)
class SeenMap:
    """A grid of the floor: rows upwards from ``origin``; -1 unknown, 0 free, up to 100."""

    origin: tuple[float, float]
    resolution: float
    width: int
    cells: Sequence[int] = field(repr=False)

    def at(self, x: float, y: float) -> int:
        """Return the cell at a place, -1 beyond the map."""
        column = math.floor((x - self.origin[0]) / self.resolution)
        row = math.floor((y - self.origin[1]) / self.resolution)
        if not 0 <= column < self.width or not 0 <= row < len(self.cells) // self.width:
            return -1
        return int(self.cells[row * self.width + column])

    def places(self, least: int) -> Iterable[tuple[float, float]]:
        """Yield the middles of the cells with at least this value."""
        for index, value in enumerate(self.cells):
            if value >= least:
                row, column = divmod(index, self.width)
                yield (
                    self.origin[0] + (column + 0.5) * self.resolution,
                    self.origin[1] + (row + 0.5) * self.resolution,
                )


@dataclass(frozen=True, slots=True)
class Sight:
    """What is known now; ``looks_for`` is what somebody looks for."""

    looks_for: frozenset[Sense] = frozenset()
    objects: Mapping[str, SeenObject] = field(default_factory=dict)
    """Of known places, by name."""
    faces: tuple[SeenFace, ...] = ()
    """Those that are not forgotten, the one that was seen last first."""
    pets: tuple[SeenPet, ...] = ()
    motion: SeenMotion | None = None
    """The latest."""
    free_ahead: float = math.nan
    """From the robot's turning point to where the floor ends; NaN where nobody knows, be it only
    for a third of the robot's width."""
    map: SeenMap | None = None

    @property
    def cubes(self) -> list[SeenObject]:
        """Cubes on the floor or on each other, not on the lift."""
        return [one for one in self.objects.values() if one.is_cube and not one.is_carried]

    def on(self, name: str) -> SeenObject | None:
        """Return what stands on an object."""
        return next((one for one in self.objects.values() if one.on_top_of == name), None)

    def why_blind(self, *senses: Sense) -> str:
        """Say which of these senses nobody has now, and what to do; empty where all are there."""
        for sense in senses:
            if sense not in self.looks_for:
                return f"nobody looks for {sense.value}: {REMEDIES[sense]}"
        return ""


BLIND = Sight()


def free_ahead(ranges: Iterable[float], first: float, step: float) -> float:
    """Return ``Sight.free_ahead`` by a scan with rays ``step`` apart from the angle ``first``."""
    rays = [(first + index * step, float(one)) for index, one in enumerate(ranges)]
    known = [(angle, distance) for angle, distance in rays if not math.isnan(distance)]
    ahead = sum(abs(angle) <= _AHEAD for angle, _ in rays)
    known_ahead = sum(abs(angle) <= _AHEAD for angle, _ in known)
    if not known_ahead or known_ahead < _KNOWN * ahead:
        return math.nan
    return min(distance for _, distance in known)


class Recollection:
    """Faces and pets that were seen, until they are forgotten; for bodies."""

    def __init__(self) -> None:
        self._faces: dict[int, SeenFace] = {}
        self._pets: dict[int, SeenPet] = {}

    def see_faces(self, faces: Iterable[SeenFace]) -> None:
        """Take those of an image, the nearest first: of equal times it counts as the last seen."""
        for face in reversed(list(faces)):
            self._faces.pop(face.id, None)
            self._faces[face.id] = face

    def see_pets(self, pets: Iterable[SeenPet]) -> None:
        for pet in pets:
            before = self._pets.get(pet.id)
            count = 1 if before is None else before.sightings + 1
            self._pets[pet.id] = replace(pet, sightings=count)

    def clear(self) -> None:
        """Forget where they were: the robot was carried elsewhere."""
        self._faces.clear()
        self._pets.clear()

    def faces(self, now: float) -> tuple[SeenFace, ...]:
        for face in list(self._faces.values()):
            if now - face.seen_at > (_NAMED_FOR if face.name else _UNNAMED_FOR):
                del self._faces[face.id]
        return tuple(reversed(self._faces.values()))

    def pets(self, now: float) -> tuple[SeenPet, ...]:
        for pet in list(self._pets.values()):
            if now - pet.seen_at > _PET_FOR:
                del self._pets[pet.id]
        return tuple(self._pets.values())
