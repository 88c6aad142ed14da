"""Frames of located objects, and ``map_frame`` where cubes correct the odometry."""

from __future__ import annotations

from collections.abc import Iterable

from builtin_interfaces.msg import Time
from tf2_ros import TransformBroadcaster

from ..ros.context import NodeContext, to_time
from .ros_messages import transform_of_matrix
from .world.objects import LocatedObject
from .world.world_model import WorldModel

_NANO = 1_000_000_000
_AHEAD = 300_000_000
"""ns for which ``map_frame`` is known beyond the last state, so that nobody waits for it."""


class Frames:
    """Broadcasts them with the stamp of the robot's last state."""

    def __init__(self, context: NodeContext, world: WorldModel) -> None:
        self._parameters, self._localizer = context.parameters, world.localizer
        self._prefix: str = context.parameters["frame_prefix"]
        self._broadcaster = TransformBroadcaster(context.node)
        self._stamp = Time()

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
        if self._localizer is not None:
            ahead = to_time(stamp.sec * _NANO + stamp.nanosec + _AHEAD)
            correction = self._localizer.map_from_odom
            map_frame = self._parameters["map_frame"]
            transforms.append(transform_of_matrix(correction, ahead, map_frame, odom_frame))
        if transforms:
            self._broadcaster.sendTransform(transforms)
