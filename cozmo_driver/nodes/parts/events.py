"""``events``."""

from __future__ import annotations

from rclpy.qos import QoSProfile

from cozmo_interfaces.msg import RobotEvent as RobotEventMessage

from ...robot import RobotEvent
from ..context import Context
from ..conversions.robot import event_message

_EVERY_ONE = QoSProfile(depth=50)
"""Reliable, and deep enough for what a robot that is dropped tells at once."""


class EventsPart:
    """Publishes what happens to the robot, each once, with the time at which it happened."""

    def __init__(self, context: Context) -> None:
        """Follow the robot's events."""
        self._context = context
        self._publisher = context.node.create_publisher(RobotEventMessage, "events", _EVERY_ONE)
        self._frame = context.frame("base_frame")
        context.robot.on_event.connect(self._publish)

    def _publish(self, event: RobotEvent) -> None:
        stamp = self._context.stamp_of(event.time)
        self._publisher.publish(event_message(event, stamp, self._frame))
