"""What the detector says of states: treads, heading and commands alone."""

from __future__ import annotations

import csv
import math
from itertools import pairwise, product
from typing import Any

import pytest

from benchmarks.fidelity.driving import RECORDING
from cozmo_driver.protocol.enums import RobotStatusFlag
from cozmo_driver.robot import (
    Movement,
    Pose2D,
    Side,
    UnexpectedMovement,
    UnexpectedMovementDetector,
    Vector3,
)

from .states import state

Speeds = tuple[float, float]


def watch(
    left: float,
    right: float,
    yaw_rate: float,
    count: int = 40,
    commanded: Speeds = (0.0, 0.0),
    **changes: Any,
) -> list[UnexpectedMovement]:
    """Return what is noticed in ``count`` equal states; speeds in mm/s."""
    detector, noticed = UnexpectedMovementDetector(0.046), []
    for step in range(count):
        moved = (left + right) / 2000.0 * 0.03 * step
        now = state(
            time=100.0 + 0.03 * step,
            robot_time=0.03 * step,
            pose=Pose2D(moved, 0.0, yaw_rate * 0.03 * step),
            left_wheel_speed=left / 1000.0,
            right_wheel_speed=right / 1000.0,
            # As large as it shakes at three times the recorded figure, and always one way.
            angular_velocity=Vector3(0.0, 0.0, yaw_rate - 0.3),
            **changes,
        )
        noticed.append(detector.update(now, (commanded[0] / 1000.0, commanded[1] / 1000.0)))
    return [each for each in noticed if each]


def test_a_robot_held_while_it_spins_is_noticed_once() -> None:
    # Measured: treads at 110 and -114 mm/s, no turn (spec 10 §7).
    [first] = watch(110.0, -114.0, 0.0, count=300)
    assert (first.movement, first.side) == (Movement.TURNED_BUT_STOPPED, Side.RIGHT)
    assert first.started_at == 100.0
    assert first.time < 100.6
    assert watch(-110.0, 114.0, 0.0)[0].side is Side.LEFT


def test_so_is_one_that_turns_against_its_treads() -> None:
    [first] = watch(-50.0, 50.0, -1.0, count=20)
    assert first.movement is Movement.TURNED_OPPOSITE


@pytest.mark.parametrize("speed", [60.0, -60.0])
def test_a_robot_that_turns_without_its_treads_was_met_by_something(speed: float) -> None:
    [first] = watch(speed, speed, 1.0)
    assert first.movement is Movement.BLOCKED
    assert first.side is (Side.FRONT if speed > 0.0 else Side.BACK)


@pytest.mark.parametrize("track", [46.0, 69.0, 92.0, 140.0])
def test_turning_freely_on_any_floor_is_nothing_special(track: float) -> None:
    for speed, share, error in product(
        (20.0, 50.0, 100.0, 200.0, -100.0), (-1.0, -0.5, 0.0, 0.5, 0.96, 1.0), (-0.02, 0.02)
    ):
        left, right = speed * share, speed
        assert not watch(left, right * (1 + error), (right - left) / track, count=200)


@pytest.mark.parametrize(
    "flag",
    [
        RobotStatusFlag.IS_PICKED_UP,
        RobotStatusFlag.IS_ON_CHARGER,
        RobotStatusFlag.IS_PICKING_OR_PLACING,
    ],
)
def test_nothing_is_noticed_where_treads_may_turn_freely(flag: RobotStatusFlag) -> None:
    assert not watch(110.0, -114.0, 0.0, flags=int(flag))


def test_a_tread_that_stands_against_its_command_is_held() -> None:
    [first] = watch(0.0, 0.0, 0.0, count=100, commanded=(60.0, 60.0))
    assert (first.movement, first.side) == (Movement.TREADS_HELD, Side.FRONT)
    assert first.time == pytest.approx(100.42)
    assert not watch(20.0, 20.0, 0.0, commanded=(60.0, 60.0))


def test_states_that_are_missing_hold_no_tread() -> None:
    detector = UnexpectedMovementDetector(0.046)
    for time in (0.0, 1.0, 2.0):
        assert detector.update(state(time=time, robot_time=time), (0.06, 0.06)) is None


@pytest.mark.skipif(not RECORDING.exists(), reason="there is no recording")
@pytest.mark.parametrize("scale", [1.0, 2.0, 3.0])
def test_nothing_is_noticed_on_a_real_robot_that_drives_and_shakes(scale: float) -> None:
    """Its states again and again, with what its heading and treads err by times ``scale``."""
    with RECORDING.open() as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    assert len(rows) > 100
    detector, yaw, time = UnexpectedMovementDetector(0.046), 0.0, 0.0
    for before, row in pairwise(rows * 20):
        left, right = (1e-3 * float(row[k]) for k in ("left_mm_s", "right_mm_s"))
        middle, half = (left + right) / 2, scale * (right - left) / 2
        yaw += scale * (float(row["yaw_rad"]) - float(before["yaw_rad"]))
        time += 0.03
        now = state(
            time=time,
            robot_time=time,
            pose=Pose2D(0.0, 0.0, yaw),
            left_wheel_speed=middle - half,
            right_wheel_speed=middle + half,
        )
        is_commanded = abs(middle) > 0.010
        command = math.copysign(0.03, middle) if is_commanded else 0.0
        assert detector.update(now, (command, command)) is None
