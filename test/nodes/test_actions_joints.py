"""Actions that move head and lift, and what holds for every action."""

from __future__ import annotations

import pytest
from std_msgs.msg import Float64

from cozmo_interfaces.action import MoveHead, MoveLift
from cozmo_interfaces.msg import Reason

from .conftest import World
from .goals import Action


@pytest.fixture
def head(world: World) -> Action:
    return Action(world.graph, MoveHead, "move_head")


@pytest.fixture
def lift(world: World) -> Action:
    return Action(world.graph, MoveLift, "move_lift")


@pytest.mark.covers("move_head")
def test_the_head_goes_where_it_is_told_and_says_so_when_it_is_there(
    world: World, head: Action
) -> None:
    head.do(angle=0.0)
    goal = head.send(angle=0.5, speed=2.0, acceleration=30.0, duration=0.4)
    status, result = goal.wait()
    command = world.emulator.state().last_received["SetHeadAngle"]
    assert command[1:4] == pytest.approx((2.0, 30.0, 0.4))  # type: ignore[index]
    assert (status, result.success, result.reason) == ("succeeded", True, Reason.NONE)
    assert result.angle == pytest.approx(0.5, abs=0.04)
    assert world.emulator.state().head_angle == pytest.approx(0.5, abs=0.04)
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


@pytest.mark.covers("move_head", "cmd_head")
def test_a_newer_command_ends_the_goal(world: World, head: Action) -> None:
    publisher = world.graph.publisher(Float64, "cmd_head")
    head.do(angle=-0.4)
    goal = head.send(angle=0.7, duration=20.0)
    goal.feedback.wait_for(lambda feedback: feedback.angle > -0.39)
    publisher.publish(Float64(data=0.1))
    status, result = goal.wait()
    assert (status, result.reason) == ("aborted", Reason.SUPERSEDED)
