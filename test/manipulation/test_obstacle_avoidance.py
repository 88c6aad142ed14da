"""Driving around what is in the way, and over what may be no more than a pattern of the floor."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cozmo_driver.manipulation.obstacle_avoidance import box_of, go_to
from cozmo_driver.manipulation.robot_manipulator import RobotManipulator
from cozmo_driver.perception import Kind, LocatedObject, PoseState, pose, rotation
from cozmo_driver.planning import Box
from cozmo_driver.robot import Pose2D, Reason, RobotError

from ..robot.virtual import in_virtual_time

GOAL = Pose2D(0.3, 0.0, 0.0)


def bar(x: float, width: float, is_soft: bool = True) -> Box:
    return Box(x, 0.0, 0.0, 0.01, width, "a bar", is_soft)


class Body(RobotManipulator):
    """Sees boxes that depend on where it is."""

    def __init__(self, world, see) -> None:
        super().__init__(world.robot)
        self._see = see
        self.farthest_aside = 0.0

    @property
    def obstacles(self):
        here = self.state.pose
        self.farthest_aside = max(self.farthest_aside, abs(here.y))
        return self._see(here)


@pytest.mark.parametrize(
    ("turn", "seen"),
    [
        (np.eye(3), (0.2, 0.08)),
        (rotation((math.pi / 2, 0.0, 0.0)), (0.2, 0.03)),
        (rotation((0.0, math.pi / 2, 0.0)), (0.03, 0.08)),
        (rotation((math.radians(30.0), 0.0, 0.0)), (0.2, 0.0843)),
    ],
    ids=["on its bottom", "on a long side", "on end", "leaning"],
)
def test_a_box_takes_what_is_seen_of_it_from_above(turn, seen) -> None:
    there = pose(0.3, -0.1, 0.1, yaw=0.5)
    there[:3, :3] = there[:3, :3] @ turn
    size = (0.2, 0.08, 0.03)
    box = box_of(
        LocatedObject(
            "box", Kind.CUSTOM, PoseState.KNOWN, there, size, None, 0.0, True, False, None
        )
    )
    assert (box.x, box.y, box.length, box.width) == pytest.approx((0.3, -0.1, *seen), abs=1e-4)
    assert box.yaw == pytest.approx(0.5)


@in_virtual_time()
async def test_a_seen_edge_is_driven_around(world) -> None:
    body = Body(world, lambda _: [bar(0.15, 0.1)])
    await go_to(body, [GOAL])
    assert body.farthest_aside > 0.06


@in_virtual_time()
async def test_seen_edges_all_around_are_driven_over_and_what_is_certain_is_not(world) -> None:
    await go_to(Body(world, lambda _: [bar(0.15, 9.0)]), [GOAL])
    body = Body(world, lambda _: [bar(0.15, 9.0, is_soft=False)])
    with pytest.raises(RobotError) as caught:
        await go_to(body, [Pose2D()])
    assert caught.value.reason is Reason.NO_PATH
    assert body.state.pose.x == pytest.approx(GOAL.x, abs=0.012)


@in_virtual_time()
async def test_edges_that_come_into_sight_again_and_again_do_not_keep_it_from_getting_there(
    world,
) -> None:
    stripes = [0.02 * number for number in range(5, 60)]

    def see(here: Pose2D) -> list[Box]:
        return [bar(x, 0.2) for x in stripes if 0.06 < x - here.x < 0.12]

    goal = Pose2D(0.6, 0.0, 0.0)
    body = Body(world, see)
    await go_to(body, [goal])
    there = body.state.pose
    assert math.hypot(there.x - goal.x, there.y - goal.y) < 0.012


@in_virtual_time()
async def test_an_edge_that_comes_into_sight_counts_once_it_is_near(world) -> None:
    def from_afar(here: Pose2D) -> list[Box]:
        return [bar(0.45, 0.1)] if 0.05 < here.x < 0.2 else []

    body = Body(world, from_afar)
    await go_to(body, [Pose2D(0.6)])
    assert body.farthest_aside < 0.01
    body = Body(world, lambda here: [bar(0.2, 0.1)] if here.x < 0.55 else [])
    await go_to(body, [Pose2D()])
    assert body.farthest_aside > 0.06
