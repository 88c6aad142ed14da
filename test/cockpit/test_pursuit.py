"""Goals of pages: one at a time, for as long as its page has the wheel."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from cozmo_driver.cockpit.hub import GOAL, Hub, Page
from cozmo_driver.cockpit.pursuit import Goal
from cozmo_driver.cockpit.robot_port import Answer
from cozmo_driver.robot import Pose2D
from cozmo_driver.virtual_time import run_in_virtual_time as run

from .paper_robot import PaperRobot, in_virtual_time

HERE = Pose2D()
FAR = Goal("drive", 1.0, 0.0)


class SlowRobot(PaperRobot):
    """Needs 10 s for a goal."""

    async def do(self, action: str, **fields: Any) -> Answer:
        await asyncio.sleep(10.0)
        return await super().do(action, **fields)


@in_virtual_time
async def test_a_goal_ends_with_the_wheel_of_its_page() -> None:
    robot = SlowRobot()
    hub = Hub(robot)
    for name in ("one", "two"):
        hub.add(Page(name, name))
    pursued = asyncio.ensure_future(hub.pursuit.start("one", FAR, HERE))
    await asyncio.sleep(1.0)
    assert hub.latest(GOAL) == {"kind": "drive", "x": 1.0, "y": 0.0}
    hub.wheel.take_over("two")
    assert await pursued == Answer(True, "")
    assert robot.called == []
    assert hub.latest(GOAL) is None


@in_virtual_time
async def test_a_newer_goal_takes_the_place_of_an_older_one() -> None:
    hub = Hub(SlowRobot())
    older = asyncio.ensure_future(hub.pursuit.start("one", FAR, HERE))
    await asyncio.sleep(1.0)
    newer = asyncio.ensure_future(hub.pursuit.start("one", Goal("drive", 0.5, 0.0), HERE))
    assert await older == Answer(True, "")
    assert hub.latest(GOAL)["x"] == 0.5
    assert (await newer).message == "done"
    assert hub.latest(GOAL) is None


class HeldRobot(PaperRobot):
    async def do(self, action: str, **fields: Any) -> Answer:
        answer = await super().do(action, **fields)
        return Answer(False, "stopped") if action == "turn_in_place" else answer


def never() -> bool:
    return False


@in_virtual_time
async def test_a_look_around_ends_where_a_turn_fails() -> None:
    robot = HeldRobot()
    answer = await Hub(robot).pursuit.do("one", "pick_up_cube", never)
    assert answer == Answer(False, "stopped")
    assert [name for name, _ in robot.called] == ["move_head", "turn_in_place"]


@in_virtual_time
async def test_a_look_around_ends_with_a_newer_goal_and_a_stop_ends_all() -> None:
    robot = PaperRobot()
    hub = Hub(robot)
    holders: list[str] = []
    hub.wheel._on_change = lambda: holders.append(hub.wheel.holder)
    older = asyncio.ensure_future(hub.pursuit.do("one", "pick_up_cube", never))
    await asyncio.sleep(1.0)
    newer = asyncio.ensure_future(hub.pursuit.do("one", "forever"))
    await asyncio.sleep(60.0)
    assert older.done()
    assert holders == ["one"]
    await hub.stop()
    assert await newer == Answer(True, "")
    await asyncio.sleep(60.0)
    names = [name for name, _ in robot.called]
    assert names == ["move_head", "turn_in_place", "forever", "emergency_stop"]


class RobotWithoutManipulation(PaperRobot):
    async def do(self, action: str, **fields: Any) -> Answer:
        answer = await super().do(action, **fields)
        return Answer(False, "start it", {"reason": 6}) if fields["avoid"] else answer


@in_virtual_time
async def test_without_a_manipulation_node_it_drives_straight() -> None:
    robot = RobotWithoutManipulation()
    answer = await Hub(robot).pursuit.start("one", FAR, HERE)
    assert answer.success
    assert [fields["avoid"] for _, fields in robot.called] == [True, False]


def test_what_is_far_away_or_no_place_is_refused() -> None:
    async def main() -> None:
        robot = PaperRobot()
        answer = await Hub(robot).pursuit.start("one", Goal("drive", 6.0, 0.0), HERE)
        assert not answer.success
        assert robot.called == []

    run(main())
    for kind, x in (("fly", 0.0), ("drive", float("nan"))):
        with pytest.raises(ValueError, match="no place"):
            Goal(kind, x, 0.0)  # type: ignore[arg-type]
