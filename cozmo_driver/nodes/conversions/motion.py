"""Odometry, transforms, IMU and joints.

These come with every state. A message's constructor takes longer than everything else here, so
each part fills one message again and again; what is published is a copy.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Quaternion, TransformStamped, Vector3
from nav_msgs.msg import Odometry as OdometryMessage
from numpy.typing import NDArray
from sensor_msgs.msg import Imu, JointState

from ...robot import Odometry, Pose2D, RobotState
from ...robot import Vector3 as PlainVector
from .headers import stamp_header

_X_AND_Y, _YAW = slice(0, 8, 7), 35
"""Of the diagonal of a 6 x 6 matrix in row-major order."""


def quaternion(yaw: float) -> Quaternion:
    """Return a rotation about z, rad."""
    return Quaternion(z=math.sin(yaw / 2), w=math.cos(yaw / 2))


@lru_cache
def covariance(diagonal: tuple[float, ...], factor: float = 1.0) -> NDArray[np.float64]:
    """Return the matrix of ``diagonal`` times ``factor`` in row-major order, for reading only."""
    size = len(diagonal)
    matrix = np.zeros(size * size)
    matrix[:: size + 1] = diagonal
    matrix *= factor
    matrix.flags.writeable = False
    return matrix


def fill_odometry(
    message: OdometryMessage,
    odometry: Odometry,
    base: Pose2D,
    stamp: Time,
    frame: str,
    child_frame: str,
    *,
    pose_diagonal: tuple[float, ...],
    twist_diagonal: tuple[float, ...],
) -> OdometryMessage:
    """Put in the odometry and the pose of the base in the odometry frame.

    Diagonals are x, y, z, roll, pitch, yaw variances, m^2 and rad^2: of the velocity, which the
    odometry scales, and of the pose, to which it adds what has grown.
    """
    stamp_header(message.header, stamp, frame)
    message.child_frame_id = child_frame
    pose, twist = message.pose.pose, message.twist.twist
    pose.position.x, pose.position.y = float(base.x), float(base.y)
    _turn(pose.orientation, base.yaw)
    twist.linear.x = float(odometry.linear_velocity)
    twist.angular.z = float(odometry.angular_velocity)
    message.twist.covariance = covariance(twist_diagonal, odometry.covariance_scale)
    matrix = message.pose.covariance
    matrix[:] = covariance(pose_diagonal)
    matrix[_X_AND_Y] += odometry.position_variance
    matrix[_YAW] += odometry.heading_variance
    return message


def transform_message(pose: Pose2D, stamp: Time, frame: str, child_frame: str) -> TransformStamped:
    """Return a pose in the plane as a transform."""
    return fill_transform(TransformStamped(), pose, stamp, frame, child_frame)


def fill_transform(
    message: TransformStamped, pose: Pose2D, stamp: Time, frame: str, child_frame: str
) -> TransformStamped:
    """Put in a pose in the plane."""
    stamp_header(message.header, stamp, frame)
    message.child_frame_id = child_frame
    translation = message.transform.translation
    translation.x, translation.y = float(pose.x), float(pose.y)
    _turn(message.transform.rotation, pose.yaw)
    return message


def fill_imu(
    message: Imu,
    state: RobotState,
    stamp: Time,
    frame: str,
    *,
    angular_velocity_diagonal: tuple[float, ...],
    linear_acceleration_diagonal: tuple[float, ...],
) -> Imu:
    """Put in what the IMU in the head measured, in its own frame, without an orientation."""
    stamp_header(message.header, stamp, frame)
    _fill(message.angular_velocity, state.angular_velocity)
    _fill(message.linear_acceleration, state.acceleration)
    message.angular_velocity_covariance = covariance(angular_velocity_diagonal)
    message.linear_acceleration_covariance = covariance(linear_acceleration_diagonal)
    # REP-145: there is no orientation in this message.
    message.orientation_covariance[0] = -1.0
    return message


def fill_joint_state(
    message: JointState, stamp: Time, positions: Sequence[float], velocities: Sequence[float]
) -> JointState:
    """Put in joint positions in rad and velocities in rad/s, in the order of the names there."""
    message.header.stamp = stamp
    message.position = array("d", positions)
    message.velocity = array("d", velocities)
    return message


def _turn(rotation: Quaternion, yaw: float) -> None:
    rotation.z, rotation.w = math.sin(yaw / 2), math.cos(yaw / 2)


def _fill(message: Vector3, vector: PlainVector) -> None:
    message.x, message.y, message.z = float(vector.x), float(vector.y), float(vector.z)
