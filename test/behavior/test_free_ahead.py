"""How far the floor ahead is free, as behaviours take it from a scan."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cozmo_driver.behavior.robot_sight import RobotSight
from cozmo_driver.behavior.sight import Sense, free_ahead
from cozmo_driver.perception import RobotPerception
from cozmo_driver.perception.detection.ground import GroundScan

from ..robot.hands import with_robot

RAYS, STEP = 51, 0.02
NAN, INF = math.nan, math.inf


def seen(rays: dict[int, float], others: float) -> float:
    """Return how far it is free by rays from the right to the left, the middle one is 25."""
    ranges = [rays.get(index, others) for index in range(RAYS)]
    return free_ahead(ranges, -0.5, STEP)


@pytest.mark.parametrize(
    ("rays", "others", "free"),
    [
        ({0: INF}, NAN, NAN),
        ({0: 0.1, 50: 0.1}, NAN, NAN),
        # Half of the robot's width.
        (dict.fromkeys(range(25), NAN), INF, NAN),
        (dict.fromkeys([*range(13), *range(38, 51)], NAN), INF, INF),
        # Noise of a few rays.
        ({16: NAN, 24: NAN, 25: NAN, 31: NAN}, INF, INF),
        ({20: 0.15}, INF, 0.15),
        ({2: 0.11}, 0.3, 0.11),
    ],
)
def test_the_floor_is_free_where_most_of_what_is_straight_ahead_is_known(
    rays: dict[int, float], others: float, free: float
) -> None:
    assert seen(rays, others) == pytest.approx(free, nan_ok=True)


def test_nothing_is_known_by_an_empty_scan() -> None:
    assert math.isnan(free_ahead([], -0.5, STEP))


@with_robot()
async def test_images_in_which_floor_is_known_only_aside_do_not_show_that_it_is_free(world):
    ranges = np.zeros(RAYS, np.float32)
    async with RobotPerception(world.robot) as eyes:
        eyes.core.find_floor = lambda *_: (None, GroundScan(ranges, 0.1, 0.3))
        sight = RobotSight()
        sight.look(eyes)
        sight.watch(Sense.GROUND, True)
        for aside, ahead, is_told in (
            (0.2, 0.2, lambda free: free == pytest.approx(0.2)),
            (INF, NAN, math.isnan),
            (INF, INF, math.isinf),
        ):
            ranges[:], ranges[:5] = ahead, aside
            await world.until(lambda is_told=is_told: is_told(sight.now.free_ahead), 10.0)
