"""Poses, paths and cubes between ROS messages and plain data."""

from __future__ import annotations

import math

import pytest
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, Pose, Quaternion, Transform, Vector3

from cozmo_driver.protocol.enums import UpAxis
from cozmo_driver.robot import (
    DEFAULT_TURN_TOLERANCE,
    PATH_SPEED,
    Arc,
    Cube,
    CubeKind,
    CubeLink,
    Line,
    Pose2D,
    Turn,
)
from cozmo_driver.ros.cube_messages import cube_frame, cube_kind, cube_message
from cozmo_driver.ros.geometry import (
    or_default,
    plane_frame,
    plane_pose,
    pose_message,
    quaternion,
    segments,
)
from cozmo_interfaces.msg import Cube as CubeMessage
from cozmo_interfaces.msg import PathSegment

OPTICAL = Quaternion(x=-0.5, y=0.5, z=-0.5, w=0.5)
"""x right, y down, z forward."""


def close(pose: Pose2D, other: Pose2D) -> bool:
    return (pose.x, pose.y, pose.yaw) == pytest.approx((other.x, other.y, other.yaw), abs=1e-9)


def test_a_pose_in_a_turned_frame_is_seen_from_its_parent() -> None:
    frame = Transform(translation=Vector3(x=1.0, y=2.0), rotation=quaternion(math.pi / 2))
    pose = pose_message(Pose2D(0.5, 0.1, 0.2))
    assert close(plane_pose(pose, frame), Pose2D(0.9, 2.5, math.pi / 2 + 0.2))
    assert close(plane_frame(frame), Pose2D(1.0, 2.0, math.pi / 2))


def test_a_pose_before_the_camera_lies_ahead_on_the_floor() -> None:
    frame = Transform(translation=Vector3(x=0.1, z=0.05), rotation=OPTICAL)
    inverse = Quaternion(x=0.5, y=-0.5, z=0.5, w=0.5)
    seen = Pose(position=Point(x=-0.02, y=0.05, z=0.3), orientation=inverse)
    assert close(plane_pose(seen, frame), Pose2D(0.4, 0.02, 0.0))


def test_a_path_in_a_tilted_frame_is_refused() -> None:
    with pytest.raises(ValueError, match="tilted by 90 deg"):
        plane_frame(Transform(rotation=OPTICAL))


def test_an_orientation_need_not_be_of_unit_length() -> None:
    pose = Pose(orientation=Quaternion(z=3.0, w=3.0))
    assert plane_pose(pose).yaw == pytest.approx(math.pi / 2)


def test_zero_is_the_default_and_only_positive_numbers_are_taken() -> None:
    assert or_default("speed", 0.0, 0.1) == 0.1
    assert or_default("speed", 0.2, 0.1) == 0.2
    for bad in (-0.1, math.nan, math.inf):
        with pytest.raises(ValueError, match="speed must be positive"):
            or_default("speed", bad, 0.1)


def test_segments_take_the_speed_of_the_goal_unless_they_have_their_own() -> None:
    messages = [
        PathSegment(type=PathSegment.LINE, end=Point(x=0.1)),
        PathSegment(type=PathSegment.ARC, radius=0.1, sweep_angle=1.0, speed=-0.03),
        PathSegment(type=PathSegment.TURN, target_angle=1.0),
    ]
    line, arc, turn = segments(messages, 0.07, 1.5)
    assert isinstance(line, Line)
    assert isinstance(arc, Arc)
    assert isinstance(turn, Turn)
    assert (line.speed, arc.speed, turn.speed) == (0.07, -0.03, 1.5)
    assert turn.tolerance == DEFAULT_TURN_TOLERANCE
    assert segments(messages[:1])[0].speed == PATH_SPEED


def test_kinds_and_frames_of_cubes() -> None:
    assert cube_kind(CubeMessage.CHARGER) is CubeKind.CHARGER
    assert (cube_frame(CubeKind.CUBE_2), cube_frame(CubeKind.CHARGER)) == ("cube_2", "charger")
    assert all(getattr(CubeMessage, kind.name) == kind for kind in CubeKind)


def test_a_cube_that_was_never_heard_has_no_time() -> None:
    cube = Cube(
        kind=CubeKind.CUBE_1,
        factory_id=7,
        slot=None,
        link=CubeLink.LOST,
        is_available=False,
        is_moving=False,
        is_streaming=False,
        up_axis=UpAxis.UNKNOWN_AXIS,
        rssi=255,
        battery_voltage=math.nan,
        missed_packets=0,
        last_heard=math.nan,
    )
    message = cube_message(cube, lambda _: Time(sec=1))
    assert message.last_heard == Time()
    assert (message.slot, message.connection) == (CubeMessage.NO_SLOT, CubeMessage.LOST)
    assert (message.up_axis, message.rssi_raw) == (CubeMessage.UP_UNKNOWN, 255)
    assert math.isnan(message.battery_voltage)
