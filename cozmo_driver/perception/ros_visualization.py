"""``object_markers``: located objects as RViz and Foxglove draw them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from geometry_msgs.msg import Pose
from rclpy.event_handler import PublisherEventCallbacks
from rclpy.publisher import Publisher
from std_msgs.msg import ColorRGBA, Header
from visualization_msgs.msg import Marker, MarkerArray

from ..ros.context import NodeContext
from ..ros.topics import SENSOR
from .ros_messages import pose_of_matrix, vector_of
from .world.objects import Kind, LocatedObject, PoseState

_MESHES = "package://cozmo_description/meshes/{}.stl"
_WHITE, _FROSTED, _BLACK, _GRAY, _BRASS = (
    (0.96, 0.96, 0.95),
    (0.86, 0.89, 0.91),
    (0.02, 0.02, 0.025),
    (0.19, 0.195, 0.205),
    (0.80, 0.65, 0.30),
)
_CUBE = {
    "cube_body": _FROSTED,
    "cube_stickers": _WHITE,
    "cube_top_corners": _BLACK,
    "cube_bottom_corners": _BLACK,
}
_CHARGER = {
    "charger_base": _WHITE,
    "charger_tongue": _GRAY,
    "charger_contacts": _BRASS,
    "charger_marker_plate": _BLACK,
    "charger_sticker": _WHITE,
    "charger_marker": _BLACK,
}
_CUSTOM = (0.45, 0.65, 0.90)
_DOUBTFUL = 0.35
"""Opacity of objects that are DIRTY."""


class ObjectMarkers:
    """Published on every change of the states while somebody subscribes, and to whoever comes."""

    def __init__(self, context: NodeContext) -> None:
        self._message = MarkerArray()
        self._publisher: Publisher
        again = PublisherEventCallbacks(
            matched=lambda _: context.thread.post(self._publisher.publish, self._message)
        )
        self._publisher = context.node.create_publisher(
            MarkerArray, "object_markers", SENSOR, event_callbacks=again
        )

    def publish(self, known: Sequence[LocatedObject], head: Header) -> None:
        markers = [Marker(header=head, action=Marker.DELETEALL)]
        for one in known:
            markers += _markers_of(one, head)
        self._message = MarkerArray(markers=markers)
        if self._publisher.get_subscription_count():
            self._publisher.publish(self._message)


def _markers_of(known: LocatedObject, head: Header) -> Iterator[Marker]:
    if known.pose is None:
        return
    opacity = 1.0 if known.state is PoseState.KNOWN else _DOUBTFUL
    if known.kind is Kind.CUSTOM:
        box = _marker(known, 0, head, pose_of_matrix(known.middle(known.pose)), _CUSTOM, opacity)
        box.type, box.scale = Marker.CUBE, vector_of(known.size)
        yield box
        return
    meshes = _CHARGER
    if known.kind is Kind.CUBE:
        meshes = _CUBE | {known.name.replace("cube_", "cube_marker_"): _BLACK}
    pose = pose_of_matrix(known.pose)
    for number, (mesh, color) in enumerate(meshes.items()):
        marker = _marker(known, number, head, pose, color, opacity)
        marker.type, marker.scale = Marker.MESH_RESOURCE, vector_of((1.0, 1.0, 1.0))
        marker.mesh_resource = _MESHES.format(mesh)
        yield marker


def _marker(
    known: LocatedObject,
    number: int,
    head: Header,
    pose: Pose,
    color: tuple[float, float, float],
    opacity: float,
) -> Marker:
    red, green, blue = color
    return Marker(
        header=head,
        ns=known.name,
        id=number,
        pose=pose,
        color=ColorRGBA(r=red, g=green, b=blue, a=opacity),
    )
