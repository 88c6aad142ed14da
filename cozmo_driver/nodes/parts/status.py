"""``status``."""

from __future__ import annotations

import math
from collections.abc import Callable

from cozmo_interfaces.msg import RobotStatus

from ...protocol.enums import MotorID
from ...robot import RobotState
from ..context import Context
from ..conversions.status import DriverFacts, status_message
from ..qos import SENSOR

_PERIOD = 1.0


class StatusPart:
    """Publishes what the robot is doing, on every change and once a second.

    Measured values alone are no change; they come with ``odom``, ``joint_states`` and the like.
    """

    def __init__(self, context: Context, wheels_owner: Callable[[], int]) -> None:
        """Follow the robot's states."""
        self._context = context
        self._wheels_owner = wheels_owner
        self._publisher = context.node.create_publisher(RobotStatus, "status", SENSOR)
        self._frame = context.frame("base_frame")
        self._due = -math.inf
        self._shown: object = None
        context.robot.on_state.connect(self._take)

    def _take(self, state: RobotState) -> None:
        facts = self._facts()
        shown = (facts, state.flags, state.path_segment, state.origin_id, state.frame_id)
        if shown == self._shown and state.time < self._due:
            return
        self._due, self._shown = state.time + _PERIOD, shown
        origin = self._context.robot.odometry_tracker.origin
        stamp = self._context.stamp(state.time)
        self._publisher.publish(status_message(state, facts, origin, stamp, self._frame))

    def _facts(self) -> DriverFacts:
        robot = self._context.robot
        return DriverFacts(
            is_head_calibrated=robot.motion.is_calibrated(MotorID.HEAD),
            is_lift_calibrated=robot.motion.is_calibrated(MotorID.LIFT),
            is_emergency_stopped=robot.motion.is_stopped,
            is_stop_on_cliff_enabled=robot.stop_on_cliff,
            is_camera_enabled=robot.camera.is_enabled,
            is_head_light_on=robot.head_light.is_on,
            wheels_owner=self._wheels_owner(),
        )
