"""Perception without I/O: robot states, images and cubes' radio in; objects, floor and map out.

It reads no clock, starts no thread and knows neither asyncio nor ROS: every input comes with its
time. ``robot_perception.py`` feeds it from a robot, ``ros_pipeline.py`` from topics; both follow
the same rules because the rules are here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..robot import CubeEventType, CubeKind
from .detection.camera import Camera
from .detection.ground import GroundEdges, GroundScan
from .detection.learning import up_side
from .detection.markers import Marker, MarkerDetector
from .detection.objects import MOST_OBJECTS, TaggedObject
from .detection.poses import MarkerPose, poses_of_markers
from .detection.quads import Gray
from .detection.tags import FAMILIES
from .detection.templates import Template
from .floor import FloorMap, find_floor
from .still import StillImages
from .world.frames import carried_place
from .world.objects import DRAWN, Kind, LocatedObject, MarkerPlace, ObjectModel, PrintedCube
from .world.placing import MarkerObservation
from .world.pose_history import SETTLING, Drop, StampedState, StateTracker
from .world.world_model import WorldModel

CUBE_NAMES: dict[int, str] = {
    CubeKind.CUBE_1: "cube_1",
    CubeKind.CUBE_2: "cube_2",
    CubeKind.CUBE_3: "cube_3",
    CubeKind.CHARGER: "charger",
}
"""Objects that have a radio."""
STATE_TIMEOUT = 0.060
"""s to wait for a state as new as an image (spec 15 §1); poses are never extrapolated."""
STILL_RATE = 5.0
"""Hz, at which an image that does not change is searched again."""
_EARLY = 0.02
"""s by which such a search may come early: images do not come at even times."""
CHARGER_EVERY = 8
"""Images, of 15 in a second, for each look for a charger that is not in sight; after a turn it is
looked for more often. Times in docs/vision.md and the node's share of a CPU were measured so."""
_ON_LIFT = 0.075
"""m seen from above; a cube that is farther from where one is carried is not on the lift. At the
end of an approach that is askew the robot drives 50 mm against the cube (spec 16 §2.3)."""


class ConnectedCube(NamedTuple):
    """A cube's radio link."""

    slot: int | None
    up_axis: int
    factory_id: int


_UNCONNECTED = ConnectedCube(None, -1, 0)


@dataclass(slots=True, eq=False)
class CameraFrame:
    """One image on its way through perception, with the robot that took it."""

    stamp: float
    gray: Gray
    """As of ``as_gray``."""
    camera: Camera
    """For images of this size."""
    state: StampedState | None
    """The robot at ``stamp``; None where that is not known well: nothing is placed by it then."""
    drop: Drop | None
    """Why it is not."""
    markers: list[Marker] = field(default_factory=list)
    """The largest first; of an image like the one before, what was found in that."""
    is_searched: bool = False


