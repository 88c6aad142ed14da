"""Goals that a node sends to another one's actions."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from rcl_interfaces.msg import SetParametersResult
from rcl_interfaces.srv import SetParameters
from std_srvs.srv import Trigger

from cozmo_driver.cockpit.robot_port import Answer
from cozmo_driver.cockpit.ros_robot import RosRobot
from cozmo_driver.robot import Reason, RobotError
from cozmo_driver.ros import clients
from cozmo_driver.ros.action_bridge import ActionBridge, Goal
from cozmo_driver.ros.clients import GoalClient, OwnGoals, call, wait_for_service
from cozmo_interfaces.action import TurnInPlace
from cozmo_interfaces.srv import ListGames

from ..waiting import TIMEOUT
from .conftest import Bench
from .graph import running_graph


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


def test_a_response_that_is_lost_is_not_waited_for_for_ever(bench: Bench) -> None:
    graph, context = bench.graph, bench.context
    answered = threading.Event()

    def late(_: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        answered.wait(TIMEOUT)
        return response

    async def ask() -> Any:
        await wait_for_service(client)
        return await call(context, client, Trigger.Request(), "lost", timeout=0.3)

    with running_graph(graph.namespace) as server:
        server.in_executor(lambda: server.node.create_service(Trigger, "lost", late))
        client = graph.in_executor(lambda: graph.node.create_client(Trigger, "lost"))
        with pytest.raises(RobotError, match="lost did not answer") as ended:
            context.thread.submit(ask()).result(TIMEOUT)
        answered.set()
    assert ended.value.reason is Reason.TIMEOUT


def test_a_page_asks_again_for_what_was_not_answered(bench: Bench, monkeypatch: Any) -> None:
    """Its list of games stayed empty for ever."""
    graph, context = bench.graph, bench.context
    answered = threading.Event()

    def late(_: ListGames.Request, response: ListGames.Response) -> ListGames.Response:
        answered.wait(TIMEOUT)
        response.success = True
        return response

    with running_graph(graph.namespace) as server:
        server.in_executor(lambda: server.node.create_service(ListGames, "list_games", late))
        robot = graph.in_executor(lambda: RosRobot(context, graph.namespace.strip("/")))
        with monkeypatch.context() as patch:
            patch.setattr(clients, "QUERY_TIMEOUT", 0.3)
            answer = context.thread.submit(robot.call("list_games")).result(TIMEOUT)
        assert not answer.success
        assert "did not answer" in answer.message
        answered.set()
        assert context.thread.submit(robot.call("list_games")).result(TIMEOUT).success


def test_a_page_sets_again_what_was_not_answered(bench: Bench, monkeypatch: Any) -> None:
    """A drawing was never shown, and none after it."""
    graph, context = bench.graph, bench.context
    asked_again, sent = threading.Event(), []

    def late(_: SetParameters.Request, response: SetParameters.Response) -> SetParameters.Response:
        asked_again.wait(TIMEOUT)
        response.results = [SetParametersResult(successful=True)]
        return response

    with running_graph(graph.namespace) as server:
        name = "cozmo_face/set_parameters"
        server.in_executor(lambda: server.node.create_service(SetParameters, name, late))
        robot = graph.in_executor(lambda: RosRobot(context, graph.namespace.strip("/")))
        real = robot.call

        async def call_and_count(service: str, **fields: Any) -> Answer:
            sent.append(service)
            if len(sent) > 1:
                monkeypatch.setattr(clients, "QUERY_TIMEOUT", TIMEOUT)
                asked_again.set()
            return await real(service, **fields)

        monkeypatch.setattr(robot, "call", call_and_count)
        monkeypatch.setattr(clients, "QUERY_TIMEOUT", 0.3)
        work = robot.set_parameter("cozmo_face", "enabled", False)
        assert context.thread.submit(work).result(TIMEOUT).success
    assert sent == [name, name]


@contextlib.contextmanager
def lost_answers(bench: Bench, monkeypatch: Any, service: str, most: int) -> Iterator[GoalClient]:
    """Yield the client of an action that turns until it is cancelled, or at once where it is 0."""
    real, lost = clients.call, Counter[str]()

    async def call_and_lose(context: Any, client: Any, *args: Any, **options: Any) -> Any:
        name = client.srv_name.rpartition("/")[2]
        if name == service and lost[name] < most:
            lost[name] += 1
            await asyncio.Event().wait()
        return await real(context, client, *args, **options)

    async def turn(goal: Goal) -> str:
        if goal.request.angle:
            await asyncio.Event().wait()
        return "it turned"

    def make() -> GoalClient:
        ActionBridge(bench.context, TurnInPlace, "turn_in_place", turn)
        return GoalClient(bench.context, TurnInPlace, "turn_in_place", OwnGoals())

    monkeypatch.setattr(clients, "call", call_and_lose)
    # Answers of a busy computer are waited for as long as ever.
    if service == "get_result":
        monkeypatch.setattr(clients, "_RESULT_PERIOD", 0.5)
    else:
        monkeypatch.setattr(clients, "_ANSWER_TIMEOUTS", (0.1, 0.2))
    yield bench.graph.in_executor(make)


def test_a_goal_that_nobody_answers_fails(bench: Bench, monkeypatch: Any) -> None:
    with lost_answers(bench, monkeypatch, "send_goal", 2) as client:
        sent = bench.context.thread.submit(client.do(angle=0.0))
        with pytest.raises(RobotError, match="turn_in_place did not answer") as ended:
            sent.result(TIMEOUT)
    assert ended.value.reason is Reason.TIMEOUT


def test_a_result_that_is_lost_is_asked_for_again(bench: Bench, monkeypatch: Any) -> None:
    with lost_answers(bench, monkeypatch, "get_result", 1) as client:
        assert bench.context.thread.submit(client.do(angle=0.0)).result(TIMEOUT).success


@pytest.mark.parametrize("lost", [1, 2])
def test_a_client_is_free_also_where_its_cancel_is_lost(
    bench: Bench, monkeypatch: Any, lost: int
) -> None:
    async def cancel() -> None:
        goal = asyncio.ensure_future(client.do(angle=0.5))
        while not client.is_busy:
            await asyncio.sleep(0.01)
        goal.cancel()
        while client.is_busy:
            await asyncio.sleep(0.01)

    with lost_answers(bench, monkeypatch, "cancel_goal", lost) as client:
        bench.context.thread.submit(cancel()).result(TIMEOUT)
