"""What comes with the robot's states: ``odom``, ``imu/data_raw``, ``joint_states``, ``hazards``.

Nothing is published where nobody subscribes: that takes longer than all else done with a state.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable

from geometry_msgs.msg import TransformStamped
from nav_msgs.msg import Odometry as OdometryMessage
from sensor_msgs.msg import Imu, JointState, PointCloud2
from tf2_ros import TransformBroadcaster

from ..robot import DRIVE_CENTER, JOINTS, JointTracker, Odometry, Robot, RobotState
from ..ros.context import Context
from ..ros.geometry import fill_transform, header, point_cloud
from ..ros.pacing import Throttle
from ..ros.topics import SENSOR
from .robot_messages import fill_imu, fill_joint_state, fill_odometry

_UNCERTAINTY = {"covariance_inflation": "inflation", "covariance_inflation_time": "duration"}
"""Parameters and what they set of the robot's ``PoseUncertainty``."""
_HAZARDS_PERIOD = 0.25
_HEIGHT, _GONE = 0.05, -0.05
"""z of what is there and of what is there no more, m: costmaps mark what is above the ground."""
_FIELDS = ("x", "y", "z", "intensity")


class OdometryPart:
    """``odom`` and its transform, of the point that the robot turns about, with every state."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._publisher = context.node.create_publisher(OdometryMessage, "odom", SENSOR)
        self._broadcaster = TransformBroadcaster(context.node)
        self._transforms = self._broadcaster.pub_tf
        self._message, self._transform = OdometryMessage(), TransformStamped()
        self._frame, self._child = context.frame("odom_frame"), context.frame("base_frame")
        self._set_uncertainty()
        for name in _UNCERTAINTY:
            context.on_parameter(name, lambda _: self._set_uncertainty())
        context.robot.on_odometry.connect(self._on_odometry)

    def _set_uncertainty(self) -> None:
        uncertainty = self._context.robot.odometry_tracker.uncertainty
        for name, field in _UNCERTAINTY.items():
            setattr(uncertainty, field, self._context.parameters[name])

    def _on_odometry(self, odometry: Odometry) -> None:
        if self._publisher.get_subscription_count():
            self._publish(odometry)
        if self._context.parameters["publish_tf"] and self._transforms.get_subscription_count():
            base = odometry.pose.compose(DRIVE_CENTER)
            stamp = self._context.stamp(odometry.time)
            self._broadcaster.sendTransform(
                fill_transform(self._transform, base, stamp, self._frame, self._child)
            )

    def _publish(self, odometry: Odometry) -> None:
        parameters = self._context.parameters
        self._publisher.publish(
            fill_odometry(
                self._message,
                odometry,
                odometry.pose.compose(DRIVE_CENTER),
                self._context.stamp(odometry.time),
                self._frame,
                self._child,
                pose_diagonal=parameters["pose_covariance_diagonal"],
                twist_diagonal=parameters["twist_covariance_diagonal"],
            )
        )


def publish_imu(context: Context) -> None:
    """Publish ``imu/data_raw``, accelerometer and gyroscope, with every state."""
    publisher = context.node.create_publisher(Imu, "imu/data_raw", SENSOR)
    frame = context.frame("imu_frame")
    message = Imu()

    def publish(state: RobotState) -> None:
        if not publisher.get_subscription_count():
            return
        moves = state.are_wheels_moving or state.left_wheel_speed or state.right_wheel_speed
        which, values = "driving_" if moves else "", context.parameters
        publisher.publish(
            fill_imu(
                message,
                state,
                context.stamp(state.time),
                frame,
                angular_velocity_diagonal=values[f"{which}angular_velocity_covariance_diagonal"],
                linear_acceleration_diagonal=values[
                    f"{which}linear_acceleration_covariance_diagonal"
                ],
            )
        )

    _after_odometry(context.robot, publish)


def publish_joint_states(context: Context) -> None:
    """Publish ``joint_states``, head, lift and wheels, with every state."""
    publisher = context.node.create_publisher(JointState, "joint_states", SENSOR)
    tracker = JointTracker()
    message = JointState(name=list(JOINTS))

    def publish(state: RobotState) -> None:
        joints = tracker.update(state)
        if publisher.get_subscription_count():
            publisher.publish(
                fill_joint_state(
                    message, context.stamp(state.time), joints.positions, joints.velocities
                )
            )

    _after_odometry(context.robot, publish)


def _after_odometry(robot: Robot, publish: Callable[[RobotState], None]) -> None:
    """Call ``publish`` with every state once its odometry is out: its transform comes first."""

    def on_odometry(_: Odometry) -> None:
        if robot.state is not None:
            publish(robot.state)

    robot.on_odometry.connect(on_odometry)


def publish_hazards(context: Context) -> None:
    """Publish ``hazards``, where the robot met an edge or something in its way, for costmaps.

    All places come four times a second while there are some, and their end once.
    """
    robot = context.robot
    publisher = context.node.create_publisher(PointCloud2, "hazards", SENSOR)
    frame = context.frame("odom_frame")
    throttle = Throttle(_HAZARDS_PERIOD)
    was_empty = True

    def set_lifetime(seconds: float) -> None:
        robot.hazards.lifetime = seconds

    def on_odometry(odometry: Odometry) -> None:
        nonlocal was_empty
        points = array("f")
        for hazards, height in ((robot.hazards.current, _HEIGHT), (robot.hazards.past, _GONE)):
            for hazard in hazards:
                for x, y in hazard.points:
                    points.extend((x, y, height, float(hazard.kind)))
        is_empty = not points
        if (is_empty and was_empty) or not throttle.is_due(odometry.time):
            return
        was_empty = is_empty
        # The transforms of the odometry have the same stamps.
        head = header(context.stamp(odometry.time), frame)
        publisher.publish(point_cloud(points, _FIELDS, head))

    set_lifetime(context.parameters["hazard_lifetime"])
    context.on_parameter("hazard_lifetime", set_lifetime)
    robot.on_odometry.connect(on_odometry)
