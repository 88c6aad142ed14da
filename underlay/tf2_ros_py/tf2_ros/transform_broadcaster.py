"""Sending transforms that change."""

from __future__ import annotations

from collections.abc import Iterable

from geometry_msgs.msg import TransformStamped
from rclpy.node import Node
from rclpy.qos import QoSProfile
from tf2_msgs.msg import TFMessage


def as_list(transform: TransformStamped | Iterable[TransformStamped]) -> list[TransformStamped]:
    """One transform or several as a list."""
    return [transform] if isinstance(transform, TransformStamped) else list(transform)


class TransformBroadcaster:
    """Publishes on `/tf`."""

    def __init__(self, node: Node, qos: QoSProfile | int | None = None) -> None:
        profile = QoSProfile(depth=100) if qos is None else qos
        self.pub_tf = node.create_publisher(TFMessage, "/tf", profile)

    def sendTransform(self, transform: TransformStamped | Iterable[TransformStamped]) -> None:
        """Send one transform or several, in one message."""
        self.pub_tf.publish(TFMessage(transforms=as_list(transform)))
