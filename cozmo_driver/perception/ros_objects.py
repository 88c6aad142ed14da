"""Markers and the objects that carry them: what is seen, and what stands where."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseStamped
from std_msgs.msg import Header
from tf2_ros import TransformBroadcaster
from vision_msgs.msg import Detection3DArray

from cozmo_interfaces.msg import MarkerArray, ObjectEvent, ObjectStates

from ..ros.context import NodeContext, to_time
from ..ros.geometry import header
from ..ros.topics import EVENT, LATCHED, SENSOR
from .perception import Perception
from .ros_messages import (
    detection_message,
    marker_message,
    object_event_message,
    object_state_message,
    pose_of_matrix,
    transform_of_matrix,
)
from .ros_parts import NodeImage
from .ros_visualization import ObjectMarkers
from .sight_events import Sight, SightEvents
from .world.frames import Matrix, angle_between, yaw_of
from .world.objects import DOCKED, Kind, LocatedObject, PoseState

_MOVED, _TURNED = 0.001, 0.0175
"""m and rad; an object that is placed elsewhere by less is no news."""
_NEWS = attrgetter("name", "state", "slot", "size", "is_visible", "is_carried", "on_top_of")
_EVENT_MOVED, _EVENT_TURNED = 0.03, 0.35
"""m and rad from which an object was moved: three times what an image from afar is wrong by."""
_NANO = 1_000_000_000
_AHEAD = 300_000_000
"""ns for which ``map_frame`` is known beyond the last state, so that nobody waits for it."""


class ObjectsPart:
    """``markers``, ``objects``, ``object_states``, ``object_events`` and the objects' frames."""

    mode = "markers"

    def __init__(
        self,
        context: NodeContext,
        perception: Perception,
        map_from_odom: Callable[[], Matrix | None] = lambda: None,
    ) -> None:
        """``map_from_odom`` returns the pose of odom on the map, None for none to publish."""
        self._perception, self._parameters = perception, context.parameters
        node = context.node
        self._markers = node.create_publisher(MarkerArray, "markers", SENSOR)
        self._objects = node.create_publisher(Detection3DArray, "objects", SENSOR)
        self._states = node.create_publisher(ObjectStates, "object_states", LATCHED)
        self._dock = node.create_publisher(PoseStamped, "detected_dock_pose", SENSOR)
        self._events = node.create_publisher(ObjectEvent, "object_events", EVENT)
        self._sights = SightEvents(_EVENT_MOVED, _EVENT_TURNED)
        self._drawn = ObjectMarkers(context)
        self._frames = Frames(context, map_from_odom)
        self._published: list[LocatedObject] = []
        self._last_seen: dict[str, Time] = {}
        self.on_seen: Callable[[list[str], float], object] = lambda *_: None
        """Called with the objects in an image and its stamp."""

    # -- images

    def is_needed(self) -> bool:
        return True

    def on_image(self, image: NodeImage) -> None:
        is_asked = self._markers.get_subscription_count() > 0
        perception, frame = self._perception, image.frame
        perception.still_rate = self._parameters["still_rate"]
        perception.search(frame, is_asked or image.is_drawn)
        if not frame.is_searched:
            return
        perception.place(frame)
        if is_asked:
            self._markers.publish(
                MarkerArray(
                    header=image.header,
                    width=frame.gray.shape[1],
                    height=frame.gray.shape[0],
                    markers=[marker_message(one, frame.camera) for one in frame.markers],
                )
            )
        if frame.state is not None:
            self._publish_objects(image)

    def _publish_objects(self, image: NodeImage) -> None:
        stamp = image.frame.stamp
        found = [known for known in self._perception.objects(stamp) if known.last_seen == stamp]
        for known in found:
            self._last_seen[known.name] = image.header.stamp
        seen = [known for known in found if known.pose is not None]
        self.on_seen([known.name for known in seen], stamp)
        if self._dock.get_subscription_count():
            for known in seen:
                if known.kind is Kind.CHARGER and known.pose is not None:
                    self._publish_dock(known.pose, header(image.header.stamp, image.odom_frame))
        if self._objects.get_subscription_count():
            head = header(image.header.stamp, image.odom_frame)
            markers = reversed(image.frame.markers)
            scores = {marker.name: marker.score for marker in markers if marker.name}
            self._objects.publish(
                Detection3DArray(
                    header=head,
                    detections=[
                        detection_message(known, head, float(scores[known.name])) for known in seen
                    ],
                )
            )

    def _publish_dock(self, charger: Matrix, head: Header) -> None:
        """Publish where a docked ``base_footprint`` is; its yaw leads inwards, as Nav2's docks."""
        inwards = np.eye(4)
        inwards[:3, 3] = DOCKED[:3, 3]
        self._dock.publish(PoseStamped(header=head, pose=pose_of_matrix(charger @ inwards)))

    # -- what stands where

    def publish_states(self, stamp: Time, odom_frame: str) -> None:
        """Publish ``object_states`` where something has changed, and the frames of objects."""
        # What was seen in an image that came late is in sight for as long as in any other.
        known = self._perception.objects(self._perception.now - self._perception.lag)
        self._publish_events(known, header(stamp, odom_frame))
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

    def _publish_events(self, known: Iterable[LocatedObject], head: Header) -> None:
        objects = {one.name: one for one in known}
        seen = [
            Sight(one.name, (one.pose[0, 3], one.pose[1, 3], one.pose[2, 3]), yaw_of(one.pose))
            for one in objects.values()
            # Images of a driving robot, and from afar, place it too roughly to tell a move.
            if one.is_visible and one.pose is not None and one.state is PoseState.KNOWN
        ]
        for event in self._sights.update(self._perception.now, seen):
            kind = objects[event.sight.key].kind if event.sight.key in objects else None
            self._events.publish(object_event_message(event, kind, head))

    def _stamp_of(self, known: LocatedObject) -> Time:
        """Return the stamp of the last image it was in; 0 for one that was never seen."""
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
        # One image does not place it, and yet somebody may look for it.
        return a.pose is not b.pose or a.last_seen != b.last_seen
    apart = float(abs(a.pose[:3, 3] - b.pose[:3, 3]).max())
    return apart > _MOVED or angle_between(a.pose, b.pose) > _TURNED


