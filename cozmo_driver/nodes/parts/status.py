"""``status``."""

from __future__ import annotations

import math

from cozmo_interfaces.msg import RobotStatus

from ...robot import RobotState, Status
from ...robot.status import status_of
from ..context import Context
from ..conversions.robot import status_message
from ..qos import SENSOR

_PERIOD = 1.0


class StatusPart:
    """Publishes what the robot is doing, on every change and once a second while it is connected.

    Measured values alone are no change; they come with ``odom``, ``joint_states`` and the like.
    """

    def __init__(self, context: Context) -> None:
        """Follow the robot's status."""
        self._context = context
        self._publisher = context.node.create_publisher(RobotStatus, "status", SENSOR)
        self._frame = context.frame("base_frame")
        self._due = -math.inf
        context.robot.on_state.connect(self._repeat)
        context.robot.on_status.connect(self._publish)

    def _repeat(self, state: RobotState) -> None:
        # What has changed with this state follows as a change.
        if state.time >= self._due and self._context.robot.status is not None:
            status = status_of(self._context.robot, state)
            if status == self._context.robot.status:
                self._publish(status)

    def _publish(self, status: Status) -> None:
        self._due = status.time + _PERIOD
        stamp = self._context.stamp(status.time)
        self._publisher.publish(status_message(status, stamp, self._frame))
