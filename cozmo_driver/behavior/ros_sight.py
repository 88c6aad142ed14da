"""What vision nodes and other programs tell of the surroundings, as ``Sight``; in the loop."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable
from typing import Any

from nav_msgs.msg import OccupancyGrid
from sensor_msgs.msg import LaserScan
from vision_msgs.msg import Detection2DArray

from cozmo_interfaces.msg import FaceArray, Motion, ObjectState, ObjectStates

from ..robot import Cube, Pose2D
from ..ros.context import NodeContext
from ..ros.geometry import plane_pose, seconds
from ..ros.rclpy_compat import LatestMessage
from ..ros.topics import LATCHED, SENSOR
from .sight import (
    BLIND,
    Recollection,
    SeenFace,
    SeenMap,
    SeenMotion,
    SeenObject,
    SeenPet,
    Sense,
    Sight,
    free_ahead,
)

_FRESH = 0.05
"""s for which what is seen is cached: the engine's tick."""
_WHO_LOOKS = 1.0
"""s between two looks at who publishes."""
_FACES_FOR = 3.0
"""s after which nobody looks for faces any more: else they come twice in a second at least."""
_UPRIGHT = 0.7
_FOCAL, _MIDDLE = 290.0, (160.0, 120.0)
"""Pixels, of a typical camera: for the direction of a pet that is enough."""
_PETS = frozenset({"cat", "dog"})
_TOPICS = {
    Sense.OBJECTS: "object_states",
    Sense.MOTION: "motion",
    Sense.GROUND: "scan",
    Sense.MAP: "map_memory",
    Sense.PETS: "pets",
}
"""What is there while somebody publishes it; faces are, while they come."""


