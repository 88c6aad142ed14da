from __future__ import annotations

import math

import pytest

from cozmo_driver.robot import JOINTS, JointTracker
from cozmo_driver.robot.motion.motors import Joints

from .states import state


def value(joints: Joints, name: str) -> float:
    return joints.positions[JOINTS.index(name)]


def speed(joints: Joints, name: str) -> float:
    return joints.velocities[JOINTS.index(name)]


def test_the_lift_moves_its_mimic_joints() -> None:
    joints = JointTracker().update(state(lift_angle=0.4, head_angle=-0.1))
    assert value(joints, "head_joint") == -0.1
    assert value(joints, "lift_joint") == value(joints, "lift_upper_arm_joint") == 0.4
    assert value(joints, "lift_wrist_joint") == -0.4


def test_wheels_turn_with_their_tread_and_their_radius() -> None:
    tracker = JointTracker()
    for step in range(11):
        joints = tracker.update(
            state(robot_time=0.03 * step, left_wheel_speed=0.029, right_wheel_speed=-0.0145)
        )
    assert speed(joints, "left_front_wheel_joint") == pytest.approx(2.0)
    assert speed(joints, "right_front_wheel_joint") == pytest.approx(-1.0)
    assert speed(joints, "left_rear_wheel_joint") == pytest.approx(0.029 / 0.0104)
    assert value(joints, "left_front_wheel_joint") == pytest.approx(0.6)
    assert value(joints, "right_front_wheel_joint") == pytest.approx(-0.3)
    assert value(joints, "right_rear_wheel_joint") == pytest.approx(-0.3 * 0.0145 / 0.0104)


def test_positions_of_wheels_stay_within_a_turn() -> None:
    tracker = JointTracker()
    for step in range(2000):
        joints = tracker.update(state(robot_time=0.03 * step, left_wheel_speed=0.2))
        assert abs(value(joints, "left_rear_wheel_joint")) <= math.pi


def test_velocities_of_head_and_lift_are_what_they_moved() -> None:
    tracker = JointTracker()
    first = tracker.update(state(robot_time=1.0, head_angle=0.1))
    second = tracker.update(state(robot_time=1.03, head_angle=0.13, lift_angle=-0.06))
    assert speed(first, "head_joint") == 0.0
    assert speed(second, "head_joint") == pytest.approx(1.0)
    assert speed(second, "lift_joint") == pytest.approx(-2.0)
    assert speed(second, "lift_wrist_joint") == pytest.approx(2.0)


@pytest.mark.parametrize("then", [0.0, 1.0, 5.0])
def test_a_gap_or_a_restarted_clock_moves_nothing(then: float) -> None:
    tracker = JointTracker()
    tracker.update(state(robot_time=1.0, left_wheel_speed=0.1))
    joints = tracker.update(state(robot_time=then, left_wheel_speed=0.1, head_angle=0.5))
    assert value(joints, "left_front_wheel_joint") == 0.0
    assert speed(joints, "head_joint") == 0.0
