"""Wheels, head and lift."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from ..enums import ControllerChannel, MotorID
from ..registry import ENGINE_TO_ROBOT, ROBOT_TO_ENGINE, message
from ..wire import F32, I16, U8, U16, About, Bool


@message(0x32, ENGINE_TO_ROBOT, confidence="E")
class DriveWheels(NamedTuple):
    """Drive each wheel at a speed. Ignored while a path is followed [F]."""

    lwheel_speed_mmps: Annotated[F32, About(unit="mm/s")] = 0.0
    rwheel_speed_mmps: Annotated[F32, About(unit="mm/s")] = 0.0
    lwheel_accel_mmps2: Annotated[F32, About("0 = maximum", unit="mm/s^2")] = 0.0
    rwheel_accel_mmps2: Annotated[F32, About("0 = maximum", unit="mm/s^2")] = 0.0


@message(0x33, ENGINE_TO_ROBOT, confidence="E", pycozmo="TurnInPlaceAtSpeed")
class DriveWheelsCurvature(NamedTuple):
    """Drive an arc."""

    speed: Annotated[F32, About("linear speed; for a point turn the wheel speed", unit="mm/s")]
    accel: Annotated[F32, About(unit="mm/s^2")]
    curvature_radius_mm: Annotated[I16, About("0 = turn in place, 32767 = straight", unit="mm")]


@message(0x34, ENGINE_TO_ROBOT, confidence="E")
class MoveLift(NamedTuple):
    """Move the lift at a speed until stopped."""

    speed_rad_per_sec: Annotated[F32, About("negative = down", unit="rad/s")]


@message(0x35, ENGINE_TO_ROBOT, confidence="E")
class MoveHead(NamedTuple):
    """Move the head at a speed until stopped."""

    speed_rad_per_sec: Annotated[F32, About("negative = down", unit="rad/s")]


@message(0x36, ENGINE_TO_ROBOT, confidence="H")
class SetLiftHeight(NamedTuple):
    """Move the lift to a height."""

    height_mm: Annotated[F32, About("32..92", unit="mm")]
    max_speed_rad_per_sec: Annotated[F32, About(unit="rad/s")] = 10.0
    accel_rad_per_sec2: Annotated[F32, About(unit="rad/s^2")] = 20.0
    duration_sec: Annotated[F32, About(">0: move in this time instead of by speed", unit="s")] = 0.0
    action_id: Annotated[U8, About("echoed in 0xC4; 1..255 wrapping past 0")] = 0


@message(0x37, ENGINE_TO_ROBOT, confidence="H")
class SetHeadAngle(NamedTuple):
    """Move the head to an angle."""

    angle_rad: Annotated[F32, About("-0.4363..0.7767", unit="rad")]
    max_speed_rad_per_sec: Annotated[F32, About(unit="rad/s")] = 10.0
    accel_rad_per_sec2: Annotated[F32, About(unit="rad/s^2")] = 20.0
    duration_sec: Annotated[F32, About(">0: move in this time instead of by speed", unit="s")] = 0.0
    action_id: Annotated[U8, About("echoed in 0xC4")] = 0


@message(0x38, ENGINE_TO_ROBOT, confidence="E", never_send=True)
class HeadAngleUpdate(NamedTuple):
    """Overwrite the robot's idea of its head angle."""

    new_angle: Annotated[F32, About(unit="rad")]


@message(0x39, ENGINE_TO_ROBOT, confidence="H", pycozmo="TurnInPlace")
class SetBodyAngle(NamedTuple):
    """Turn the body to a heading."""

    angle_rad: Annotated[F32, About("target heading in the robot pose frame", unit="rad")]
    max_speed_rad_per_sec: Annotated[F32, About("its sign counts when the flag is 0", unit="rad/s")]
    accel_rad_per_sec2: Annotated[F32, About(unit="rad/s^2")]
    angle_tolerance_rad: Annotated[F32, About(unit="rad")]
    num_half_revolutions: Annotated[U16, About("half turns to add, see the flag")] = 0
    use_shortest_direction: Annotated[
        Bool,
        About("1: shortest way; 0: sign of the speed and half turns decide"),
    ] = True
    action_id: Annotated[U8, About("echoed in 0xC4")] = 0


@message(0x3A, ENGINE_TO_ROBOT, confidence="E")
class TurnInPlaceAtSpeed(NamedTuple):
    """Spin continuously.

    Absent from PyCozmo; do not confuse with PyCozmo's packet of that name (0x33).
    """

    speed_rad_per_sec: Annotated[F32, About("positive = left (counter-clockwise)", unit="rad/s")]
    accel_rad_per_sec2: Annotated[F32, About(unit="rad/s^2")]


@message(0x3B, ENGINE_TO_ROBOT, confidence="E")
class StopAllMotors(NamedTuple):
    """Stop wheels, head and lift."""


@message(0x47, ENGINE_TO_ROBOT, confidence="E")
class ControllerGains(NamedTuple):
    """Set PID gains."""

    kp: F32
    ki: F32
    kd: F32
    max_integral_error: F32
    controller: Annotated[U8, ControllerChannel]


@message(0x4F, ENGINE_TO_ROBOT, confidence="E")
class CheckLiftLoad(NamedTuple):
    """Test for a load on the lift; answered by 0xDA."""


@message(0x50, ENGINE_TO_ROBOT, confidence="E")
class EnableMotorPower(NamedTuple):
    """Power a motor controller on/off (head and lift only [F])."""

    motor_id: Annotated[U8, MotorID]
    enable: Bool


@message(0x51, ENGINE_TO_ROBOT, confidence="E", never_send=True)
class SetMotionModelParams(NamedTuple):
    """Odometry slip factor."""

    slip_factor: F32 = 1.0


@message(0x58, ENGINE_TO_ROBOT, confidence="E")
class StartMotorCalibration(NamedTuple):
    """Calibrate head and/or lift."""

    calibrate_head: Bool
    calibrate_lift: Bool


@message(0xC4, ROBOT_TO_ENGINE, confidence="H", pycozmo="AcknowledgeAction")
class MotorActionAck(NamedTuple):
    """Action accepted (on receipt, not on completion)."""

    action_id: U8


@message(0xD1, ROBOT_TO_ENGINE, confidence="H")
class MotorCalibration(NamedTuple):
    """Calibration started/finished."""

    motor_id: Annotated[U8, MotorID]
    calib_started: Bool
    auto_started: Annotated[Bool, About("robot decided by itself")]


@message(0xD8, ROBOT_TO_ENGINE, confidence="E")
class MotorAutoEnabled(NamedTuple):
    """Burnout protection disabled/enabled a motor."""

    motor_id: Annotated[U8, MotorID]
    enabled: Bool


@message(0xDA, ROBOT_TO_ENGINE, confidence="E")
class LiftLoad(NamedTuple):
    """Answer to 0x4F."""

    has_load: Bool
