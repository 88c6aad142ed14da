"""Robot states for tests: a robot standing still, with what a test wants changed."""

from __future__ import annotations

import dataclasses
from typing import Any

from cozmo_driver.protocol.enums import RobotStatusFlag
from cozmo_driver.robot import Pose2D, RobotState, Vector3

STILL = RobotState(
    time=0.0,
    received_at=0.0,
    robot_time=0.0,
    pose=Pose2D(),
    pitch=0.0,
    origin_id=1,
    frame_id=0,
    left_wheel_speed=0.0,
    right_wheel_speed=0.0,
    head_angle=0.0,
    lift_angle=0.0,
    acceleration=Vector3(0.0, 0.0, 9.8),
    angular_velocity=Vector3(0.0, 0.0, 0.0),
    battery_voltage=4.0,
    flags=int(RobotStatusFlag.IS_BODY_ACC_MODE),
    cliff_raw=(880, 0, 0, 0),
    path_segment=-1,
)


def state(**changes: Any) -> RobotState:
    """Return the standing robot with changes."""
    return dataclasses.replace(STILL, **changes)
