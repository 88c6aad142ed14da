"""Wheels, head, lift, paths, pose and docking."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from ..enums import (
    BlockStatus,
    CarryState,
    ControllerChannel,
    DockAction,
    DockingMethod,
    MotorID,
    PathEventType,
)
from ..registry import ENGINE_TO_ROBOT, ROBOT_TO_ENGINE, message
from ..structs import PathSegmentSpeed, RobotPose
from ..wire import F32, I8, I16, U8, U16, U32, About, Bool


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


@message(0x3C, ENGINE_TO_ROBOT, confidence="E")
class ClearPath(NamedTuple):
    """Drop the path being built or followed."""

    path_id: Annotated[U16, About("engine sends 0")] = 0


@message(0x3D, ENGINE_TO_ROBOT, confidence="E", pycozmo="AppendPathSegLine")
class AppendPathSegmentLine(NamedTuple):
    """Append a straight segment."""

    x_start_mm: Annotated[F32, About(unit="mm")]
    y_start_mm: Annotated[F32, About(unit="mm")]
    x_end_mm: Annotated[F32, About(unit="mm")]
    y_end_mm: Annotated[F32, About(unit="mm")]
    speed: PathSegmentSpeed


@message(0x3E, ENGINE_TO_ROBOT, confidence="E", pycozmo="AppendPathSegArc")
class AppendPathSegmentArc(NamedTuple):
    """Append an arc."""

    x_center_mm: Annotated[F32, About(unit="mm")]
    y_center_mm: Annotated[F32, About(unit="mm")]
    radius_mm: Annotated[F32, About(unit="mm")]
    start_rad: Annotated[F32, About("angle of the start point seen from the centre", unit="rad")]
    sweep_rad: Annotated[F32, About("signed", unit="rad")]
    speed: PathSegmentSpeed


@message(0x3F, ENGINE_TO_ROBOT, confidence="E", pycozmo="AppendPathSegPointTurn")
class AppendPathSegmentPointTurn(NamedTuple):
    """Append a turn in place."""

    x_mm: Annotated[F32, About(unit="mm")]
    y_mm: Annotated[F32, About(unit="mm")]
    target_angle_rad: Annotated[F32, About("absolute", unit="rad")]
    angle_tolerance_rad: Annotated[F32, About(unit="rad")]
    speed: Annotated[PathSegmentSpeed, About("here rad/s and rad/s^2 [?]")]
    use_shortest_direction: Bool = True


@message(0x40, ENGINE_TO_ROBOT, confidence="E")
class TrimPath(NamedTuple):
    """Remove segments from either end."""

    num_pop_front: U8
    num_pop_back: U8


@message(0x41, ENGINE_TO_ROBOT, confidence="E")
class ExecutePath(NamedTuple):
    """Start following the path; progress comes as 0xC6."""

    path_id: Annotated[U16, About("echoed in 0xC6; never 0 in the engine")]
    use_manual_speed: Bool = False


@message(0xB3, ROBOT_TO_ENGINE, confidence="E")
class GoalPose(NamedTuple):
    """Docking/path goal for display."""

    pose: RobotPose
    following_marker_normal: Bool


@message(0xC6, ROBOT_TO_ENGINE, confidence="E")
class PathFollowingEvent(NamedTuple):
    """Path progress."""

    path_id: U16
    event_type: Annotated[U8, PathEventType]


@message(0x45, ENGINE_TO_ROBOT, confidence="H", pycozmo="SetOrigin")
class AbsoluteLocalizationUpdate(NamedTuple):
    """Set the robot pose, its frame id and origin id.

    The robot echoes frame and origin in RobotState [H].
    """

    timestamp: Annotated[U32, About("history time the pose refers to; 0 = now", unit="ms")] = 0
    pose_frame_id: U32 = 0
    pose_origin_id: U32 = 1
    pose_x: Annotated[F32, About(unit="mm")] = 0.0
    pose_y: Annotated[F32, About(unit="mm")] = 0.0
    heading_angle: Annotated[F32, About(unit="rad")] = 0.0


@message(0x42, ENGINE_TO_ROBOT, confidence="E")
class DockWithObject(NamedTuple):
    """Start a docking action guided by 0x48."""

    unused: Annotated[U32, About("always 0")]
    speed_mmps: Annotated[F32, About(unit="mm/s")]
    accel_mmps2: Annotated[F32, About(unit="mm/s^2")]
    decel_mmps2: Annotated[F32, About(unit="mm/s^2")]
    dock_action: Annotated[U8, DockAction]
    use_manual_speed: Bool = False
    num_retries: U8 = 2
    docking_method: Annotated[U8, DockingMethod] = 0
    do_lift_load_check: Bool = False


@message(0x43, ENGINE_TO_ROBOT, confidence="E")
class AbortDocking(NamedTuple):
    """Stop docking."""


@message(0x44, ENGINE_TO_ROBOT, confidence="E")
class PlaceObjectOnGround(NamedTuple):
    """Put down the carried object."""

    rel_x_mm: Annotated[F32, About(unit="mm")] = 0.0
    rel_y_mm: Annotated[F32, About(unit="mm")] = 0.0
    rel_angle_rad: Annotated[F32, About(unit="rad")] = 0.0
    speed_mmps: Annotated[F32, About(unit="mm/s")] = 100.0
    accel_mmps2: Annotated[F32, About(unit="mm/s^2")] = 200.0
    decel_mmps2: Annotated[F32, About(unit="mm/s^2")] = 500.0
    use_manual_speed: Bool = False


@message(0x48, ENGINE_TO_ROBOT, confidence="E")
class DockingErrorSignal(NamedTuple):
    """Marker pose error during docking."""

    timestamp: Annotated[U32, About("image time", unit="ms")]
    x_dist_err: Annotated[F32, About(unit="mm")]
    y_hor_err: Annotated[F32, About(unit="mm")]
    z_height: Annotated[F32, About(unit="mm")]
    angle_err: Annotated[F32, About(unit="rad")]
    is_approximate: Annotated[Bool, About("engine leaves 0")] = False
    did_vision_verify: Annotated[Bool, About("engine leaves 0")] = False


@message(0x49, ENGINE_TO_ROBOT, confidence="E")
class CarryStateUpdate(NamedTuple):
    """Tell the robot what it carries."""

    state: Annotated[U8, CarryState]


@message(0x59, ENGINE_TO_ROBOT, confidence="E")
class RollActionParams(NamedTuple):
    """Parameters of the roll action."""

    lift_height_mm: Annotated[F32, About(unit="mm")]
    drive_speed_mmps: Annotated[F32, About(unit="mm/s")]
    drive_accel_mmps2: Annotated[F32, About(unit="mm/s^2")]
    drive_duration_ms: Annotated[U32, About(unit="ms")]
    backup_dist_mm: Annotated[F32, About(unit="mm")]


@message(0xB8, ROBOT_TO_ENGINE, confidence="E")
class PickAndPlaceResult(NamedTuple):
    """Outcome of a dock action."""

    timestamp: Annotated[U32, About(unit="ms")]
    did_succeed: Bool
    result: Annotated[I8, About("docking result code")]
    block_status: Annotated[U8, BlockStatus]


@message(0xBA, ROBOT_TO_ENGINE, confidence="E")
class RampTraverseStart(NamedTuple):
    """A ramp is being driven up or down."""

    timestamp: Annotated[U32, About(unit="ms")]


@message(0xBB, ROBOT_TO_ENGINE, confidence="E")
class RampTraverseComplete(NamedTuple):
    """The ramp is behind the robot, or was given up."""

    timestamp: Annotated[U32, About(unit="ms")]
    did_succeed: Bool


@message(0xBC, ROBOT_TO_ENGINE, confidence="E")
class BridgeTraverseStart(NamedTuple):
    """A bridge is being crossed."""

    timestamp: Annotated[U32, About(unit="ms")]


@message(0xBD, ROBOT_TO_ENGINE, confidence="E")
class BridgeTraverseComplete(NamedTuple):
    """The bridge is behind the robot, or was given up."""

    timestamp: Annotated[U32, About(unit="ms")]
    did_succeed: Bool


@message(0xC5, ROBOT_TO_ENGINE, confidence="E")
class MovingLiftPostDock(NamedTuple):
    """Lift moves after docking."""

    action: Annotated[U8, DockAction]


@message(0xD3, ROBOT_TO_ENGINE, confidence="E")
class DockingStatus(NamedTuple):
    """Docking progress."""

    timestamp: Annotated[U32, About(unit="ms")]
    status: U8
