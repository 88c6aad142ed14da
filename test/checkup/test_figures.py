"""What is computed of records and images, on made ones of which it is known."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from cozmo_driver.checkup import EXPECTATIONS, Quantity, Series, deviations_of
from cozmo_driver.checkup.analysis import STATE_PERIOD, spectrum, tilt_of, track_of
from cozmo_driver.checkup.images import noise, shift, timing_of
from cozmo_driver.checkup.plot import svg
from cozmo_driver.checkup.report_page import shown
from cozmo_driver.robot import Pose2D

from ..robot.states import state

RANDOM = np.random.default_rng(7)


def scene(offset: float) -> np.ndarray:
    """Return an image of upright bars, shifted to the right by some pixels."""
    columns = np.arange(320) - offset
    bars = 120 + sum(30 * np.sin(columns / period) for period in (7.0, 11.3, 23.7))
    return np.broadcast_to(bars.round().astype(np.uint8), (240, 320))


@pytest.mark.parametrize("by", [-31.0, -3.5, 0.0, 0.4, 17.25])
def test_a_shift_is_found_to_a_fraction_of_a_pixel(by):
    assert shift(scene(0.0), scene(by)) == pytest.approx(by, abs=0.25)


def test_images_that_show_nothing_or_another_scene_have_no_shift():
    bare = np.full((240, 320), 90, np.uint8)
    noisy = RANDOM.integers(0, 255, (240, 320), np.uint8)
    assert shift(bare, bare) is None
    assert shift(scene(0.0), noisy) is None


@pytest.mark.parametrize("offset", [-0.06, 0.0, 0.045])
def test_the_time_that_images_show_is_found_by_how_they_move(offset):
    times = np.arange(0.0, 4.0, 0.03)

    def yaw(time):
        return 0.4 * np.sin(2.0 * time)

    stamps = np.arange(0.3, 3.6, 1 / 15)
    seen = [
        (a, b, 290.0 * 1.05 * float(yaw(b + offset) - yaw(a + offset))) for a, b in pairwise(stamps)
    ]
    found = timing_of(seen, list(times), list(yaw(times)), 290.0)
    assert found.offset == pytest.approx(offset, abs=0.006)
    assert found.scale == pytest.approx(1.05, abs=0.01)


def spin(rates, track):
    """Return states of a robot that turns at these rates, rad/s, on treads a track apart, m."""
    yaw, states = 0.0, []
    for number, rate in enumerate(rates):
        yaw += rate * STATE_PERIOD
        speed = rate * track / 2
        states.append(
            state(
                robot_time=number * STATE_PERIOD,
                pose=Pose2D(yaw=math.remainder(yaw, math.tau)),
                left_wheel_speed=-speed,
                right_wheel_speed=speed,
            )
        )
    return states


def test_the_track_is_that_of_the_steady_part_of_a_spin():
    states = spin([0.0, 0.8, *[2.0] * 40, 0.5, 0.0], 0.09)
    # Treads that have stopped go on reporting their last speed.
    states[-1] = replace(states[-1], left_wheel_speed=-0.09, right_wheel_speed=0.09)
    assert track_of(states) == pytest.approx(0.09, rel=1e-2)


@pytest.mark.parametrize("seed", range(3))
def test_the_track_of_a_slow_spin_is_told_through_the_noise_of_its_heading(seed):
    noise = np.random.default_rng(seed).normal(0.0, 0.0026, 90)
    states = [
        replace(one, pose=Pose2D(yaw=one.pose.yaw + float(error)))
        for one, error in zip(spin([0.0, *[0.6] * 87, 0.3, 0.0], 0.072), noise, strict=True)
    ]
    assert track_of(states) == pytest.approx(0.072, rel=0.02)


def test_a_robot_that_did_not_turn_has_no_track():
    with pytest.raises(ValueError, match="did not turn"):
        track_of(spin([0.01] * 5, 0.09))


def test_a_slope_is_told_from_the_zero_of_the_sensor():
    yaws = [0.1, 1.7, 3.2, 4.8]
    pitches = [0.05 - 0.02 * math.cos(2.0 - yaw) for yaw in yaws]
    assert tilt_of(yaws, pitches) == pytest.approx((0.02, 2.0, 0.05))


def test_the_noise_of_two_images_is_that_of_one():
    one, other = (
        np.clip(120 + RANDOM.normal(0, 5, (240, 320)), 0, 255).astype(np.uint8) for _ in range(2)
    )
    assert noise(one, other) == pytest.approx(5.0, rel=0.15)
    assert math.isnan(noise(np.zeros_like(one), np.zeros_like(one)))


def test_a_wave_stands_in_the_spectrum_with_its_height():
    times = np.arange(200) * STATE_PERIOD
    lines = spectrum(3.0 * np.sin(2 * np.pi * 6.5 * times) + 9.0)
    hertz, height = max(lines, key=lambda line: line[1])
    assert hertz == pytest.approx(6.5, abs=0.1)
    assert height == pytest.approx(3.0, rel=0.2)


def test_a_value_beside_the_measured_robots_is_told_with_its_source():
    values = {"cliff": Quantity(500.0), "norm": Quantity(9.81, "m/s^2"), "other": Quantity(1e9)}
    [one] = deviations_of("sensors", values)
    assert (one.name, one.value) == ("cliff", 500.0)
    assert one.expected is EXPECTATIONS["sensors.cliff"]


def test_every_expectation_names_its_source():
    for name, one in EXPECTATIONS.items():
        assert one.source.startswith("spec "), name
        assert one.low <= one.high
        assert one.tolerance > 0.0


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.0123, "s", "12.3 ms"),
        (0.25, "m", "250 mm"),
        (math.pi / 2, "rad", "90°"),
        (math.nan, "V", "–"),
        (2457, "", "2457"),
        ("discharging", "", "discharging"),
    ],
)
def test_values_are_written_as_people_read_them(value, unit, text):
    assert shown(Quantity(value, unit)) == text


def test_a_plot_of_one_point_or_of_none_is_no_error():
    assert "polyline" in svg(Series("t", "x", "y", {"a": [(1.0, 1.0)]}))
    assert svg(Series("t", "x", "y", {"a": []})) == ""
