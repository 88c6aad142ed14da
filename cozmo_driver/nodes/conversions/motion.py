"""Odometry, transforms, IMU and joints.

These come with every state. A message's constructor makes its default fields even where values are
given, so here the fields of a new message are filled.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Quaternion, TransformStamped, Vector3
from nav_msgs.msg import Odometry as OdometryMessage
from numpy.typing import NDArray
from sensor_msgs.msg import Imu, JointState

from ...robot import Odometry, Pose2D, RobotState
from ...robot import Vector3 as PlainVector
from .headers import stamp_header

TURN_SHARE = 10.0
"""How much faster the position gets uncertain while turning, per rad/s (spec 07 §10)."""


def quaternion(yaw: float) -> Quaternion:
    """Return a rotation about z, rad."""
    return Quaternion(z=math.sin(yaw / 2), w=math.cos(yaw / 2))


def covariance(diagonal: Sequence[float], factor: float = 1.0) -> NDArray[np.float64]:
    """Return the matrix of ``diagonal`` times ``factor`` in row-major order."""
    size = len(diagonal)
    matrix = np.zeros(size * size)
    matrix[:: size + 1] = diagonal
    return matrix * factor


def odometry_message(
    odometry: Odometry,
    stamp: Time,
    frame: str,
    child_frame: str,
    *,
    pose_diagonal: Sequence[float],
    twist_diagonal: Sequence[float],
    inflation: float = 1.0,
) -> OdometryMessage:
    """Return the odometry; diagonals are x, y, z, roll, pitch, yaw variances, m^2 and rad^2."""
    message = OdometryMessage()
    stamp_header(message.header, stamp, frame)
    message.child_frame_id = child_frame
    pose, twist = message.pose.pose, message.twist.twist
    pose.position.x, pose.position.y = float(odometry.pose.x), float(odometry.pose.y)
    _turn(pose.orientation, odometry.pose.yaw)
    twist.linear.x = float(odometry.linear_velocity)
    twist.angular.z = float(odometry.angular_velocity)
    x, y, *rest = pose_diagonal
    turning = 1 + TURN_SHARE * abs(odometry.angular_velocity)
    message.pose.covariance = covariance((x * turning, y * turning, *rest), inflation)
    message.twist.covariance = covariance(twist_diagonal, inflation)
    return message


def transform_message(pose: Pose2D, stamp: Time, frame: str, child_frame: str) -> TransformStamped:
    """Return a pose in the plane as a transform."""
    message = TransformStamped()
    stamp_header(message.header, stamp, frame)
    message.child_frame_id = child_frame
    translation = message.transform.translation
    translation.x, translation.y = float(pose.x), float(pose.y)
    _turn(message.transform.rotation, pose.yaw)
    return message


def imu_message(
    state: RobotState,
    stamp: Time,
    frame: str,
    *,
    angular_velocity_diagonal: Sequence[float],
    linear_acceleration_diagonal: Sequence[float],
) -> Imu:
    """Return what the IMU in the head measured, in its own frame, without an orientation."""
    message = Imu()
    stamp_header(message.header, stamp, frame)
    _fill(message.angular_velocity, state.angular_velocity)
    _fill(message.linear_acceleration, state.acceleration)
    message.angular_velocity_covariance = covariance(angular_velocity_diagonal)
    message.linear_acceleration_covariance = covariance(linear_acceleration_diagonal)
    # REP-145: there is no orientation in this message.
    message.orientation_covariance[0] = -1.0
    return message


def joint_state_message(
    stamp: Time, names: Sequence[str], positions: Sequence[float], velocities: Sequence[float]
) -> JointState:
    """Return joint positions in rad and velocities in rad/s."""
    message = JointState()
    stamp_header(message.header, stamp, "")
    message.name = list(names)
    message.position = [float(value) for value in positions]
    message.velocity = [float(value) for value in velocities]
    return message


def _turn(rotation: Quaternion, yaw: float) -> None:
    rotation.z, rotation.w = math.sin(yaw / 2), math.cos(yaw / 2)


def _fill(message: Vector3, vector: PlainVector) -> None:
    message.x, message.y, message.z = float(vector.x), float(vector.y), float(vector.z)
