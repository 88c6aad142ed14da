"""What the robot does and what happens to it, as messages."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from builtin_interfaces.msg import Time

from cozmo_driver.driver.robot_messages import event_message, status_message
from cozmo_driver.protocol.enums import MotorID
from cozmo_driver.protocol.enums import RobotStatusFlag as Flag
from cozmo_driver.robot import (
    OffTreads,
    Owner,
    Pose2D,
    RobotEvent,
    RobotEventType,
    Status,
)
from cozmo_driver.ros.geometry import quaternion
from cozmo_interfaces.msg import RobotEvent as RobotEventMessage
from cozmo_interfaces.msg import RobotStatus

from ..each import for_each
from ..robot.states import state

STAMP = Time(sec=12, nanosec=34)
STANDING = Status(
    state=state(flags=0),
    is_cliff_detected=False,
    is_animating=False,
    is_head_calibrated=False,
    is_lift_calibrated=False,
    is_emergency_stopped=False,
    is_held_after_pickup=False,
    is_stop_on_cliff_enabled=False,
    is_head_light_on=False,
    is_camera_enabled=False,
    disabled_motors=frozenset(),
    wheels_owner=Owner.NONE,
    face_owner=Owner.NONE,
    clip="",
    origin=Pose2D(),
)


def message_of(**changes: Any) -> RobotStatus:
    """Return the message of a standing robot with changes."""
    of_driver = {name: changes.pop(name) for name in tuple(changes) if hasattr(Status, name)}
    status = dataclasses.replace(STANDING, state=state(**{"flags": 0} | changes), **of_driver)
    return status_message(status, STAMP, "base")


FLAG_OF_FIELD = {
    "is_moving": Flag.IS_MOVING,
    "are_wheels_moving": Flag.ARE_WHEELS_MOVING,
    "is_picked_up": Flag.IS_PICKED_UP,
    "is_falling": Flag.IS_FALLING,
    "is_on_charger": Flag.IS_ON_CHARGER,
    "is_charging": Flag.IS_CHARGING,
    "is_charger_out_of_spec": Flag.IS_CHARGER_OOS,
    "is_carrying_cube": Flag.IS_CARRYING_BLOCK,
    "is_docking": Flag.IS_PICKING_OR_PLACING,
    "is_following_path": Flag.IS_PATHING,
    "is_head_in_position": Flag.HEAD_IN_POS,
    "is_lift_in_position": Flag.LIFT_IN_POS,
}
SWITCHES = [
    name
    for name, kind in RobotStatus.get_fields_and_field_types().items()
    if kind == "boolean" and name not in FLAG_OF_FIELD
]


def set_fields(message: RobotStatus) -> set[str]:
    return {name for name in (*FLAG_OF_FIELD, *SWITCHES) if getattr(message, name)}


@for_each("field", FLAG_OF_FIELD)
def test_each_status_bit_sets_its_own_field(field: str) -> None:
    message = message_of(flags=int(FLAG_OF_FIELD[field]))
    assert set_fields(message) == {field}
    assert message.flags_raw == FLAG_OF_FIELD[field]


@for_each("field", SWITCHES)
def test_what_the_driver_knows_sets_its_own_field(field: str) -> None:
    assert set_fields(message_of(**{field: True})) == {field}


def test_the_status_holds_what_was_measured_and_where_the_robot_counts_from() -> None:
    message = message_of(
        robot_time=7.5,
        pitch=-0.1,
        left_wheel_speed=0.01,
        right_wheel_speed=0.02,
        head_angle=0.3,
        lift_angle=0.0,
        battery_voltage=3.9,
        cliff_raw=(880, 1, 2, 3),
        path_segment=2,
        origin_id=4,
        frame_id=5,
        origin=Pose2D(1.0, 2.0, 0.5),
    )
    assert (message.header.stamp, message.header.frame_id) == (STAMP, "base")
    assert (message.robot_time, message.pitch) == (7.5, -0.1)
    assert (message.left_wheel_speed, message.right_wheel_speed) == (0.01, 0.02)
    assert (message.head_angle, message.lift_angle, message.lift_height) == (0.3, 0.0, 0.045)
    assert message.battery_voltage == 3.9
    assert list(message.cliff_raw) == [880, 1, 2, 3]
    assert (message.origin_id, message.pose_frame_id, message.path_segment) == (4, 5, 2)
    assert message.origin_transform.translation.y == 2.0
    assert message.origin_transform.rotation == quaternion(0.5)


def test_postures_and_owners_have_the_numbers_of_the_message() -> None:
    for posture in OffTreads:
        message = message_of(off_treads=posture)
        assert message.off_treads_state == getattr(RobotStatus, posture.name)
    for owner in Owner:
        message = message_of(wheels_owner=owner, face_owner=Owner.NONE)
        assert message.wheels_owner == getattr(RobotStatus, f"OWNER_{owner.name}")
        assert message.face_owner == RobotStatus.OWNER_NONE
    message = message_of(face_owner=Owner.ANIMATION, clip="anim_hello")
    assert (message.face_owner, message.animation) == (RobotStatus.OWNER_ANIMATION, "anim_hello")


def test_motors_that_are_switched_off_are_bits() -> None:
    assert message_of().disabled_motors == 0
    for motor in (MotorID.LEFT_WHEEL, MotorID.RIGHT_WHEEL, MotorID.LIFT, MotorID.HEAD):
        bit = getattr(RobotStatus, f"MOTOR_BIT_{motor.name}")
        assert message_of(disabled_motors=frozenset({motor})).disabled_motors == bit
    both = frozenset({MotorID.HEAD, MotorID.LEFT_WHEEL})
    assert message_of(disabled_motors=both).disabled_motors == 9


def test_an_event_keeps_its_neutral_values() -> None:
    message = event_message(RobotEvent(RobotEventType.POKED, "poked", 1.0), STAMP, "base")
    assert (message.header.stamp, message.header.frame_id) == (STAMP, "base")
    assert (message.type, message.description) == (RobotEventMessage.POKED, "poked")
    assert message.motor == RobotEventMessage.NO_MOTOR
    assert message.movement == RobotEventMessage.MOVEMENT_NONE
    assert message.side == RobotEventMessage.SIDE_NONE
    assert message.off_treads_state == RobotStatus.ON_TREADS
    for value in (message.duration, message.acceleration, message.impact_raw):
        assert math.isnan(value)
    assert (message.has_stopped, message.is_automatic, message.is_fatal) == (False,) * 3
    assert (message.code, message.name) == (0, "")


@for_each("kind", RobotEventType)
def test_every_kind_of_event_has_the_number_of_the_message(kind: RobotEventType) -> None:
    message = event_message(RobotEvent(kind, ""), STAMP, "base")
    assert message.type == getattr(RobotEventMessage, kind.name)
