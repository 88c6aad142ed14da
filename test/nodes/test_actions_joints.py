"""Actions that move head and lift, and what holds for every action."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from rclpy.action import ActionClient
from std_msgs.msg import Float64

from cozmo_driver.protocol.messages import MoveHead as MoveHeadMessage
from cozmo_interfaces.action import MoveHead, MoveLift
from cozmo_interfaces.msg import Reason

from . import goals
from .conftest import World
from .goals import Action


@pytest.fixture(scope="module")
def head(world: World) -> Iterator[Action]:
    action = Action(world.graph, MoveHead, "move_head")
    yield action
    action.destroy()


@pytest.fixture(scope="module")
def lift(world: World) -> Iterator[Action]:
    action = Action(world.graph, MoveLift, "move_lift")
    yield action
    action.destroy()


@pytest.mark.covers("move_head")
def test_the_head_goes_where_it_is_told_and_says_so_when_it_is_there(
    world: World, head: Action
) -> None:
    head.do(angle=0.0)
    goal = head.send(angle=0.5)
    status, result = goal.wait()
    assert (status, result.success, result.reason) == ("succeeded", True, Reason.NONE)
    assert result.angle == pytest.approx(0.5, abs=0.04)
    assert world.emulator.state().head_angle == pytest.approx(0.5, abs=0.04)
    off = f"{0.5 - result.angle:+.3f} rad from the goal"
    assert result.message == f"the head is at {result.angle:.3f} rad, {off}"
    on_the_way = goal.feedback.wait_for(lambda feedback: feedback.angle < 0.45)
    assert on_the_way.angle + on_the_way.angle_remaining == pytest.approx(0.5)


@pytest.mark.covers("move_lift")
def test_the_lift_goes_where_it_is_told(world: World, lift: Action) -> None:
    goal = lift.send(height=0.07)
    status, result = goal.wait()
    assert (status, result.success, result.reason) == ("succeeded", True, Reason.NONE)
    assert result.height == pytest.approx(0.07, abs=0.006)
    assert world.emulator.state().lift_height == pytest.approx(70.0, abs=6.0)
    assert goal.feedback.messages
    assert lift.do(height=0.032)[0] == "succeeded"


@pytest.mark.covers("move_head")
def test_a_speed_of_its_own_is_kept(world: World, head: Action) -> None:
    assert head.do(angle=0.2, speed=2.0, acceleration=30.0, duration=0.4)[0] == "succeeded"
    command = world.emulator.state().last_received["SetHeadAngle"]
    assert command[1:4] == pytest.approx((2.0, 30.0, 0.4))  # type: ignore[index]


@pytest.mark.covers("move_head")
@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"angle": math.nan}, "head angle must be finite"),
        ({"angle": 0.1, "speed": 99.0}, "speed is from"),
    ],
)
def test_a_bad_value_is_refused_with_the_reason(
    world: World, head: Action, fields: dict[str, float], word: str
) -> None:
    sent = world.emulator.state().received.get("SetHeadAngle", 0)
    status, result = head.do(**fields)
    assert (status, result.success, result.reason) == ("aborted", False, Reason.INVALID)
    assert word in result.message
    assert world.emulator.state().received.get("SetHeadAngle", 0) == sent


@pytest.mark.covers("move_head")
def test_cancelling_stops_the_head(world: World, head: Action) -> None:
    head.do(angle=-0.4)
    goal = head.send(angle=0.7, duration=20.0)
    goal.feedback.wait_for(lambda feedback: feedback.angle > -0.35)
    goal.cancel()
    status, result = goal.wait()
    assert (status, result.success, result.reason) == ("canceled", False, Reason.CANCELED)
    assert result.message == "move_head was cancelled"
    assert -0.36 < result.angle < 0.6
    stopped = world.emulator.wait_for(lambda state: "MoveHead" in state.last_received)
    assert stopped.last_received["MoveHead"] == MoveHeadMessage(0.0)


@pytest.mark.covers("move_head")
def test_a_newer_goal_that_is_refused_leaves_the_older_alone(head: Action) -> None:
    head.do(angle=0.0)
    older = head.send(angle=0.3, duration=1.0)
    older.feedback.wait_for(lambda feedback: feedback.angle > 0.01)
    assert head.do(angle=math.nan)[1].reason == Reason.INVALID
    assert older.wait()[0] == "succeeded"


@pytest.mark.covers("move_head", "cmd_head")
def test_a_newer_command_ends_the_goal(world: World, head: Action) -> None:
    publisher = world.graph.publisher(Float64, "cmd_head")
    head.do(angle=-0.4)
    goal = head.send(angle=0.7, duration=20.0)
    goal.feedback.wait_for(lambda feedback: feedback.angle > -0.39)
    publisher.publish(Float64(data=0.1))
    status, result = goal.wait()
    assert (status, result.reason) == ("aborted", Reason.SUPERSEDED)
    assert "cmd_head took the head" in result.message


class LateClient(ActionClient):
    """Can be used only some time after its node knows it, as a client of Kilted's rclpy."""

    def __init__(self, *args: Any) -> None:
        self.met, self.is_complete = threading.Event(), False
        super().__init__(*args)
        self._node.executor.wake()
        self.was_met = self.met.wait(0.3)
        self.is_complete = True

    def is_ready(self, wait_set: Any) -> bool:
        self.met.set()
        return self.is_complete and bool(super().is_ready(wait_set))


def test_no_client_is_met_by_the_executor_before_it_is_complete(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(goals, "ActionClient", LateClient)
    action = goals.Action(world.graph, MoveHead, "move_head")
    assert not action.client.was_met
    assert action.do(angle=0.1)[0] == "succeeded"
