"""What a program without ROS sees: perception's objects, faces, motion and floor as ``Sight``."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable, Mapping

from ..manipulation import Manipulator
from ..perception import (
    SCAN_ANGLE,
    SCAN_STEP,
    Detections,
    Face,
    FaceTracker,
    Kind,
    LocatedObject,
    MotionDetector,
    PoseState,
    RobotPerception,
    yaw_of,
)
from ..robot import Pose2D
from .sight import (
    BLIND,
    Recollection,
    SeenFace,
    SeenMap,
    SeenMotion,
    SeenObject,
    Sense,
    Sight,
    free_ahead,
)

_UPRIGHT = 0.7
"""Cosine between a cube's upward axis and the vertical from which its top is up."""


def seen_object(thing: LocatedObject, seen_at: float) -> SeenObject | None:
    """Return an object as behaviours see it; None where its place is not known."""
    if thing.pose is None or thing.state is PoseState.UNKNOWN:
        return None
    x, y, z = (float(value) for value in thing.pose[:3, 3])
    return SeenObject(
        thing.name,
        Pose2D(x, y, yaw_of(thing.pose)),
        z,
        float(thing.pose[2, 2]) > _UPRIGHT or thing.kind is not Kind.CUBE,
        thing.state is PoseState.KNOWN,
        thing.is_visible,
        seen_at,
        thing.is_carried,
        thing.is_moving,
        thing.on_top_of or "",
    )


def seen_faces(faces: Iterable[Face], seen_at: float) -> list[SeenFace]:
    return [SeenFace(one.id, *one.position, one.name, seen_at, one.roll) for one in faces]


class RobotSight:
    """Gathers what is seen; what somebody else has found is told by ``see_...``."""

    def __init__(self, manipulator: Manipulator | None = None) -> None:
        """``manipulator`` knows the objects."""
        self.looks_for: set[Sense] = set()
        """Besides ``Sense.OBJECTS``, for which the manipulator has vision or not."""
        self.recollection = Recollection()
        self.motion: SeenMotion | None = None
        self._manipulator = manipulator
        self._perception: RobotPerception | None = None
        self._faces: FaceTracker | None = None
        self._motions = MotionDetector()
        self._watched: set[Sense] = set()
        self._free_ahead = math.nan
        self._searching: asyncio.Task[None] | None = None

    def look(self, perception: RobotPerception, faces: FaceTracker | None = None) -> None:
        """Look for motion, the floor and faces in the images of a robot's perception, too."""
        self._perception, self._faces = perception, faces
        self.looks_for |= {Sense.MOTION, Sense.GROUND, Sense.MAP}
        if faces is not None:
            self.looks_for.add(Sense.FACES)
        perception.on_detections.connect(self._on_detections)

    def watch(self, sense: Sense, on: bool) -> None:
        (self._watched.add if on else self._watched.discard)(sense)
        if not on and sense is Sense.GROUND:
            self._free_ahead = math.nan

    def release(self) -> None:
        for sense in tuple(self._watched):
            self.watch(sense, False)

    @property
    def now(self) -> Sight:
        now, robot = asyncio.get_running_loop().time(), self._manipulator
        has_objects = robot is not None and robot.has_vision
        if not has_objects and not self.looks_for:
            return BLIND
        return Sight(
            frozenset(self.looks_for | ({Sense.OBJECTS} if has_objects else set())),
            self._objects(now),
            self.recollection.faces(now),
            self.recollection.pets(now),
            self.motion,
            self._free_ahead,
            self._map(),
        )

    def _objects(self, now: float) -> Mapping[str, SeenObject]:
        if self._manipulator is None:
            return {}
        found = (
            seen_object(thing, now if thing.is_visible else thing.last_seen)
            for thing in self._manipulator.objects.values()
        )
        return {one.name: one for one in found if one is not None}

    def _map(self) -> SeenMap | None:
        if self._perception is None or Sense.MAP not in self._watched:
            return None
        core = self._perception.core
        grid = core.floor.grid(core.now, core.objects(core.now))
        cells = grid.cells.ravel().tolist()
        return SeenMap(grid.origin, grid.resolution, grid.cells.shape[1], cells)

    # -- images

    def _on_detections(self, found: Detections) -> None:
        state, frame = found.state, found.frame
        if state is None:
            self._motions.reset()
            return
        is_moving = state.is_moving or not state.is_on_treads
        motion = self._motions.update(
            frame.stamp, frame.gray, frame.camera, state.camera, state.base, is_moving
        )
        if motion is not None:
            place = None
            if motion.ground_point is not None:
                x, y = state.base[:2, :2] @ motion.ground_point + state.base[:2, 3]
                place = float(x), float(y)
            self.motion = SeenMotion(
                frame.stamp,
                motion.area,
                motion.ground_area,
                place,
                motion.left,
                motion.right,
                motion.top,
            )
        if self._watched:
            self._look_at_floor(found)
        is_free = self._searching is None or self._searching.done()
        if self._faces is not None and is_free and self._faces.is_due(frame.stamp):
            self._searching = asyncio.ensure_future(self._search(self._faces, found))

    def _look_at_floor(self, found: Detections) -> None:
        assert self._perception is not None
        is_ahead, is_mapped = Sense.GROUND in self._watched, Sense.MAP in self._watched
        floor = self._perception.core.find_floor(found.frame, is_ahead, is_mapped)
        if floor is not None:
            self._free_ahead = free_ahead(floor[1].ranges, -SCAN_ANGLE, SCAN_STEP)

    async def _search(self, tracker: FaceTracker, found: Detections) -> None:
        """Find faces in another thread: the link does not wait for it."""
        assert found.state is not None
        frame, view = found.frame, found.state.camera
        faces = await asyncio.get_running_loop().run_in_executor(
            None, tracker.update, frame.stamp, frame.gray, frame.camera, view
        )
        self.recollection.see_faces(seen_faces(faces, frame.stamp))
