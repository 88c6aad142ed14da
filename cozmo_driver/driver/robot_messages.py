"""What every state of the robot holds, its battery, events, identity and session.

A message's constructor takes longer than everything else here, so what comes with every state is
filled into one message again and again; what is published is a copy.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Vector3
from nav_msgs.msg import Odometry as OdometryMessage
from numpy.typing import NDArray
from sensor_msgs.msg import BatteryState, Imu, JointState

from cozmo_interfaces.msg import ConnectionState, RobotInfo, RobotStatus
from cozmo_interfaces.msg import RobotEvent as RobotEventMessage

from ..protocol import MotorID
from ..robot import (
    NEWEST_KNOWN_FIRMWARE,
    OLDEST_KNOWN_FIRMWARE,
    Battery,
    Cause,
    Charge,
    Identity,
    Odometry,
    Phase,
    Pose2D,
    RobotCalibration,
    RobotEvent,
    RobotState,
    SessionState,
    Status,
)
from ..robot import Vector3 as PlainVector
from ..ros.geometry import constants, filled, header, set_yaw, stamp_header, transform

_X_AND_Y, _YAW = slice(0, 8, 7), 35
"""Of the diagonal of a 6 x 6 matrix in row-major order."""
_CLIFF_SENSORS = 4
_MOTOR_BITS = {
    MotorID.LEFT_WHEEL: RobotStatus.MOTOR_BIT_LEFT_WHEEL,
    MotorID.RIGHT_WHEEL: RobotStatus.MOTOR_BIT_RIGHT_WHEEL,
    MotorID.LIFT: RobotStatus.MOTOR_BIT_LIFT,
    MotorID.HEAD: RobotStatus.MOTOR_BIT_HEAD,
}
_STATUS = {
    Charge.DISCHARGING: BatteryState.POWER_SUPPLY_STATUS_DISCHARGING,
    Charge.CHARGING: BatteryState.POWER_SUPPLY_STATUS_CHARGING,
    Charge.FULL: BatteryState.POWER_SUPPLY_STATUS_FULL,
    Charge.CHARGER_OUT_OF_SPEC: BatteryState.POWER_SUPPLY_STATUS_NOT_CHARGING,
}
_HEALTH = {Charge.CHARGER_OUT_OF_SPEC: BatteryState.POWER_SUPPLY_HEALTH_UNSPEC_FAILURE}
_FIRST_BODY_WITH_BUTTON = 5
_STATES = constants(Phase, ConnectionState)
_REASONS = constants(Cause, ConnectionState, "REASON_")


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
    set_yaw(pose.orientation, base.yaw)
    twist.linear.x = float(odometry.linear_velocity)
    twist.angular.z = float(odometry.angular_velocity)
    message.twist.covariance = covariance(twist_diagonal, odometry.covariance_scale)
    matrix = message.pose.covariance
    matrix[:] = covariance(pose_diagonal)
    matrix[_X_AND_Y] += odometry.position_variance
    matrix[_YAW] += odometry.heading_variance
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


def _fill(message: Vector3, vector: PlainVector) -> None:
    message.x, message.y, message.z = float(vector.x), float(vector.y), float(vector.z)


def status_message(status: Status, stamp: Time, frame: str) -> RobotStatus:
    """Return the status; enumerations have the same values on both sides."""
    state = status.state
    cliff = [int(value) for value in state.cliff_raw[:_CLIFF_SENSORS]]
    return filled(
        RobotStatus,
        status,
        state,
        header=header(stamp, frame),
        off_treads_state=int(state.off_treads),
        cliff_raw=cliff + [0] * (_CLIFF_SENSORS - len(cliff)),
        flags_raw=int(state.flags),
        disabled_motors=sum(_MOTOR_BITS.get(motor, 0) for motor in status.disabled_motors),
        animation=status.clip,
        pose_frame_id=int(state.frame_id),
        origin_transform=transform(status.origin),
    )


def battery_message(battery: Battery, stamp: Time, frame: str) -> BatteryState:
    """Return the battery; what the robot does not measure is NaN (spec 10 §1.2)."""
    return BatteryState(
        header=header(stamp, frame),
        voltage=float(battery.voltage),
        temperature=math.nan,
        current=math.nan,
        charge=math.nan,
        capacity=math.nan,
        design_capacity=math.nan,
        percentage=float(battery.level),
        power_supply_status=_STATUS[battery.charge],
        power_supply_health=_HEALTH.get(battery.charge, BatteryState.POWER_SUPPLY_HEALTH_UNKNOWN),
        power_supply_technology=BatteryState.POWER_SUPPLY_TECHNOLOGY_LIPO,
        present=True,
    )


def event_message(event: RobotEvent, stamp: Time, frame: str) -> RobotEventMessage:
    """Return an event; enumerations have the same values on both sides."""
    motor = RobotEventMessage.NO_MOTOR if event.motor is None else int(event.motor)
    return filled(
        RobotEventMessage,
        event,
        header=header(stamp, frame),
        off_treads_state=int(event.off_treads),
        motor=motor,
        impact_raw=float(event.impact),
    )


def robot_info_message(
    identity: Identity, calibration: RobotCalibration, calibration_source: int, stamp: Time
) -> RobotInfo:
    """Return the identity; ``calibration_source`` is one of ``RobotInfo.CALIBRATION_*``."""
    version = identity.firmware_version
    return filled(
        RobotInfo,
        identity,
        header=header(stamp, ""),
        hardware_revision=f"1.{identity.head_revision}",
        body_hardware_version=int(identity.body_hardware),
        has_button=identity.body_hardware >= _FIRST_BODY_WITH_BUTTON,
        firmware_signature=identity.firmware_json,
        is_firmware_known=OLDEST_KNOWN_FIRMWARE <= version <= NEWEST_KNOWN_FIRMWARE,
        is_factory_firmware=identity.firmware_build == "FACTORY",
        calibration_source=int(calibration_source),
        turn_scale=calibration.value("turn_scale", math.nan),
        distance_scale=calibration.value("distance_scale", math.nan),
    )


def connection_state_message(
    state: SessionState, address: str, port: int, stamp: Time
) -> ConnectionState:
    return filled(
        ConnectionState,
        state,
        header=header(stamp, ""),
        state=_STATES[state.phase],
        previous_state=_STATES[state.previous],
        reason=_REASONS[state.cause],
        message=state.text,
        address=address,
        port=int(port),
    )