class Perception:
    """Knows what stands around one robot.

    An image goes through ``admit``, ``search`` and ``place``. ``search``, which takes long, may run
    in another thread, one image at a time.
    """

    def __init__(
        self,
        templates: Sequence[Template] = (),
        objects: Sequence[TaggedObject] = (),
        settling: float = SETTLING,
        localizes: bool = False,
    ) -> None:
        """Know our own markers, these templates and objects.

        ``settling``: s at the start of a stream that place nothing; ``localizes``: on cubes.
        """
        self.world = WorldModel(settling, localizes)
        self.floor = FloorMap()
        self.camera: Camera | None = None
        """The calibration; without one, images are dropped."""
        self.drops = self.world.gate.drops
        """Images that were not placed, by reason."""
        self.last_drop: Drop | None = None
        self.still_rate = STILL_RATE
        self.lag = 0.0
        """s by which the image that was searched last was older than the robot's last state."""
        self._states = StateTracker()
        self._is_carrying = False
        self._still = StillImages()
        self._found: list[Marker] = []
        """In the image that was searched last."""
        self._connected: Mapping[int, ConnectedCube] = {}
        self.printed: list[str] = []
        """Cubes that are placed by how their markers were printed."""
        self._printed: Mapping[str, PrintedCube] = {}
        self._numbers: dict[str, int] = {}
        """The serial number with which each cube was linked last."""
        self._declared = {one.name: one for one in objects}
        self._families: frozenset[str] = frozenset()
        for model in models_of(objects):
            self.world.define(model)
        self.set_templates(templates)

    # -- what is known

    def objects(self, now: float) -> list[LocatedObject]:
        """Return cubes 1 to 3, the charger and the declared objects, located or not."""
        return self.world.objects(now)

    @property
    def templates(self) -> tuple[Template, ...]:
        return self._templates

    def set_templates(self, templates: Sequence[Template]) -> None:
        """Know the user's cubes by these from now on."""
        self._templates = tuple(templates)
        self._detector = MarkerDetector(
            self._templates, list(self._declared.values()), CHARGER_EVERY, self._families
        )
        self._still.clear()

    def look_for(self, families: Iterable[str]) -> None:
        """Look for tags of these families on no object from now on; each takes time."""
        if (wanted := frozenset(families)) != self._families:
            self._families = wanted
            self.set_templates(self._templates)

    def declare(self, declared: TaggedObject) -> None:
        """Know an object by its tags, or another way. Raises ``ValueError``."""
        others = {name: one for name, one in self._declared.items() if name != declared.name}
        taken = {placed.tag: name for name, one in others.items() for placed in one.tags}
        for placed in declared.tags:
            if placed.tag in taken:
                raise ValueError(f"{placed.tag} is on {taken[placed.tag]}: choose another tag")
        if len(others) >= MOST_OBJECTS:
            raise ValueError(f"{MOST_OBJECTS} objects are known: that is enough")
        [model] = models_of([declared])
        self.world.define(model)
        self._declared[declared.name] = declared
        self.set_templates(self._templates)

    def forget_declared(self) -> None:
        """Forget where the declared objects are."""
        for name in self._declared:
            self.world.forget(name)

    def undeclare_all(self) -> None:
        """Know no object by its tags from now on."""
        for name in self._declared:
            self.world.undefine(name)
        self._declared.clear()
        self.set_templates(self._templates)

    # -- the robot, its camera and the cubes' radio

    def on_robot(self, state: StampedState) -> None:
        """Take a state, of which ``head_rate`` and ``origin`` are found here; they rise in time."""
        state = self._states.update(state)
        self.world.on_robot(state)
        if state.is_carrying is not self._is_carrying:
            self._is_carrying = state.is_carrying
            on_carrying(self.world, self._is_carrying)
        self.floor.on_robot(state)

    def on_calibration(self, camera: Camera) -> None:
        self.camera = self.world.intrinsics = camera

    def on_cubes(self, connected: Mapping[int, ConnectedCube]) -> None:
        """Take the cubes with a radio link, by ``CubeKind``."""
        self._connected, self.printed = connected, []
        for kind, name in CUBE_NAMES.items():
            link, printed = connected.get(kind, _UNCONNECTED), self._printed.get(name)
            # A cube whose link has dropped is still the one that it was.
            number = self._numbers[name] = link.factory_id or self._numbers.get(name, 0)
            prints = printed.prints_of(number) if printed else DRAWN
            if prints:
                self.printed.append(name)
            self.world.on_connection(name, link.slot, up_side(link.up_axis), prints)

    def set_prints(self, cubes: Mapping[str, PrintedCube]) -> None:
        """Know from now on how the markers of the robot's cubes were printed."""
        self._printed = cubes
        self.on_cubes(self._connected)

    def on_cube_event(self, kind: int, event: CubeEventType, stamp: float) -> None:
        name = CUBE_NAMES.get(kind)
        if name is None:
            return
        if event is CubeEventType.MOVED:
            self.world.on_moved(name, stamp)
        elif event is CubeEventType.STOPPED:
            self.world.on_stopped(name, stamp)
        elif event in (CubeEventType.TAPPED, CubeEventType.DOUBLE_TAPPED):
            self.world.on_tapped(name, stamp)

    # -- images

    def admit(self, stamp: float, gray: Gray) -> CameraFrame | None:
        """Begin with an image, once a state as new as it has come, or should have."""
        if self.camera is None:
            self.drop(Drop.NO_CALIBRATION)
            return None
        admitted = self.world.gate.admit(stamp)
        camera = self.camera.scaled_to(gray.shape[1], gray.shape[0])
        if isinstance(admitted, Drop):
            self.last_drop = admitted
            return CameraFrame(stamp, gray, camera, None, admitted)
        return CameraFrame(stamp, gray, camera, admitted, None)

    def drop(self, reason: Drop) -> None:
        """Count an image that was never admitted."""
        self.drops[reason] += 1
        self.last_drop = reason

    def search(self, frame: CameraFrame, is_wanted: bool = False) -> None:
        """Find the markers; of an image that places nothing only if they ``are wanted``."""
        if frame.state is None and not is_wanted:
            self._detector.on_turn()
            return
        if not self._still.is_due(frame.gray, frame.stamp, 1.0 / self.still_rate - _EARLY):
            self._detector.skip()
            frame.markers = self._found
            return
        # The robot turns, its head moves, or nobody knows.
        is_blurred = frame.state is None
        frame.markers = self._found = self._detector.detect(frame.gray, is_blurred)
        frame.is_searched = True

    def place(self, frame: CameraFrame) -> None:
        """Let the world model know what was found, and what was not."""
        if not frame.is_searched:
            return
        self.lag = self.now - frame.stamp
        if frame.state is not None:
            self.world.on_markers(frame.state, observations_of(frame.markers, frame.camera))

    def find_floor(
        self, frame: CameraFrame, is_wanted: bool, is_mapped: bool
    ) -> tuple[GroundEdges, GroundScan] | None:
        """Return where the floor ends in an image, if that is wanted, or due for the map."""
        state = frame.state
        if state is None or not state.is_on_treads:
            return None
        is_mapped = is_mapped and self.floor.is_due(state.stamp)
        found = find_floor(frame.gray, frame.camera, state) if is_wanted or is_mapped else None
        if found is not None and is_mapped:
            self.floor.on_edges(found[0], state)
        return found

    @property
    def now(self) -> float:
        """Time of the last state; NaN before the first one."""
        last = self.world.history.last
        return last.stamp if last else math.nan


