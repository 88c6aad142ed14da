"""``landmark_markers``: the map of tags as RViz and Foxglove draw it."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np
from geometry_msgs.msg import Pose
from rclpy.node import Node
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from ..localization import MapTag, TagMap
from ..ros.topics import LATCHED
from .ros_messages import pose_of_matrix, vector_of
from .world.frames import Matrix

_CARD, _TAG, _DOUBTED, _TEXT, _SPREAD = (
    (0.96, 0.96, 0.95, 1.0),
    (0.02, 0.02, 0.025, 1.0),
    (0.85, 0.15, 0.10, 1.0),
    (0.10, 0.35, 0.75, 1.0),
    (0.95, 0.65, 0.10, 0.35),
)
_THICK, _WHITE, _WRITTEN = 0.002, 1.25, 0.03
"""m, share of the tag's size, and m: height of the letters."""
_MOVED = 0.001
"""m; a tag that is elsewhere by less is no news."""
_DEVIATIONS, _SEEN = 2.0, 0.005
"""Standard deviations that its ball shows, and m from which it is drawn."""


class LandmarkMarkers:
    """Latched, and published again on a change."""

    def __init__(self, node: Node, frame: str) -> None:
        self._publisher = node.create_publisher(MarkerArray, "landmark_markers", LATCHED)
        self._frame = frame
        self._drawn: dict[str, tuple[Matrix, float, bool]] = {}

    def publish(self, known: TagMap, doubted: Collection[str]) -> None:
        now = {
            name: (one.pose, one.deviation[0], name in doubted) for name, one in known.tags.items()
        }
        if not _differ(now, self._drawn):
            return
        self._drawn = now
        everything = Marker(action=Marker.DELETEALL)
        everything.header.frame_id = self._frame
        markers = [everything]
        for one in known.tags.values():
            markers += self._markers_of(one, one.name in doubted)
        self._publisher.publish(MarkerArray(markers=markers))

    def _markers_of(self, one: MapTag, is_doubted: bool) -> Iterator[Marker]:
        pose = pose_of_matrix(one.pose)
        card, size = _WHITE * one.size, one.size
        if size > 0.0:
            behind = pose_of_matrix(one.pose @ _shifted(0.0, _THICK, 0.0))
            yield self._marker(one, 0, Marker.CUBE, behind, (card, _THICK, card), _CARD)
            color = _DOUBTED if is_doubted else _TAG
            yield self._marker(one, 1, Marker.CUBE, pose, (size, _THICK, size), color)
        above = pose_of_matrix(one.pose @ _shifted(0.0, 0.0, card / 2 + _WRITTEN))
        text = self._marker(one, 2, Marker.TEXT_VIEW_FACING, above, (0.0, 0.0, _WRITTEN), _TEXT)
        text.text = one.name
        yield text
        if one.deviation[0] >= _SEEN:
            ball = 2 * _DEVIATIONS * one.deviation[0]
            yield self._marker(one, 3, Marker.SPHERE, pose, (ball, ball, ball), _SPREAD)

    def _marker(
        self,
        one: MapTag,
        number: int,
        kind: int,
        pose: Pose,
        size: tuple[float, float, float],
        color: tuple[float, float, float, float],
    ) -> Marker:
        red, green, blue, opacity = color
        marker = Marker(ns=one.name, id=number, type=kind, pose=pose, scale=vector_of(size))
        marker.header.frame_id = self._frame
        marker.color = ColorRGBA(r=red, g=green, b=blue, a=opacity)
        return marker


def _differ(
    now: dict[str, tuple[Matrix, float, bool]], before: dict[str, tuple[Matrix, float, bool]]
) -> bool:
    if now.keys() != before.keys():
        return True
    return any(
        float(np.abs(pose[:3, 3] - before[name][0][:3, 3]).max()) > _MOVED
        or abs(deviation - before[name][1]) > _MOVED
        or is_doubted is not before[name][2]
        for name, (pose, deviation, is_doubted) in now.items()
    )


def _shifted(x: float, y: float, z: float) -> Matrix:
    shift = np.eye(4)
    shift[:3, 3] = x, y, z
    return shift
