from __future__ import annotations

from typing import Any

import pytest

from cozmo_driver.protocol.enums import RobotStatusFlag
from cozmo_driver.robot import Movement, Side, UnexpectedMovement, Vector3
from cozmo_driver.robot.pushing import UnexpectedMovementDetector

from .states import state


def watch(
    left: float, right: float, yaw_rate: float, count: int = 40, **changes: Any
) -> list[UnexpectedMovement]:
    """Return what is noticed in ``count`` equal states; speeds in mm/s."""
    detector = UnexpectedMovementDetector(0.046)
    noticed = [
        detector.update(
            state(
                time=100.0 + 0.03 * step,
                left_wheel_speed=left / 1000.0,
                right_wheel_speed=right / 1000.0,
                angular_velocity=Vector3(0.0, 0.0, yaw_rate),
                **changes,
            )
        )
        for step in range(count)
    ]
    return [each for each in noticed if each]


def test_a_robot_held_while_it_spins_is_noticed_as_on_the_real_one() -> None:
    # Measured: treads at 110 and -114 mm/s, no turn (spec 10 §7).
    first, *_ = watch(110.0, -114.0, 0.0, count=11)
    assert first.movement is Movement.TURNED_BUT_STOPPED
    assert first.side is Side.RIGHT
    assert first.started_at == 100.0
    assert first.time == pytest.approx(100.3)


def test_it_is_noticed_again_and_again() -> None:
    assert len(watch(-110.0, 114.0, 0.0, count=33)) == 3
    assert watch(-110.0, 114.0, 0.0)[0].side is Side.LEFT


def test_turning_against_the_treads_counts_twice() -> None:
    [first] = watch(-50.0, 50.0, -1.0, count=6)
    assert first.movement is Movement.TURNED_OPPOSITE


@pytest.mark.parametrize(
    ("left", "right", "yaw_rate"),
    [
        (0.0, 0.0, 0.0),
        (100.0, 100.0, 0.0),
        (-50.0, -50.0, 0.02),
        (-69.0, 69.0, 2.0),
        (80.0, 120.0, 0.58),
        (9.0, -9.0, 0.0),
    ],
)
def test_driving_as_the_treads_do_is_nothing_special(
    left: float, right: float, yaw_rate: float
) -> None:
    assert not watch(left, right, yaw_rate)


@pytest.mark.parametrize(
    "flag",
    [
        RobotStatusFlag.IS_PICKED_UP,
        RobotStatusFlag.IS_ON_CHARGER,
        RobotStatusFlag.CLIFF_DETECTED,
        RobotStatusFlag.IS_PICKING_OR_PLACING,
    ],
)
def test_nothing_is_noticed_where_treads_may_turn_freely(flag: RobotStatusFlag) -> None:
    assert not watch(110.0, -114.0, 0.0, flags=int(flag))


def test_an_arc_that_does_not_turn_was_stopped_at_the_front() -> None:
    first, *_ = watch(20.0, 100.0, 0.0)
    assert first.movement is Movement.TURNED_BUT_STOPPED
    assert first.side is Side.FRONT
    assert watch(-20.0, -100.0, 0.0)[0].side is Side.BACK
