"""An assistant beside a running driver: ``cozmo mcp --ros`` through the graph."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
from action_msgs.srv import CancelGoal
from nav_msgs.msg import Odometry

from cozmo_driver.assistant import ros_graph
from cozmo_driver.assistant.ros_graph import _OTHERS, ACTIONS
from cozmo_driver.link import with_timeout
from cozmo_driver.protocol import NotConnected
from cozmo_driver.robot import RobotError
from cozmo_interfaces.action import PlayGame
from cozmo_interfaces.msg import BehaviorState, CubeArray, GameState, RobotStatus

from ..cli.command import started
from ..programs import DEADLINE
from ..waiting import TIMEOUT, wait_until
from .conftest import Bench, World
from .graph import LATCHED, running_graph
from .personality import Life, living

mcp = pytest.importorskip("mcp")
MOTION = ("--allow-motion", "--max-speed", 0.1, "--max-distance", 0.3)


@pytest.fixture(scope="module")
def life(world: World) -> Iterator[Life]:
    with living(world) as life:
        cubes = life.graph.listen(CubeArray, "cubes", LATCHED)
        cubes.wait_for(lambda message: sum(one.is_connected for one in message.cubes) == 3)
        yield life


@pytest.fixture(scope="module")
def url(life: Life) -> Iterator[str]:
    where = ("--ros", "--namespace", life.graph.namespace, "--http", 0)
    with started("mcp", *where, *MOTION) as program:
        yield program.wait_for("serving").split()[-1]


def use(url: str, work: Callable[[Any], Coroutine[Any, Any, None]], mode: str = "auto") -> None:
    async def main() -> None:
        async with mcp.Client(url, mode=mode) as client:
            while (await client.call_tool("where_am_i")).is_error:
                await asyncio.sleep(0.1)
            await work(client)

    asyncio.run(with_timeout(DEADLINE, main()))


async def told(client: Any, tool: str, **arguments: Any) -> tuple[bool, str]:
    result = await client.call_tool(tool, arguments)
    return not result.is_error, str(result.content[-1].text)


async def moved(client: Any, tool: str, **arguments: Any) -> tuple[bool, str]:
    """On a busy computer actions are found long after topics."""
    while "nobody offers" in (answer := await told(client, tool, **arguments))[1]:
        pass
    return answer


def test_it_drives_within_its_limits_and_is_told_where_it_is(url: str, life: Life) -> None:
    async def work(client: Any) -> None:
        done, text = await moved(client, "drive", distance=0.1, speed=0.08)
        assert done, text
        assert float(text.split()[1]) == pytest.approx(0.1, abs=0.005), text
        refused, why = await told(client, "drive", distance=0.5)
        assert (refused, "too far" in why) == (False, True), why
        assert (await told(client, "turn", degrees=30))[0]
        done, text = await told(client, "go_to", x=0.0, y=0.0)
        assert done, text
        status = (await client.call_tool("where_am_i")).structured_content
        assert abs(status["x"]) < 0.03
        assert status["posture"] == "on treads"
        cubes = (await client.call_tool("what_do_i_see")).structured_content["result"]
        assert sum(one["is_connected"] for one in cubes) == 3

    use(url, work)


def test_an_expression_that_there_is_not_is_refused_with_those_there_are(url: str) -> None:
    async def work(client: Any) -> None:
        done, text = await told(client, "express", name="Grumpy")
        assert not done
        assert text.startswith("there is no expression 'Grumpy'; there are"), text
        assert await told(client, "express", name="Happiness") == (True, "the face shows Happiness")

    use(url, work)


def test_it_leaves_a_charger_that_has_lost_its_power(url: str, life: Life) -> None:
    statuses = life.graph.listen(RobotStatus, "status")

    def touch(is_on: bool) -> None:
        life.act(lambda f: f.battery.put_on_charger(is_on))
        statuses.wait_for_new(lambda status: status.is_on_charger is is_on)

    async def work(client: Any) -> None:
        refused, why = await moved(client, "undock")
        assert (refused, "as far as its contacts have shown" in why) == (False, True), why
        for is_on in (True, False):
            await asyncio.to_thread(touch, is_on)
        done, text = await moved(client, "undock")
        assert (done, "off the charger" in text) == (True, True), text

    use(url, work)


def test_songs_games_and_tricks_are_listed_with_what_they_lack_and_begin(
    url: str, life: Life
) -> None:
    async def work(client: Any) -> None:
        assert "twinkle" in (await told(client, "list_songs"))[1]
        off = (await client.call_tool("list_games")).structured_content["result"]
        assert all("switched off" in game["missing"][0] for game in off)
        life.enable(True)
        life.states().wait_for(lambda state: state.state == BehaviorState.RUNNING)
        games = (await client.call_tool("list_games")).structured_content["result"]
        by_name = {game["game"]: game for game in games}
        assert by_name["quick_tap"]["missing"] == []
        assert by_name["quick_tap"]["most_players"] == 2
        tricks = (await client.call_tool("list_tricks")).structured_content["result"]
        assert any(one["trick"] == "follow" and one["takes_object"] for one in tricks)
        assert "games and tricks choose speed and way themselves" in client.instructions
        playing = asyncio.ensure_future(told(client, "play_game", game="memory_match"))
        while "memory_match" not in (await told(client, "how_stands_the_game"))[1]:
            await asyncio.sleep(0.05)
        busy, why = await told(client, "do_trick", trick="dance")
        assert (busy, "play_game is under way" in why) == (False, True), why
        assert (await told(client, "stop")) == (True, "stopped")
        done, text = await playing
        assert (done, "cancel" in text) == (False, True), text
        life.enable(False)

    use(url, work)


def test_stopping_leaves_out_no_action_but_the_update() -> None:
    root = Path(__file__).parents[2]
    kinds = {file.stem for file in (root / "cozmo_interfaces/action").glob("*.action")}
    offers = re.findall(
        r"^\| `(\S+)` \| cozmo_interfaces/(\w+) \|", (root / "docs/interface.md").read_text(), re.M
    )
    actions = {name for name, kind in offers if kind in kinds}
    assert {*ACTIONS, *_OTHERS} == actions - {"update_firmware"}


def test_stopping_ends_goals_of_nav2_and_says_who_does_not_confirm_it(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph, asked, answered = bench.graph, threading.Event(), threading.Event()
    monkeypatch.setattr(ros_graph, "QUERY_TIMEOUT", 0.3, raising=False)

    def late(_: CancelGoal.Request, response: CancelGoal.Response) -> CancelGoal.Response:
        asked.set()
        answered.wait(TIMEOUT)
        return response

    name = "navigate_to_pose/_action/cancel_goal"
    with running_graph(graph.namespace) as server:
        server.in_executor(lambda: server.node.create_service(CancelGoal, name, late))
        assistant = graph.in_executor(lambda: ros_graph.AssistantGraph(bench.context))
        wait_until(lambda: server.node.count_clients(name), "Nav2 is left out")

        async def stop() -> str:
            while not asked.is_set():
                try:
                    await assistant.cancel_everything()
                except NotConnected:
                    await asyncio.sleep(0.01)
                except RobotError as error:
                    return str(error)
            return "stopped"

        try:
            told = bench.context.thread.submit(stop()).result(TIMEOUT)
        finally:
            answered.set()
    assert told.startswith("not confirmed by navigate_to_pose: ")


def test_a_state_that_nobody_has_read_for_long_is_no_news(bench: Bench) -> None:
    graph = bench.graph
    assistant = graph.in_executor(lambda: ros_graph.AssistantGraph(bench.context))
    statuses, odometry = graph.publisher(RobotStatus, "status"), graph.publisher(Odometry, "odom")

    async def read() -> str:
        if assistant._newest("status") is None or assistant._newest("odom") is None:
            return "nothing"
        try:
            assistant.status()
        except RobotError as error:
            return str(error)
        return "a state"

    def read_when(age: int) -> str:
        message = Odometry()
        message.header.stamp.sec = graph.now() // 10**9 - age
        statuses.publish(RobotStatus())
        odometry.publish(message)
        return bench.context.thread.submit(read()).result(TIMEOUT)

    first = wait_until(lambda: (text := read_when(3600)) != "nothing" and text, "nothing comes")
    assert first.startswith("no robot is ready")
    wait_until(lambda: read_when(0) == "a state", "it stays old")


def test_how_a_game_of_two_people_stands_counts_both(bench: Bench) -> None:
    graph = bench.graph
    assistant = graph.in_executor(lambda: ros_graph.AssistantGraph(bench.context))
    states = graph.publisher(GameState, "game_state", LATCHED)

    async def read() -> str:
        return assistant.game()

    def game_with(**second: int) -> str:
        states.publish(
            GameState(
                game="quick_tap", is_playing=True, round=2, player_points=3, text="tap", **second
            )
        )
        return bench.context.thread.submit(read()).result(TIMEOUT)

    for second, text in (
        ({}, "robot to player 0 to 3 points, 0 to 0 rounds; tap"),
        (
            {"second_points": 4, "second_rounds": 1},
            "robot to player to second player 0 to 3 to 4 points, 0 to 0 to 1 rounds; tap",
        ),
    ):
        wait_until(lambda text=text, second=second: text in game_with(**second), text)


def test_the_result_of_two_people_has_the_rounds_of_both() -> None:
    result = PlayGame.Result(robot_rounds=0, player_rounds=1, second_rounds=2)
    assert ros_graph.score_of(result, "rounds", True) == "0 to 1 to 2 rounds"
    assert ros_graph.score_of(result, "rounds", False) == "0 to 1 rounds"


def test_a_client_that_goes_leaves_the_robot_standing(url: str, life: Life) -> None:
    statuses = life.graph.listen(RobotStatus, "status")

    async def work(client: Any) -> None:
        driving = asyncio.ensure_future(client.call_tool("drive", {"distance": 0.3, "speed": 0.02}))
        while not life.act(lambda f: f.wheels.moving):
            await asyncio.sleep(0.02)
        driving.cancel()

    use(url, work, mode="legacy")
    wait_until(lambda: not life.act(lambda f: f.wheels.moving), "it drives on for nobody")
    assert statuses.messages


def test_what_happens_on_the_graph_is_an_event(url: str, life: Life) -> None:
    async def work(client: Any) -> None:
        life.act(lambda f: f.handling.tap(1))
        while True:
            read = await client.read_resource("cozmo://events")
            events = json.loads(read.contents[0].text)
            if any(event["type"] == "tapped" for event in events):
                return
            await asyncio.sleep(0.05)

    use(url, work)
