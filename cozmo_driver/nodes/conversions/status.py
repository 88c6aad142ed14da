"""What the robot is doing."""

from __future__ import annotations

from dataclasses import dataclass

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Transform

from cozmo_interfaces.msg import RobotStatus

from ...protocol.enums import RobotStatusFlag as Flag
from ...robot import Pose2D, RobotState
from ...robot.geometry import lift_height
from .headers import header
from .motion import quaternion

_CLIFF_SENSORS = 4


@dataclass(frozen=True, slots=True)
class DriverFacts:
    """What the driver knows beside the robot's state."""

    is_head_calibrated: bool = False
    is_lift_calibrated: bool = False
    is_emergency_stopped: bool = False
    is_stop_on_cliff_enabled: bool = True
    is_camera_enabled: bool = False
    is_head_light_on: bool = False
    wheels_owner: int = RobotStatus.OWNER_NONE


def off_treads_state(state: RobotState) -> int:
    """Return the posture as far as the robot's own flags tell it."""
    if state.has(Flag.IS_FALLING):
        return RobotStatus.FALLING
    if state.has(Flag.IS_PICKED_UP):
        return RobotStatus.IN_AIR
    return RobotStatus.ON_TREADS


def status_message(
    state: RobotState, facts: DriverFacts, origin: Pose2D, stamp: Time, frame: str
) -> RobotStatus:
    """Return the status; ``origin`` is the robot's coordinate system in the odometry frame."""
    has = state.has
    cliff = [int(value) for value in state.cliff_raw[:_CLIFF_SENSORS]]
    transform = Transform()
    transform.translation.x, transform.translation.y = float(origin.x), float(origin.y)
    transform.rotation = quaternion(origin.yaw)
    return RobotStatus(
        header=header(stamp, frame),
        robot_time=float(state.robot_time),
        off_treads_state=off_treads_state(state),
        pitch=float(state.pitch),
        is_moving=has(Flag.IS_MOVING),
        are_wheels_moving=has(Flag.ARE_WHEELS_MOVING),
        is_picked_up=has(Flag.IS_PICKED_UP),
        is_falling=has(Flag.IS_FALLING),
        is_on_charger=has(Flag.IS_ON_CHARGER),
        is_charging=has(Flag.IS_CHARGING),
        is_charger_out_of_spec=has(Flag.IS_CHARGER_OOS),
        is_cliff_detected=has(Flag.CLIFF_DETECTED),
        is_carrying_cube=has(Flag.IS_CARRYING_BLOCK),
        is_docking=has(Flag.IS_PICKING_OR_PLACING),
        is_following_path=has(Flag.IS_PATHING),
        is_animating=has(Flag.IS_ANIMATING),
        is_head_in_position=has(Flag.HEAD_IN_POS),
        is_lift_in_position=has(Flag.LIFT_IN_POS),
        is_head_calibrated=facts.is_head_calibrated,
        is_lift_calibrated=facts.is_lift_calibrated,
        is_emergency_stopped=facts.is_emergency_stopped,
        is_stop_on_cliff_enabled=facts.is_stop_on_cliff_enabled,
        is_camera_enabled=facts.is_camera_enabled,
        is_head_light_on=facts.is_head_light_on,
        left_wheel_speed=float(state.left_wheel_speed),
        right_wheel_speed=float(state.right_wheel_speed),
        head_angle=float(state.head_angle),
        lift_angle=float(state.lift_angle),
        lift_height=float(lift_height(state.lift_angle)),
        battery_voltage=float(state.battery_voltage),
        cliff_raw=cliff + [0] * (_CLIFF_SENSORS - len(cliff)),
        flags_raw=int(state.flags),
        path_segment=int(state.path_segment),
        wheels_owner=int(facts.wheels_owner),
        origin_id=int(state.origin_id),
        pose_frame_id=int(state.frame_id),
        origin_transform=transform,
    )
