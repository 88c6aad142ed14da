"""Shaking and slopes, from made-up states."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytest

from cozmo_driver.protocol.enums import RobotStatusFlag as Flag
from cozmo_driver.robot import OffTreads, RobotEvent, RobotEventType, RobotState, Vector3
from cozmo_driver.robot.handling import LowPass, ShakeDetector, SlopeDetector

from .states import state

PERIOD = 0.03


def test_the_filter_is_seeded_and_then_follows() -> None:
    low_pass = LowPass(0.1)
    assert low_pass.update(9.8) == 9.8
    assert low_pass.update(19.8) == pytest.approx(10.8)
    assert low_pass.update(math.nan) == pytest.approx(10.8)
    low_pass.reset()
    assert low_pass.update(1.0) == 1.0


# -- shaking


def shaken(*phases: tuple[float, float]) -> list[tuple[float, RobotEvent]]:
    """Return what is noticed during phases of (acceleration in m/s^2, seconds), and when."""
    detector, noticed, count = ShakeDetector(), [], 0
    for acceleration, seconds in phases:
        for _ in range(round(seconds / PERIOD)):
            now = count * PERIOD
            swing = Vector3(acceleration if count % 2 else -acceleration, 0.0, 0.0)
            shake = detector.update(state(robot_time=now, acceleration=swing))
            if shake:
                noticed.append((now, shake))
            count += 1
    return noticed


@pytest.mark.parametrize(
    ("seconds", "strength"), [(1.5, "softly"), (3.0, "thoroughly"), (6.0, "hard")]
)
def test_a_shake_is_told_when_it_begins_and_with_its_strength_when_it_ends(
    seconds: float, strength: str
) -> None:
    (begin, started), (end, stopped) = shaken((9.8, 1.0), (20.0, seconds), (9.8, 3.0))
    # The filtered magnitude passes 16 after 19 states and falls below 13 after 23.
    assert begin == pytest.approx(1.0 + 18 * PERIOD, abs=2 * PERIOD)
    assert started.type is RobotEventType.SHAKEN_STARTED
    assert started.acceleration > 16.0
    assert stopped.type is RobotEventType.SHAKEN_STOPPED
    assert stopped.duration == pytest.approx(end - begin)
    assert stopped.acceleration <= 20.0
    assert stopped.description.startswith(f"the robot was shaken {strength} for")


@pytest.mark.parametrize("phases", [((9.8, 5.0),), ((15.5, 5.0),), ((9.8, 1.0), (40.0, 0.12))])
def test_less_is_no_shake(phases: tuple[tuple[float, float], ...]) -> None:
    assert shaken(*phases) == []


@pytest.mark.parametrize(("flags", "is_told"), [(0, False), (Flag.IS_PICKED_UP, True)])
def test_a_robot_that_drives_shakes_by_itself_unless_it_is_lifted(
    flags: int, is_told: bool
) -> None:
    detector = ShakeDetector()
    driving = state(acceleration=Vector3(0.0, 0.0, 25.0), flags=int(Flag.ARE_WHEELS_MOVING | flags))
    assert any(detector.update(driving) for _ in range(100)) is is_told


def test_a_shake_goes_on_while_it_only_gets_weaker() -> None:
    noticed = shaken((20.0, 2.0), (14.0, 2.0), (9.8, 2.0))
    assert len(noticed) == 2
    assert noticed[-1][1].duration > 3.9


# -- slopes

LIFTED = {"flags": int(Flag.IS_PICKED_UP), "off_treads": OffTreads.IN_AIR}
SHAKY = Vector3(0.0, 0.3, 0.0)


def slope(degrees: float, seconds: float, **more: Any) -> tuple[RobotState, float]:
    return state(pitch=-math.radians(degrees), **more), seconds


def watched(*phases: tuple[RobotState, float]) -> list[tuple[float, RobotEvent]]:
    """Return the slopes noticed during phases of (state, seconds), and when."""
    detector, noticed, count = SlopeDetector(), [], 0
    for shown, seconds in phases:
        for _ in range(round(seconds / PERIOD)):
            now = count * PERIOD
            found = detector.update(dataclasses.replace(shown, robot_time=now))
            if found:
                noticed.append((now, found))
            count += 1
    return noticed


PUT = slope(0.0, 0.9, angular_velocity=SHAKY, **LIFTED)


def test_a_robot_put_on_a_slope_is_noticed_once_when_it_has_come_to_rest() -> None:
    [(when, found)] = watched(PUT, slope(20.0, 5.0))
    assert when == pytest.approx(0.9 + 0.4, abs=2 * PERIOD)
    assert found.type is RobotEventType.PLACED_ON_SLOPE
    assert found.description == "the robot was put on a slope of 20 deg"


@pytest.mark.parametrize(
    "rest",
    [
        slope(9.0, 5.0),
        slope(56.0, 5.0),
        slope(-20.0, 5.0),
        slope(20.0, 0.39),
        slope(20.0, 5.0, angular_velocity=Vector3(0.0, 0.011, 0.0)),
        slope(20.0, 5.0, off_treads=OffTreads.ON_BACK),
    ],
)
def test_other_ways_to_stand_are_no_slope(rest: tuple[RobotState, float]) -> None:
    assert watched(PUT, rest) == []


def test_a_robot_that_drove_up_a_slope_was_not_put_there() -> None:
    assert watched(slope(0.0, 1.0), slope(20.0, 5.0)) == []
    moving = slope(20.0, 1.5, angular_velocity=SHAKY)
    assert watched(PUT, moving, slope(20.0, 5.0)) == []


def test_a_second_time_within_ten_seconds_is_marked() -> None:
    again = watched(PUT, slope(20.0, 2.0), PUT, slope(25.0, 2.0))
    assert ["again" in found.description for _, found in again] == [False, True]
    later = watched(PUT, slope(20.0, 10.0), PUT, slope(25.0, 2.0))
    assert ["again" in found.description for _, found in later] == [False, False]


def test_also_in_the_hand() -> None:
    assert len(watched(slope(20.0, 2.0, **LIFTED))) == 1