def observations_of(markers: Iterable[Marker], camera: Camera) -> list[MarkerObservation]:
    """Return the markers whose object is known, as ``WorldModel.on_markers`` expects them."""
    known = [one for one in markers if one.name is not None and one.size is not None]
    poses = poses_of_markers(
        [one.own_corners for one in known], [one.size for one in known if one.size], camera
    )
    return [_observation(*both, camera) for both in zip(known, poses, strict=True) if both[1]]


def _observation(marker: Marker, poses: Sequence[MarkerPose], camera: Camera) -> MarkerObservation:
    # An object may carry several tags on a side: each is a marker of its own.
    is_tag = marker.family in FAMILIES
    return MarkerObservation(
        marker.name or "",
        f"{marker.family}:{marker.code}" if is_tag else marker.side,
        tuple(pose.matrix for pose in poses),
        camera.directions(marker.own_corners),
        marker.score,
    )


def models_of(objects: Sequence[TaggedObject]) -> list[ObjectModel]:
    """Return what ``WorldModel.define`` needs to know of boxes with tags."""
    return [
        ObjectModel(
            one.name,
            Kind.CUSTOM,
            one.size,
            {str(tag.tag): MarkerPlace(tag.pose, tag.size, tag.size) for tag in one.tags},
        )
        for one in objects
    ]


def on_carrying(world: WorldModel, is_carrying: bool) -> None:
    """Follow what the robot believes to have on its lift: the nearest cube that none stands on."""
    last = world.history.last
    if last is None:
        return
    known = [one for one in world.objects(last.stamp) if one.kind is Kind.CUBE]
    if not is_carrying:
        for cube in known:
            world.on_put_down(cube.name)
        return
    lift = (last.base @ (*carried_place(last.lift), 1.0))[:2]
    below = {cube.on_top_of for cube in known}
    away = {
        cube.name: float(np.linalg.norm(cube.pose[:2, 3] - lift))
        for cube in known
        if cube.pose is not None and cube.name not in below
    }
    nearest = min(away, key=lambda name: away[name], default=None)
    if nearest is not None and away[nearest] <= _ON_LIFT:
        world.on_picked_up(nearest)
