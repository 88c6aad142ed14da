"""Markers and the objects that carry them: what is seen, and what stands where."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from operator import attrgetter

from builtin_interfaces.msg import Time
from vision_msgs.msg import Detection3DArray

from cozmo_interfaces.msg import MarkerArray, ObjectStates

from ..ros.context import NodeContext
from ..ros.geometry import header
from ..ros.topics import LATCHED, SENSOR
from .detection.drawings import Drawing
from .detection.markers import Marker, MarkerDetector
from .detection.objects import MOST_OBJECTS, TaggedObject
from .observations import models_of, observations_of
from .ros_frames import Frames
from .ros_messages import (
    detection_message,
    marker_message,
    object_state_message,
)
from .ros_part import Picture
from .ros_visualization import ObjectMarkers
from .still import StillPictures
from .world.frames import angle_between
from .world.objects import LocatedObject
from .world.world_model import WorldModel

_CHARGER_EVERY = 8
"""Pictures, of which there are 15 in a second, for each look for a charger that is not in sight;
when the robot has turned there is one at once."""
_EARLY = 0.02
_MOVED, _TURNED = 0.001, 0.0175
"""m and rad; an object that is placed elsewhere by less is no news."""
_NEWS = attrgetter("name", "state", "slot", "size", "is_visible", "is_carried", "on_top_of")


class ObjectsPart:
    """``markers``, ``objects``, ``object_states`` and the frames of located objects."""

    mode = "markers"

    def __init__(
        self,
        context: NodeContext,
        world: WorldModel,
        drawings: Sequence[Drawing],
        declared: Sequence[TaggedObject],
    ) -> None:
        self._world = world
        self._drawings = tuple(drawings)
        self._declared = {one.name: one for one in declared}
        for model in models_of(declared):
            world.define(model)
        self._detector = self._new_detector()
        self._parameters = context.parameters
        self._still = StillPictures()
        self._found: list[Marker] = []
        """In the picture that was searched last."""
        node = context.node
        self._markers = node.create_publisher(MarkerArray, "markers", SENSOR)
        self._objects = node.create_publisher(Detection3DArray, "objects", SENSOR)
        self._states = node.create_publisher(ObjectStates, "object_states", LATCHED)
        self._drawn = ObjectMarkers(context)
        self._frames = Frames(context, world)
        self._published: list[LocatedObject] = []
        self._last_seen: dict[str, Time] = {}
        self.on_seen: Callable[[list[str], float], object] = lambda *_: None
        """Called with the objects in a picture and its stamp."""

    # -- what is known

    @property
    def drawings(self) -> tuple[Drawing, ...]:
        return self._drawings

    def set_drawings(self, drawings: Sequence[Drawing]) -> None:
        """Know the user's cubes by these from now on."""
        self._drawings = tuple(drawings)
        self._detector = self._new_detector()
        self._still.clear()

    def _new_detector(self) -> MarkerDetector:
        return MarkerDetector(self._drawings, list(self._declared.values()), _CHARGER_EVERY)

    @property
    def names(self) -> list[str]:
        return [known.name for known in self._world.objects(0.0)]

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
        self._world.define(model)
        self._declared[declared.name] = declared
        self.set_drawings(self._drawings)

    def forget(self, name: str) -> None:
        """Forget where an object is; empty: where all are. Raises ``KeyError``."""
        self._world.forget(name or None)

    # -- pictures

    def is_needed(self) -> bool:
        return True

    def on_picture(self, picture: Picture) -> None:
        is_asked = self._markers.get_subscription_count() > 0
        moment = picture.moment
        if moment is None and not is_asked and not picture.is_drawn:
            self._detector.on_turn()
            return
        # Some ms less than the period: pictures do not come at even times.
        period = 1.0 / self._parameters["still_rate"] - _EARLY
        if not self._still.is_due(picture.gray, picture.stamp, period):
            picture.markers = self._found
            self._detector.skip()
            return
        # The robot turns, its head moves, or nobody knows: of such a picture nothing is placed.
        picture.markers = self._found = self._detector.detect(picture.gray, moment is None)
        if is_asked:
            self._markers.publish(
                MarkerArray(
                    header=picture.header,
                    width=picture.gray.shape[1],
                    height=picture.gray.shape[0],
                    markers=[marker_message(one, picture.camera) for one in picture.markers],
                )
            )
        if moment is not None:
            seen = observations_of(picture.markers, picture.camera)
            self._world.on_markers(moment, seen)
            self._publish_objects(picture)

    def _publish_objects(self, picture: Picture) -> None:
        found = [
            known
            for known in self._world.objects(picture.stamp)
            if known.last_seen == picture.stamp
        ]
        for known in found:
            self._last_seen[known.name] = picture.header.stamp
        seen = [known for known in found if known.pose is not None]
        self.on_seen([known.name for known in seen], picture.stamp)
        if self._objects.get_subscription_count():
            head = header(picture.header.stamp, picture.odom_frame)
            scores = {
                marker.name: marker.score for marker in reversed(picture.markers) if marker.name
            }
            self._objects.publish(
                Detection3DArray(
                    header=head,
                    detections=[
                        detection_message(known, head, float(scores[known.name])) for known in seen
                    ],
                )
            )

    # -- what stands where

    def publish_states(self, now: float, stamp: Time, odom_frame: str) -> None:
        """Publish ``object_states`` where something has changed, and the frames of objects."""
        known = self._world.objects(now)
        if self._is_news(known):
            self._published = known
            head = header(stamp, odom_frame)
            self._drawn.publish(known, head)
            self._states.publish(
                ObjectStates(
                    header=head,
                    objects=[object_state_message(one, self._stamp_of(one)) for one in known],
                )
            )
        self._frames.publish(known, stamp, odom_frame)

    def _stamp_of(self, known: LocatedObject) -> Time:
        """Return the stamp of the last picture it was in; 0 for one that was never seen."""
        is_seen = math.isfinite(known.last_seen)
        return self._last_seen.get(known.name, Time()) if is_seen else Time()

    def _is_news(self, known: Sequence[LocatedObject]) -> bool:
        return len(known) != len(self._published) or any(
            _differs(*pair) for pair in zip(known, self._published, strict=True)
        )


def _differs(a: LocatedObject, b: LocatedObject) -> bool:
    if _NEWS(a) != _NEWS(b):
        return True
    if a.pose is None or b.pose is None:
        # One picture does not place it, and yet somebody may look for it.
        return a.pose is not b.pose or a.last_seen != b.last_seen
    apart = float(abs(a.pose[:3, 3] - b.pose[:3, 3]).max())
    return apart > _MOVED or angle_between(a.pose, b.pose) > _TURNED
