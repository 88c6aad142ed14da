"""``odom`` and the transform that belongs to it: of the point that the robot turns about."""

from __future__ import annotations

from geometry_msgs.msg import TransformStamped
from nav_msgs.msg import Odometry as OdometryMessage
from tf2_ros import TransformBroadcaster

from ...robot import Odometry
from ...robot.data import DRIVE_CENTER
from ..context import Context
from ..conversions.geometry import fill_transform
from ..conversions.robot import fill_odometry
from ..qos import SENSOR

_UNCERTAINTY = {"covariance_inflation": "inflation", "covariance_inflation_time": "duration"}
"""Parameters and what they set of the robot's ``PoseUncertainty``."""


class OdometryPart:
    """Publishes the pose with every state of the robot; its covariances grow as the robot says."""

    def __init__(self, context: Context) -> None:
        """Follow the robot's odometry."""
        self._context = context
        self._publisher = context.node.create_publisher(OdometryMessage, "odom", SENSOR)
        self._broadcaster = TransformBroadcaster(context.node)
        self._message, self._transform = OdometryMessage(), TransformStamped()
        self._frame, self._child = context.frame("odom_frame"), context.frame("base_frame")
        self._set_uncertainty()
        for name in _UNCERTAINTY:
            context.parameters.on_change(name, self._change_uncertainty)
        context.robot.on_odometry.connect(self._publish)

    # -- in the executor's thread

    def _change_uncertainty(self, _: float) -> None:
        self._context.thread.post(self._set_uncertainty)

    # -- in the robot's thread

    def _set_uncertainty(self) -> None:
        uncertainty = self._context.robot.odometry_tracker.uncertainty
        for name, field in _UNCERTAINTY.items():
            setattr(uncertainty, field, self._context.parameters[name])

    def _publish(self, odometry: Odometry) -> None:
        parameters = self._context.parameters
        stamp = self._context.stamp(odometry.time)
        base = odometry.pose.compose(DRIVE_CENTER)
        self._publisher.publish(
            fill_odometry(
                self._message,
                odometry,
                base,
                stamp,
                self._frame,
                self._child,
                pose_diagonal=parameters["pose_covariance_diagonal"],
                twist_diagonal=parameters["twist_covariance_diagonal"],
            )
        )
        if parameters["publish_tf"]:
            self._broadcaster.sendTransform(
                fill_transform(self._transform, base, stamp, self._frame, self._child)
            )
