"""Broadcasters and listener, over the middleware."""

from __future__ import annotations

from . import skip_unless_stand_in

skip_unless_stand_in("tf2_ros")

from geometry_msgs.msg import TransformStamped
from rclpy.time import Time
from tf2_ros import (
    Buffer,
    StaticTransformBroadcaster,
    TransformBroadcaster,
    TransformListener,
)

from ..waiting import wait_until
from .graph import spinning_node

LATEST = Time()


def transform(parent: str, child: str, x: float) -> TransformStamped:
    message = TransformStamped()
    message.header.stamp.sec = 1
    message.header.frame_id = parent
    message.child_frame_id = child
    message.transform.translation.x = x
    return message


def test_what_is_broadcast_can_be_looked_up() -> None:
    with spinning_node("sender") as sender, spinning_node("receiver") as receiver:
        buffer = Buffer()
        TransformListener(buffer, receiver)
        broadcaster = TransformBroadcaster(sender)
        wait_until(lambda: broadcaster.pub_tf.get_subscription_count() > 0, "the listener")

        broadcaster.sendTransform([transform("odom", "base", 1.0), transform("base", "head", 2.0)])
        broadcaster.sendTransform(transform("head", "camera", 4.0))

        wait_until(lambda: buffer.can_transform("odom", "camera", LATEST), "the transforms")
        found = buffer.lookup_transform("odom", "camera", LATEST)
        assert found.transform.translation.x == 7.0


def test_a_late_listener_gets_the_latest_of_every_static_frame() -> None:
    with spinning_node("sender") as sender:
        broadcaster = StaticTransformBroadcaster(sender)
        broadcaster.sendTransform([transform("base", "left", 1.0), transform("base", "right", 2.0)])
        broadcaster.sendTransform(transform("base", "left", 3.0))

        with spinning_node("receiver") as receiver:
            buffer = Buffer()
            TransformListener(buffer, receiver)
            wait_until(lambda: buffer.can_transform("left", "right", LATEST), "both frames")
            found = buffer.lookup_transform("left", "right", LATEST)

        assert found.transform.translation.x == -1.0
