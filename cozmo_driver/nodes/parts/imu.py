"""``imu/data_raw``."""

from __future__ import annotations

from sensor_msgs.msg import Imu

from ...robot import RobotState
from ..context import Context
from ..conversions.robot import fill_imu
from ..qos import SENSOR


class ImuPart:
    """Publishes accelerometer and gyroscope with every state of the robot."""

    def __init__(self, context: Context) -> None:
        """Follow the robot's states."""
        self._context = context
        self._publisher = context.node.create_publisher(Imu, "imu/data_raw", SENSOR)
        self._frame = context.frame("imu_frame")
        self._message = Imu()
        context.robot.on_state.connect(self._publish)

    def _publish(self, state: RobotState) -> None:
        parameters = self._context.parameters
        self._publisher.publish(
            fill_imu(
                self._message,
                state,
                self._context.stamp(state.time),
                self._frame,
                angular_velocity_diagonal=parameters["angular_velocity_covariance_diagonal"],
                linear_acceleration_diagonal=parameters["linear_acceleration_covariance_diagonal"],
            )
        )
