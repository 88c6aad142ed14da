"""Receiving transforms."""

from __future__ import annotations

import threading

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from tf2_msgs.msg import TFMessage
from tf2_ros.buffer_core import BufferCore

AUTHORITY = "default_authority"


class TransformListener:
    """Puts what `/tf` and `/tf_static` bring into a buffer.

    With `spin_thread` a thread of its own serves the node, which must then be in no other executor;
    `unregister()` ends it, and so does the shutdown of its context.
    """

    def __init__(
        self,
        buffer: BufferCore,
        node: Node,
        *,
        spin_thread: bool = False,
        qos: QoSProfile | int | None = None,
        static_qos: QoSProfile | int | None = None,
        tf_topic: str = "/tf",
        tf_static_topic: str = "/tf_static",
        static_only: bool = False,
    ) -> None:
        self.buffer = buffer
        self.node = node
        # A callback of the node may wait for a transform that these bring.
        self.group = ReentrantCallbackGroup()
        moving = QoSProfile(depth=100) if qos is None else qos
        latched = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._subscriptions = [
            node.create_subscription(
                TFMessage,
                tf_static_topic,
                self.static_callback,
                latched if static_qos is None else static_qos,
                callback_group=self.group,
            )
        ]
        if not static_only:
            self._subscriptions.append(
                node.create_subscription(
                    TFMessage, tf_topic, self.callback, moving, callback_group=self.group
                )
            )
        self.executor: SingleThreadedExecutor | None = None
        self.dedicated_listener_thread: threading.Thread | None = None
        if spin_thread:
            self.executor = SingleThreadedExecutor(context=node.context)
            self.executor.add_node(node)
            self.dedicated_listener_thread = threading.Thread(
                target=_spin, args=(self.executor,), name="tf_listener", daemon=True
            )
            self.dedicated_listener_thread.start()

    def callback(self, data: TFMessage) -> None:
        """Keep transforms that change."""
        for transform in data.transforms:
            self.buffer.set_transform(transform, AUTHORITY)

    def static_callback(self, data: TFMessage) -> None:
        """Keep transforms that hold for all times."""
        for transform in data.transforms:
            self.buffer.set_transform_static(transform, AUTHORITY)

    def unregister(self) -> None:
        """Stop the thread, if any, and the subscriptions."""
        if self.executor is not None and self.dedicated_listener_thread is not None:
            self.executor.shutdown()
            self.dedicated_listener_thread.join()
            self.executor = self.dedicated_listener_thread = None
        for subscription in self._subscriptions:
            self.node.destroy_subscription(subscription)
        self._subscriptions.clear()


def _spin(executor: SingleThreadedExecutor) -> None:
    try:
        executor.spin()
    except ExternalShutdownException:
        return
