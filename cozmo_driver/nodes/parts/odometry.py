"""``odom`` and the transform that belongs to it."""

from __future__ import annotations

from nav_msgs.msg import Odometry as OdometryMessage
from tf2_ros import TransformBroadcaster

from ...protocol.enums import RobotStatusFlag
from ...robot import Odometry, RobotState
from ...robot.unexpected_movement import UnexpectedMovementDetector
from ..context import Context
from ..conversions.motion import odometry_message, transform_message
from ..qos import SENSOR


class OdometryPart:
    """Publishes the pose with every state of the robot.

    Covariances grow while the robot is off the ground or slips, and for a while after: what it
    moved in the meantime is not known.
    """

    def __init__(self, context: Context) -> None:
        """Follow the robot's odometry."""
        self._context = context
        self._publisher = context.node.create_publisher(OdometryMessage, "odom", SENSOR)
        self._broadcaster = TransformBroadcaster(context.node)
        self._frame, self._child = context.frame("odom_frame"), context.frame("base_frame")
        self._uncertain_until = 0.0
        self._detector = UnexpectedMovementDetector(context.parameters["wheel_separation"])
        # States come before the odometry made from them.
        context.robot.on_state.connect(self._watch)
        context.robot.on_odometry.connect(self._publish)

    def _watch(self, state: RobotState) -> None:
        is_off_ground = state.has(RobotStatusFlag.IS_PICKED_UP | RobotStatusFlag.IS_FALLING)
        if is_off_ground or self._detector.update(state):
            inflated_for = self._context.parameters["covariance_inflation_time"]
            self._uncertain_until = state.time + inflated_for

    def _publish(self, odometry: Odometry) -> None:
        parameters = self._context.parameters
        is_uncertain = odometry.is_frozen or odometry.time < self._uncertain_until
        stamp = self._context.stamp(odometry.time)
        self._publisher.publish(
            odometry_message(
                odometry,
                stamp,
                self._frame,
                self._child,
                pose_diagonal=parameters["pose_covariance_diagonal"],
                twist_diagonal=parameters["twist_covariance_diagonal"],
                inflation=parameters["covariance_inflation"] if is_uncertain else 1.0,
            )
        )
        if parameters["publish_tf"]:
            self._broadcaster.sendTransform(
                transform_message(odometry.pose, stamp, self._frame, self._child)
            )