class Frames:
    """Broadcasts them with the stamp of the robot's last state."""

    def __init__(self, context: NodeContext, map_from_odom: Callable[[], Matrix | None]) -> None:
        self._parameters, self._map_from_odom = context.parameters, map_from_odom
        self._prefix: str = context.parameters["frame_prefix"]
        self._broadcaster = TransformBroadcaster(context.node)
        self._stamp = Time()
        self._is_on_map = False
        """Whether map_frame was sent with the last stamp."""

    def publish(self, known: Iterable[LocatedObject], stamp: Time, odom_frame: str) -> None:
        """Broadcast each frame once for a stamp; those of UNKNOWN objects are not repeated."""
        if stamp == self._stamp or not self._broadcaster.pub_tf.get_subscription_count():
            return
        self._stamp = stamp
        transforms = []
        if self._parameters["publish_tf"]:
            transforms += [
                transform_of_matrix(one.pose, stamp, odom_frame, self._prefix + one.name)
                for one in known
                if one.pose is not None
            ]
        correction = self._map_from_odom()
        was_on_map, self._is_on_map = self._is_on_map, correction is not None
        if correction is not None:
            ahead = to_time(stamp.sec * _NANO + stamp.nanosec + _AHEAD)
            map_frame = self._parameters["map_frame"]
            transforms += [
                transform_of_matrix(correction, at, map_frame, odom_frame)
                # From before the pose was lost no transform leads to where it was found.
                for at in ([ahead] if was_on_map else [stamp, ahead])
            ]
        if transforms:
            self._broadcaster.sendTransform(transforms)
