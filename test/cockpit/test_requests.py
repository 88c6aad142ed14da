"""What pages may ask for, on a robot on paper: everything else is a failure with words."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the cockpit's web library is not installed")

from cozmo_driver.cockpit.channel import Channel
from cozmo_driver.cockpit.hub import Page
from cozmo_driver.cockpit.requests import REQUESTS, answer_to
from cozmo_driver.cockpit.robot_port import Answer, ParameterInfo
from cozmo_driver.cockpit.view import View
from cozmo_driver.link import with_timeout
from cozmo_driver.virtual_time import run_in_virtual_time as run

from .paper_robot import PaperRobot, in_virtual_time, view_of


def ask(robot: PaperRobot, name: str, values: dict[str, Any]) -> Answer:
    async def main() -> Answer:
        return await answer_to(view_of(robot), name, values)

    return run(main())


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("emergency_stop", {}),
        ("power_off", {}),
        ("cozmo_driver/set_parameters", {}),
        ("head_light", {}),
        ("volume", {"volume": "loud"}),
        ("say", {"text": 5}),
        ("say", {"text": "x" * 1001}),
        ("point", {"kind": "fly", "x": 0.0, "y": 0.0}),
        ("point", {"kind": "drive", "x": float("nan"), "y": 0.0}),
        ("manipulate", {"action": "go_to_pose"}),
        ("play_game", {"game": "quick_tap", "level": 256}),
        ("play_game", {"game": "quick_tap", "rounds": 1.5}),
        ("sing", {"song": "/etc/passwd"}),
        ("dance", {"bpm": 120.0, "duration": 1e9}),
        ("forget", {"name": ""}),
        ("draw", {"pixels": "?"}),
        ("draw", {"pixels": "AAAA"}),
        ("backpack_lights", {"colors": ["#ffffff"], "pattern": "steady"}),
        ("backpack_lights", {"colors": ["red"] * 5, "pattern": "steady"}),
        ("cube_lights", {"colors": ["#ffffff"] * 4, "pattern": "sing", "cube": 1}),
        ("cube_lights", {"cube": float("inf")}),
        ("personality", {"name": "behavior_files", "value": "x.py"}),
        ("set_parameter", {"node": "cozmo_driver", "name": "use_sim_time", "value": "true"}),
        ("checkup_start", {"steps": ["wings"], "images": True}),
        ("checkup_start", {"steps": "identity", "images": True}),
        ("checkup_start", {"steps": [], "images": True}),
        ("checkup_answer", {"number": 1, "value": "go"}),
        ("checkup_without", {"name": "../..", "picture": "images/a.jpg"}),
        ("delete_checkup", {"name": ".."}),
    ],
)
def test_what_makes_no_sense_commands_nothing_and_is_said(
    name: str, values: dict[str, Any]
) -> None:
    robot = PaperRobot()
    answer = ask(robot, name, values)
    assert not answer.success
    assert answer.message
    assert (robot.called, robot.published, robot.driven) == ([], [], [])


_QUESTIONS = frozenset(
    {
        "expressions",
        "animations",
        "behaviors",
        "parameter",
        "parameters",
        "games",
        "people",
        "phone_link",
        "recordings",
        "checkup_pictures",
        "checkup_reports",
        "checkup_steps",
        "songs",
        "tricks",
    }
)
"""Requests that change nothing."""
_ENDS = frozenset(
    {
        "cancel_goal",
        "stop_clip",
        "stop_game",
        "stop_meeting",
        "stop_music",
        "stop_run",
        "stop_sound",
        "stop_trick",
    }
)
_VALUES: dict[str, Any] = {
    "data": True,
    "volume": 0.5,
    "action": "dock_charger",
    "do": "pickup",
    "name": "activity",
    "value": "x",
    "text": "x",
    "reaction": "x",
    "cube": 1,
    "node": "cozmo_driver",
    "on": True,
    "pixels": "A" * 1364 + "AA==",
    "kind": "drive",
    "x": 0.1,
    "y": 0.0,
    "steps": ["identity"],
    "images": True,
    "number": 1,
    "picture": "images/camera_best.jpg",
    "game": "quick_tap",
    "is_accepted": True,
    "trick": "sing",
    "song": "bingo",
    "bpm": 120.0,
    "duration": 10.0,
    "has_agreed": True,
}


class Placed(PaperRobot):
    """Knows where it is and has a parameter, so that nothing but ``read_only`` refuses."""

    feeds = PaperRobot.feeds | {"odom"}

    def __init__(self) -> None:
        super().__init__()
        self.news["odom"] = {"x": 0.0, "y": 0.0, "yaw": 0.0}

    async def parameters(self, node: str) -> list[ParameterInfo]:
        return [ParameterInfo("activity", "", "what it does")]


@pytest.mark.parametrize("name", sorted(REQUESTS.keys() - _QUESTIONS - _ENDS))
def test_a_read_only_page_can_ask_for_no_change(name: str) -> None:
    robot = Placed()

    async def main() -> Answer:
        view = view_of(robot, read_only=True)
        view.hub.show(view.page, ["odom"])
        await asyncio.sleep(1.0)
        assert view.hub.latest("odom")
        return await answer_to(view, name, _VALUES)

    answer = run(main())
    assert not answer.success
    assert "read_only" in answer.message
    assert (robot.called, robot.published, robot.driven) == ([], [], [])


def test_a_parameter_is_set_as_what_it_is_and_the_answer_has_the_value() -> None:
    class Tuned(PaperRobot):
        async def parameters(self, node: str) -> list[ParameterInfo]:
            return [ParameterInfo("speed", 0.2, "how fast")]

    robot = Tuned()
    values = {"node": "cozmo_driver", "name": "speed", "value": "1"}
    answer = ask(robot, "set_parameter", values)
    assert answer == Answer(True, "done", {"value": 1.0})
    assert robot.called == [("cozmo_driver/set_parameters", {"speed": 1.0})]
    refused = ask(robot, "set_parameter", {**values, "value": "fast"})
    assert refused.message == "it must be a number, not 'fast'"


@pytest.mark.parametrize(
    ("name", "service"),
    [
        ("animations", "list_animations"),
        ("behaviors", "behavior/list"),
        ("games", "list_games"),
        ("people", "list_faces"),
        ("songs", "list_songs"),
        ("tricks", "list_tricks"),
    ],
)
def test_a_read_only_page_lists_what_there_is(name: str, service: str) -> None:
    robot = PaperRobot()

    async def main() -> Answer:
        return await answer_to(view_of(robot, read_only=True), name, {})

    assert run(main()).success
    assert [called for called, _ in robot.called] == [service]


def test_rounds_are_offered_where_a_game_can_have_them() -> None:
    class Playful(PaperRobot):
        async def call(self, service: str, **fields: Any) -> Answer:
            infos = [
                SimpleNamespace(
                    game=name,
                    about="",
                    levels=3,
                    can_be_solo=False,
                    most_players=1,
                    is_playable=True,
                    missing=[],
                )
                for name in ("quick_tap", "memory_match", "keepaway", "guard_dog")
            ]
            return Answer(True, "done", {"games": infos})

    games = ask(Playful(), "games", {}).fields["games"]
    assert [one["game"] for one in games if one["has_rounds"]] == ["quick_tap", "keepaway"]


class Seeing(PaperRobot):
    """Sees a cube once it has turned twice."""

    feeds = PaperRobot.feeds | {"objects"}

    async def do(self, action: str, **fields: Any) -> Answer:
        if len(self.called) == 3:
            self.news["objects"] = [{"name": "cube_2", "kind": "cube", "is_sure": True}]
        return await super().do(action, **fields)


@in_virtual_time
async def test_a_pick_up_looks_around_until_a_cube_is_known() -> None:
    robot = Seeing()
    view = view_of(robot)
    view.hub.show(view.page, ["objects"])
    answer = await answer_to(view, "manipulate", {"action": "pick_up_cube", "object": ""})
    assert answer.success
    turns = ["turn_in_place"] * 3
    assert [name for name, _ in robot.called] == ["move_head", *turns, "pick_up_cube"]


class SlowlySet(PaperRobot):
    async def set_parameter(self, node: str, name: str, value: Any) -> Answer:
        await asyncio.sleep(0.0 if value else 1.0)
        return await super().set_parameter(node, name, value)


@in_virtual_time
async def test_a_face_that_is_given_back_at_once_is_not_switched_off_afterwards() -> None:
    robot = SlowlySet()
    view = view_of(robot)
    await asyncio.gather(
        answer_to(view, "draw", {"pixels": _VALUES["pixels"]}), answer_to(view, "give_back", {})
    )
    assert [fields["enabled"] for _, fields in robot.called] == [False, True]


@in_virtual_time
async def test_a_sound_is_stopped_by_any_page() -> None:
    robot = PaperRobot()
    robot.hangs = True
    view = view_of(robot)
    other = View(view.hub, Page("two", "two"), view.recordings, read_only=False)
    saying = asyncio.ensure_future(answer_to(view, "say", {"text": "a long story"}))
    await asyncio.sleep(0.0)
    assert (await answer_to(other, "stop_sound", {})).success
    assert await with_timeout(1.0, saying) == Answer(True, "")


async def answers(robot: PaperRobot, *names: str, count: int) -> dict[str, Any]:
    """Ask for these by a channel; return the first answers by their feeds."""
    view = view_of(robot)
    outbox = view.page.outbox
    assert outbox is not None
    channel = Channel(view, outbox)
    for number, name in enumerate(names):
        channel.on_message(json.dumps({"ask": [number, name, _VALUES]}))
    told: dict[str, Any] = {}
    while len(told) < count:
        text = await outbox.next()
        assert isinstance(text, str)
        told |= {k: v for k, v in json.loads(text).items() if k.startswith("answer")}
        outbox.acknowledge("text")
    return told


@in_virtual_time
async def test_each_question_of_a_channel_gets_its_own_answer() -> None:
    assert await answers(PaperRobot(), "head_light", "nothing", count=2) == {
        "answer 0": {"success": True, "message": "done"},
        "answer 1": {"success": False, "message": "pages cannot ask for 'nothing'"},
    }


class Unlimited(PaperRobot):
    async def parameter(self, node: str, name: str) -> Any:
        return float("inf")


@in_virtual_time
async def test_an_answer_that_is_no_json_is_a_failure() -> None:
    told = await with_timeout(10.0, answers(Unlimited(), "parameter", count=1))
    [answer] = told.values()
    assert answer == {"success": False, "message": "the cockpit has failed: its log says how"}


@in_virtual_time
async def test_too_many_requests_at_once_are_refused() -> None:
    robot = PaperRobot()
    robot.hangs = True
    told = await answers(robot, *["connect"] * 60, count=10)
    assert set(told) == {f"answer {number}" for number in range(50, 60)}
    assert all("too much at once" in one["message"] for one in told.values())
    await asyncio.sleep(0.0)
    assert len(robot.called) == 50
