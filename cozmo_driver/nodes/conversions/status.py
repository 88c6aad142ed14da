"""What the robot is doing."""

from __future__ import annotations

from collections.abc import Iterable

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Transform

from cozmo_interfaces.msg import RobotStatus

from ...protocol.enums import MotorID
from ...robot import Pose2D, Status
from .headers import header
from .motion import quaternion

_CLIFF_SENSORS = 4
_MOTOR_BITS = {
    MotorID.LEFT_WHEEL: RobotStatus.MOTOR_BIT_LEFT_WHEEL,
    MotorID.RIGHT_WHEEL: RobotStatus.MOTOR_BIT_RIGHT_WHEEL,
    MotorID.LIFT: RobotStatus.MOTOR_BIT_LIFT,
    MotorID.HEAD: RobotStatus.MOTOR_BIT_HEAD,
}


def status_message(status: Status, stamp: Time, frame: str) -> RobotStatus:
    """Return the status; enumerations have the same values on both sides."""
    cliff = [int(value) for value in status.cliff_raw[:_CLIFF_SENSORS]]
    return RobotStatus(
        header=header(stamp, frame),
        robot_time=float(status.robot_time),
        off_treads_state=int(status.off_treads),
        pitch=float(status.pitch),
        is_moving=status.is_moving,
        are_wheels_moving=status.are_wheels_moving,
        is_picked_up=status.is_picked_up,
        is_falling=status.is_falling,
        is_on_charger=status.is_on_charger,
        is_charging=status.is_charging,
        is_charger_out_of_spec=status.is_charger_out_of_spec,
        is_cliff_detected=status.is_cliff_detected,
        is_carrying_cube=status.is_carrying_cube,
        is_docking=status.is_docking,
        is_following_path=status.is_following_path,
        is_animating=status.is_animating,
        is_head_in_position=status.is_head_in_position,
        is_lift_in_position=status.is_lift_in_position,
        is_head_calibrated=status.is_head_calibrated,
        is_lift_calibrated=status.is_lift_calibrated,
        is_emergency_stopped=status.is_emergency_stopped,
        is_stop_on_cliff_enabled=status.is_stop_on_cliff_enabled,
        is_head_light_on=status.is_head_light_on,
        is_camera_enabled=status.is_camera_enabled,
        left_wheel_speed=float(status.left_wheel_speed),
        right_wheel_speed=float(status.right_wheel_speed),
        head_angle=float(status.head_angle),
        lift_angle=float(status.lift_angle),
        lift_height=float(status.lift_height),
        battery_voltage=float(status.battery_voltage),
        cliff_raw=cliff + [0] * (_CLIFF_SENSORS - len(cliff)),
        flags_raw=int(status.flags),
        disabled_motors=_motor_bits(status.disabled_motors),
        path_segment=int(status.path_segment),
        wheels_owner=int(status.wheels_owner),
        face_owner=int(status.face_owner),
        animation=status.clip,
        origin_id=int(status.origin_id),
        pose_frame_id=int(status.frame_id),
        origin_transform=_transform(status.origin),
    )


def _motor_bits(motors: Iterable[MotorID]) -> int:
    return sum(_MOTOR_BITS.get(motor, 0) for motor in motors)


def _transform(pose: Pose2D) -> Transform:
    transform = Transform()
    transform.translation.x, transform.translation.y = float(pose.x), float(pose.y)
    transform.rotation = quaternion(pose.yaw)
    return transform
