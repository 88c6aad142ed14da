"""Sending transforms that hold for all times."""

from __future__ import annotations

from collections.abc import Iterable

from geometry_msgs.msg import TransformStamped
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from tf2_msgs.msg import TFMessage
from tf2_ros.transform_broadcaster import as_list


class StaticTransformBroadcaster:
    """Publishes on `/tf_static`, latched: a late listener gets every frame's latest transform."""

    def __init__(self, node: Node, qos: QoSProfile | int | None = None) -> None:
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.pub_tf = node.create_publisher(
            TFMessage, "/tf_static", latched if qos is None else qos
        )
        self._of_child: dict[str, TransformStamped] = {}

    def sendTransform(self, transform: TransformStamped | Iterable[TransformStamped]) -> None:
        """Send everything sent so far, with these in place of older ones of the same frame."""
        self._of_child.update((one.child_frame_id, one) for one in as_list(transform))
        self.pub_tf.publish(TFMessage(transforms=list(self._of_child.values())))
