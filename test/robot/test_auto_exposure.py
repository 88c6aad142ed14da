from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cozmo_driver.robot import CameraLimits, Exposure
from cozmo_driver.robot.camera.exposure import BRIGHTEST, DARKEST, LEAST_INTERVAL, AutoExposure

LIMITS = CameraLimits()
PERIOD = 1 / 3


def mean_of(exposure: Exposure, light: float) -> float:
    """A linear sensor; the mean gray is 115 at gain 2, 16 ms and light 1."""
    return min(255.0, 115.0 * light * exposure.gain * exposure.exposure_ms / 32.0)


def follow(
    auto: AutoExposure, light: float, count: int = 60, now: float = 0.0
) -> list[tuple[float, Exposure]]:
    """Return the changes while looking at ``count`` pictures of one light, and when."""
    changes, exposure = [], auto.exposure
    for index in range(count):
        change = auto.update(mean_of(exposure, light), now + index * PERIOD)
        if change is not None:
            exposure = change
            changes.append((now + index * PERIOD, change))
    return changes


@given(st.floats(0.16, 60.0))
def test_every_light_the_sensor_can_cope_with_gets_a_good_picture_that_stays(light: float) -> None:
    auto = AutoExposure(Exposure(), LIMITS)
    changes = follow(auto, light)
    assert DARKEST <= mean_of(auto.exposure, light) <= BRIGHTEST
    # It settles and does not swing.
    assert all(when < 50 * PERIOD for when, _ in changes)
    assert follow(auto, light, now=100.0) == []


def test_in_the_dark_the_exposure_grows_in_steps_and_then_the_gain() -> None:
    changes = [change for _, change in follow(AutoExposure(Exposure(), LIMITS), 0.01)]
    assert changes[0].exposure_ms == 19
    assert changes[0].gain * changes[0].exposure_ms == pytest.approx(2.0 * 16 * 1.15)
    totals = [change.gain * change.exposure_ms for change in changes]
    assert all(b / a <= 1.15 + 1e-9 for a, b in pairwise(totals))
    longest = next(index for index, c in enumerate(changes) if c.exposure_ms == 66)
    assert all(change.gain <= 2.0 for change in changes[:longest])
    assert changes[-1] == Exposure(3.984, 66)


def test_gain_that_was_added_in_the_dark_goes_first_when_it_gets_bright() -> None:
    auto = AutoExposure(Exposure(), LIMITS)
    follow(auto, 0.01)
    changes = [change for _, change in follow(auto, 1.0, now=100.0)]
    longest = [change for change in changes if change.exposure_ms == 66]
    assert longest[-1].gain == pytest.approx(2.0)
    assert changes[-1].exposure_ms < 30


def test_changes_keep_their_distance() -> None:
    auto = AutoExposure(Exposure(), LIMITS)
    assert auto.update(10.0, 0.0) is not None
    assert auto.update(10.0, LEAST_INTERVAL - 0.01) is None
    assert auto.update(10.0, LEAST_INTERVAL) is not None


@given(
    st.lists(st.floats(0, 255), max_size=200),
    st.builds(Exposure, st.floats(0.1, 4.0), st.integers(1, 66)),
)
def test_whatever_it_sees_it_stays_within_the_limits(means: list[float], start: Exposure) -> None:
    limits = CameraLimits(0.1, 3.5, 2, 50)
    auto = AutoExposure(start, limits)
    for index, mean in enumerate(means):
        auto.update(mean, index * PERIOD)
        assert limits.clamped(auto.exposure) == auto.exposure
