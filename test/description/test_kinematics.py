"""Forward kinematics computed from the URDF agree with the check values of `spec 13 §3`."""

from __future__ import annotations

import math

import numpy as np
import pytest

from .model import load, transform

ROBOT = load("cozmo")
TENTH_OF_A_MILLIMETRE = 1e-4
LIFT_ANGLES = [-0.1983, 0.0, 0.4883, 0.83]


@pytest.mark.parametrize(
    ("lift", "x", "z"), [(-0.1983, 0.0237, 0.0320), (0.0, 0.0250, 0.0450), (0.7925, 0.0053, 0.0920)]
)
def test_the_wrist_is_where_the_spec_says(lift: float, x: float, z: float) -> None:
    wrist = transform(ROBOT, "lift_carriage_link", {"lift_joint": lift})[:3, 3]
    assert wrist == pytest.approx((x, 0.0, z), abs=TENTH_OF_A_MILLIMETRE)


@pytest.mark.parametrize(
    ("head", "x", "z", "degrees_up"),
    [
        (0.0, 0.0045, 0.0410, -4.0),
        (0.7767, 0.0051, 0.0556, 40.5),
        (-0.4363, -0.0005, 0.0344, -29.0),
    ],
)
def test_the_camera_is_and_looks_where_the_spec_says(
    head: float, x: float, z: float, degrees_up: float
) -> None:
    camera = transform(ROBOT, "camera_optical_frame", {"head_joint": head})
    assert camera[:3, 3] == pytest.approx((x, 0.0, z), abs=TENTH_OF_A_MILLIMETRE)
    optical_axis = camera[:3, 2]
    assert optical_axis[0] > 0
    assert math.degrees(math.asin(optical_axis[2])) == pytest.approx(degrees_up, abs=0.05)


def test_the_optical_frame_has_x_right_and_y_down() -> None:
    optical = transform(ROBOT, "camera_optical_frame", {})
    assert optical[:3, 0] == pytest.approx((0, -1, 0), abs=1e-9)
    assert optical[2, 1] < -0.99


@pytest.mark.parametrize("lift", LIFT_ANGLES)
def test_arms_and_carriage_form_a_parallelogram_that_follows_the_lift_law(lift: float) -> None:
    positions = {"lift_joint": lift}
    carriage = transform(ROBOT, "lift_carriage_link", positions)
    wrist = carriage[:3, 3]
    assert 1000 * wrist[2] == pytest.approx(45 + 66 * math.sin(lift), abs=1e-6)
    assert carriage[:3, :3] == pytest.approx(np.eye(3), abs=1e-9)
    tip = np.array([0.066, 0.0, 0.0, 1.0])
    upper = transform(ROBOT, "lift_upper_arm_link", positions)
    pivot = transform(ROBOT, "lift_arm_link", positions)[:3, 3]
    assert (upper @ tip)[:3] - wrist == pytest.approx(upper[:3, 3] - pivot, abs=1e-9)


def test_the_upper_arms_turn_on_the_pins_drawn_on_body_and_carriage() -> None:
    upper = transform(ROBOT, "lift_upper_arm_link", {})[:3, 3]
    lower = transform(ROBOT, "lift_arm_link", {})[:3, 3]
    assert upper - lower == pytest.approx((0, 0, 0.009))


def test_positive_wheel_turns_roll_the_robot_forward() -> None:
    quarter = {"left_front_wheel_joint": math.pi / 2}
    wheel = transform(ROBOT, "left_front_wheel", quarter)
    top = wheel[:3, :3] @ np.array([0.0, 0.0, 1.0])
    assert top == pytest.approx((1, 0, 0), abs=1e-9)


def test_a_positive_head_angle_lifts_the_face() -> None:
    raised = transform(ROBOT, "head_link", {"head_joint": 0.3})
    assert (raised[:3, :3] @ np.array([1.0, 0.0, 0.0]))[2] == pytest.approx(math.sin(0.3))
