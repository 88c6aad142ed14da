"""Receiving transforms."""

from __future__ import annotations

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from tf2_msgs.msg import TFMessage
from tf2_ros.buffer_core import BufferCore

AUTHORITY = "default_authority"


class TransformListener:
    """Puts what `/tf` and `/tf_static` bring into a buffer."""

    def __init__(self, buffer: BufferCore, node: Node) -> None:
        self.buffer = buffer
        self.node = node
        # A callback of the node may wait for a transform that these bring.
        self.group = ReentrantCallbackGroup()
        moving = QoSProfile(depth=100)
        latched = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        node.create_subscription(
            TFMessage, "/tf_static", self.static_callback, latched, callback_group=self.group
        )
        node.create_subscription(TFMessage, "/tf", self.callback, moving, callback_group=self.group)

    def callback(self, data: TFMessage) -> None:
        """Keep transforms that change."""
        for transform in data.transforms:
            self.buffer.set_transform(transform, AUTHORITY)

    def static_callback(self, data: TFMessage) -> None:
        """Keep transforms that hold for all times."""
        for transform in data.transforms:
            self.buffer.set_transform_static(transform, AUTHORITY)
