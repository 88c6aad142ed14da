"""Goals that a node sends to another one's actions."""

from __future__ import annotations

import threading
from typing import Any

from cozmo_driver.ros.action_bridge import ActionBridge, Goal
from cozmo_driver.ros.clients import GoalClient, OwnGoals
from cozmo_interfaces.action import TurnInPlace

from ..waiting import TIMEOUT
from .conftest import Bench


def test_a_goal_waits_for_an_action_that_is_found_after_its_node(bench: Bench) -> None:
    context, asked = bench.context, threading.Event()
    client = bench.graph.in_executor(
        lambda: GoalClient(context, TurnInPlace, "turn_in_place", OwnGoals())
    )

    async def ask() -> Any:
        asked.set()
        return await client.do(angle=0.5)

    async def turn(goal: Goal) -> str:
        goal.result.angle_turned = goal.request.angle
        return "it turned"

    result = context.thread.submit(ask())
    assert asked.wait(TIMEOUT)
    bench.graph.in_executor(lambda: ActionBridge(context, TurnInPlace, "turn_in_place", turn))
    assert result.result(TIMEOUT).angle_turned == 0.5
