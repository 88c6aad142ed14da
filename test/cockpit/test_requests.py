"""What pages may ask for, on a robot on paper: everything else is a failure with words."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the cockpit's web library is not installed")

from cozmo_driver.cockpit.channel import Channel
from cozmo_driver.cockpit.hub import Hub, Page
from cozmo_driver.cockpit.recordings import Recordings
from cozmo_driver.cockpit.requests import REQUESTS, answer_to
from cozmo_driver.cockpit.robot_port import Answer, ParameterInfo
from cozmo_driver.cockpit.view import View
from cozmo_driver.virtual_time import run_in_virtual_time as run

from .paper_robot import PaperRobot


def view_of(robot: PaperRobot, *, read_only: bool = False) -> View:
    hub, page = Hub(robot), Page("one", "one")
    hub.add(page)
    hub.open_channel(page)
    return View(hub, page, Recordings(Path("/nowhere")), read_only=read_only)


def ask(robot: PaperRobot, name: str, values: dict[str, Any], *, read_only: bool = False) -> Answer:
    async def main() -> Answer:
        return await answer_to(view_of(robot, read_only=read_only), name, values)

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
        ("draw", {"pixels": "?"}),
        ("draw", {"pixels": "AAAA"}),
        ("backpack_lights", {"colors": ["#ffffff"], "pattern": "steady"}),
        ("backpack_lights", {"colors": ["red"] * 5, "pattern": "steady"}),
        ("cube_lights", {"colors": ["#ffffff"] * 4, "pattern": "sing", "cube": 1}),
        ("cube_lights", {"cube": float("inf")}),
        ("personality", {"name": "behavior_files", "value": "x.py"}),
        ("set_parameter", {"node": "cozmo_driver", "name": "use_sim_time", "value": "true"}),
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
        "phone_link",
        "recordings",
    }
)
"""Requests that change nothing."""
_ENDS = frozenset({"cancel_goal", "stop_clip", "stop_sound", "stop_run"})
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
}


@pytest.mark.parametrize("name", sorted(REQUESTS.keys() - _QUESTIONS - _ENDS))
def test_a_read_only_page_can_ask_for_no_change(name: str) -> None:
    robot = PaperRobot()
    answer = ask(robot, name, _VALUES, read_only=True)
    assert not answer.success
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


def test_a_pick_up_looks_around_until_a_cube_is_known() -> None:
    class Seeing(PaperRobot):
        feeds = PaperRobot.feeds | {"objects"}

        async def do(self, action: str, **fields: Any) -> Answer:
            if len(self.called) == 3:
                self.news["objects"] = [{"name": "cube_2", "kind": "cube", "is_sure": True}]
            return await super().do(action, **fields)

    async def main() -> list[str]:
        robot = Seeing()
        view = view_of(robot)
        view.hub.show(view.page, ["objects"])
        answer = await answer_to(view, "manipulate", {"action": "pick_up_cube", "object": ""})
        assert answer.success
        return [name for name, _ in robot.called]

    turns = ["turn_in_place"] * 3
    assert run(main()) == ["move_head", *turns, "pick_up_cube"]


def test_each_question_of_a_channel_gets_its_own_answer() -> None:
    async def main() -> dict[str, Any]:
        robot = PaperRobot()
        view = view_of(robot)
        outbox = view.page.outbox
        assert outbox is not None
        channel = Channel(view, outbox)
        for number, name in ((1, "head_light"), (2, "nothing")):
            channel.on_message(json.dumps({"ask": [number, name, {"data": True}]}))
        await asyncio.sleep(0.1)
        text = await outbox.next()
        assert isinstance(text, str)
        return dict(json.loads(text))

    told = run(main())
    assert told["answer 1"] == {"success": True, "message": "done"}
    assert told["answer 2"] == {"success": False, "message": "pages cannot ask for 'nothing'"}


def test_too_many_requests_at_once_are_refused() -> None:
    async def main() -> tuple[int, str]:
        robot = PaperRobot()
        robot.hangs = True
        view = view_of(robot)
        outbox = view.page.outbox
        assert outbox is not None
        channel = Channel(view, outbox)
        for number in range(60):
            channel.on_message(json.dumps({"ask": [number, "connect", {}]}))
        await asyncio.sleep(0.1)
        text = await outbox.next()
        return len(robot.called), str(text)

    called, text = run(main())
    assert called == 50
    assert text.count("too much at once") == 10
