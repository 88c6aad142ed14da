from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cozmo_driver.robot import DriveLimits
from cozmo_driver.robot.motion.driving import tread_speeds

LIMITS = DriveLimits()


def test_straight_drives_both_treads_alike():
    assert tread_speeds(0.05, 0.0, LIMITS) == (0.05, 0.05)


def test_a_turn_uses_the_effective_track_width():
    left, right = tread_speeds(0.0, 1.0, LIMITS)
    assert (left, right) == pytest.approx((-0.0345, 0.0345))


@given(st.floats(-3, 3), st.floats(-30, 30))
def test_no_tread_exceeds_its_limit_and_the_curve_keeps_its_radius(linear, angular):
    left, right = tread_speeds(linear, angular, LIMITS)
    assert max(abs(left), abs(right)) <= LIMITS.wheel_speed + 1e-12
    got_linear = (left + right) / 2
    got_angular = (right - left) / LIMITS.track_width
    assert abs(got_angular) <= LIMITS.yaw_rate + 1e-9
    assert got_linear * angular == pytest.approx(got_angular * linear, abs=1e-9)
    assert math.copysign(1, got_linear * linear) == 1 or abs(got_linear * linear) < 1e-12