class RosSight:
    """Takes the latest messages when somebody asks."""

    def __init__(self, context: NodeContext) -> None:
        self.recollection = Recollection()
        self._context, node = context, context.node
        self._objects = LatestMessage(node, ObjectStates, "object_states", LATCHED)
        self._faces = LatestMessage(node, FaceArray, "faces", SENSOR)
        self._motion = LatestMessage(node, Motion, "motion", SENSOR)
        self._pets = LatestMessage(node, Detection2DArray, "pets", SENSOR)
        self._watched: dict[Sense, LatestMessage[Any]] = {}
        self._placed: dict[str, ObjectState] = {}
        self._seen_motion: SeenMotion | None = None
        self._free_ahead = math.nan
        self._map: SeenMap | None = None
        self._looks_for: frozenset[Sense] = frozenset()
        self._asked_at = self._faces_at = self._updated_at = -math.inf
        self._sight = BLIND

    def watch(self, sense: Sense, on: bool) -> None:
        """See ``Body``: the vision node looks for these while somebody subscribes."""
        if on and sense not in self._watched:
            node = self._context.node
            if sense is Sense.MAP:
                self._watched[sense] = LatestMessage(node, OccupancyGrid, "map_memory", LATCHED)
            elif sense is Sense.GROUND:
                self._watched[sense] = LatestMessage(node, LaserScan, "scan", SENSOR)
        elif not on and sense in self._watched:
            self._watched.pop(sense).close()
            self._free_ahead = math.nan if sense is Sense.GROUND else self._free_ahead
            self._map = None if sense is Sense.MAP else self._map

    def release(self) -> None:
        for sense in tuple(self._watched):
            self.watch(sense, False)

    def now(self, pose: Pose2D, head_angle: float, cubes: Iterable[Cube]) -> Sight:
        """Return what is known; ``pose`` and ``head_angle`` are the robot's."""
        now = asyncio.get_running_loop().time()
        if now - self._updated_at < _FRESH:
            return self._sight
        self._updated_at = now
        self._take(now, pose, head_angle)
        moving = {cube.slot for cube in cubes if cube.is_moving}
        self._sight = Sight(
            self._who_looks(now),
            {
                name: self._seen_object(one, now, one.cube_slot in moving)
                for name, one in self._placed.items()
            },
            self.recollection.faces(now),
            self.recollection.pets(now),
            self._seen_motion,
            self._free_ahead,
            self._map,
        )
        return self._sight

    def _who_looks(self, now: float) -> frozenset[Sense]:
        if now - self._asked_at >= _WHO_LOOKS:
            self._asked_at = now
            is_there = self._context.has_publisher
            there = {sense for sense, topic in _TOPICS.items() if is_there(topic)}
            if now - self._faces_at < _FACES_FOR:
                there.add(Sense.FACES)
            if Sense.OBJECTS not in there:
                self._placed = {}
            self._looks_for = frozenset(there)
        return self._looks_for

    def _take(self, now: float, pose: Pose2D, head_angle: float) -> None:
        if (objects := self._objects.take()) is not None:
            self._placed = {
                str(one.name): one for one in objects.objects if one.state != ObjectState.UNKNOWN
            }
        if (faces := self._faces.take()) is not None:
            self._faces_at = now
            seen_at = self._time(faces, now)
            self.recollection.see_faces(
                SeenFace(
                    int(face.id),
                    face.position.x,
                    face.position.y,
                    face.position.z,
                    str(face.name),
                    seen_at,
                    face.roll,
                )
                for face in faces.faces
            )
        if (motion := self._motion.take()) is not None:
            self._seen_motion = _seen_motion(motion, self._time(motion, now), pose)
        if (pets := self._pets.take()) is not None:
            seen_at = self._time(pets, now)
            self.recollection.see_pets(_seen_pets(pets, seen_at, pose.yaw, head_angle))
        self._take_watched()

    def _take_watched(self) -> None:
        watched = self._watched
        scan = watched[Sense.GROUND].take() if Sense.GROUND in watched else None
        if scan is not None:
            self._free_ahead = free_ahead(scan.ranges, scan.angle_min, scan.angle_increment)
        grid = watched[Sense.MAP].take() if Sense.MAP in watched else None
        if grid is not None:
            origin = grid.info.origin.position
            self._map = SeenMap(
                (origin.x, origin.y), grid.info.resolution, int(grid.info.width), grid.data
            )

    def _time(self, message: Any, now: float) -> float:
        """Return the stamp of a message on the loop's clock."""
        age = self._context.ros_now() * 1e-9 - seconds(message.header.stamp)
        return now - max(0.0, age)

    def _seen_object(self, one: ObjectState, now: float, is_moving: bool) -> SeenObject:
        age = self._context.ros_now() * 1e-9 - seconds(one.last_seen)
        turn = one.pose.orientation
        return SeenObject(
            str(one.name),
            plane_pose(one.pose),
            one.pose.position.z,
            1.0 - 2.0 * (turn.x**2 + turn.y**2) > _UPRIGHT or one.kind != ObjectState.CUBE,
            one.state == ObjectState.KNOWN,
            bool(one.is_visible),
            now if one.is_visible else now - max(0.0, age),
            bool(one.is_carried),
            is_moving,
            str(one.on_top_of),
        )


def _seen_motion(message: Motion, at: float, pose: Pose2D) -> SeenMotion:
    point, place = message.ground_point, None
    if math.isfinite(point.x) and math.isfinite(point.y):
        there = pose.compose(Pose2D(point.x, point.y))
        place = there.x, there.y
    return SeenMotion(
        at,
        message.image_area,
        message.ground_area,
        place,
        message.left,
        message.right,
        message.top,
    )


def _seen_pets(
    message: Detection2DArray, seen_at: float, yaw: float, head_angle: float
) -> Iterable[SeenPet]:
    """Yield the cats and dogs in an image of 320x240 pixels."""
    for number, one in enumerate(message.detections):
        kinds = [str(result.hypothesis.class_id).lower() for result in one.results]
        kind = next((name for name in kinds if name in _PETS), "")
        if not kind:
            continue
        center = one.bbox.center.position
        heading = yaw + math.atan2(_MIDDLE[0] - center.x, _FOCAL)
        elevation = head_angle + math.atan2(_MIDDLE[1] - center.y, _FOCAL)
        text = str(one.id)
        yield SeenPet(int(text) if text.isdigit() else number, kind, heading, elevation, seen_at)
