"""What stops the robot, and what it then says."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Point, PoseStamped, Twist
from std_msgs.msg import Float64, Header
from std_srvs.srv import Trigger

from cozmo_driver.emulator import Firmware, Posture, running_emulator
from cozmo_driver.protocol.enums import MotorID
from cozmo_driver.protocol.messages import MotorCalibration
from cozmo_interfaces.action import (
    DriveDistance,
    FollowPath,
    GoToPose,
    MoveHead,
    MoveLift,
    TurnInPlace,
    Undock,
)
from cozmo_interfaces.msg import ConnectionState, PathSegment, Reason, RobotStatus

from ..waiting import wait_until
from .conftest import World, stands
from .goals import Action, SentGoal
from .graph import LATCHED, running_driver, running_graph, twist

AHEAD = {
    "header": Header(frame_id="base_footprint"),
    "segments": [PathSegment(type=PathSegment.LINE, end=Point(x=3.0))],
}
GOALS: tuple[tuple[Any, str, dict[str, Any]], ...] = (
    (FollowPath, "follow_path", AHEAD),
    (GoToPose, "go_to_pose", {"pose": PoseStamped(header=AHEAD["header"])}),
    (DriveDistance, "drive_distance", {"distance": 0.1}),
    (TurnInPlace, "turn_in_place", {"angle": 1.0}),
    (Undock, "undock", {}),
    (MoveHead, "move_head", {"angle": 0.2}),
    (MoveLift, "move_lift", {"height": 0.06}),
)
"""Every action that moves the robot, with a goal for it."""
MOVES = (
    "DriveWheels",
    "ExecutePath",
    "MoveHead",
    "MoveLift",
    "SetHeadAngle",
    "SetLiftHeight",
    "StartMotorCalibration",
    "TurnInPlace",
)
"""Messages that move the robot."""


@pytest.fixture
def actions(world: World) -> Iterator[dict[str, Action]]:
    """Return a client of every action that moves the robot."""
    yield {name: Action(world.graph, kind, name) for kind, name, _ in GOALS}
    world.emulator.wait_for(stands)


def under_way(action: Action) -> SentGoal:
    """Return a path that the robot has begun to drive."""
    goal = action.send(**AHEAD)
    try:
        goal.feedback.wait_for(lambda feedback: feedback.distance_traveled > 0.02)
    except AssertionError:
        raise AssertionError(f"the path did not begin: {goal.wait()}") from None
    return goal


def is_free(status: RobotStatus) -> bool:
    """Tell whether nothing about its place keeps the robot from driving."""
    return (
        status.off_treads_state == RobotStatus.ON_TREADS
        and status.is_head_calibrated
        and not (status.is_cliff_detected or status.is_picked_up or status.is_falling)
    )


@pytest.mark.covers("follow_path")
@pytest.mark.parametrize(
    ("happen", "undo", "reason"),
    [
        (lambda f: f.ground.set_edge(True), lambda f: f.ground.set_edge(False), Reason.CLIFF),
        (
            lambda f: f.handling.put(Posture.HELD),
            lambda f: f.handling.put(Posture.FLAT),
            Reason.PICKED_UP,
        ),
    ],
    ids=["edge", "lifted"],
)
def test_a_path_ends_with_the_reason_for_which_the_robot_stopped(
    world: World,
    actions: dict[str, Action],
    happen: Callable[[Firmware], object],
    undo: Callable[[Firmware], object],
    reason: int,
) -> None:
    goal = under_way(actions["follow_path"])
    world.emulator.call(happen)
    try:
        outcome, result = goal.wait()
        assert (outcome, result.success, result.reason) == ("aborted", False, reason)
        assert 0.02 < result.distance_traveled < 3.0
        world.emulator.wait_for(stands)
    finally:
        world.emulator.call(undo)
    world.graph.listen(RobotStatus, "status").wait_for(is_free)


def refused(world: World) -> dict[str, int]:
    """Return how many commands were refused, by topic."""
    array = world.graph.listen(DiagnosticArray, "/diagnostics").collect(1)[0]
    [commands] = [each for each in array.status if each.name.endswith(": commands")]
    return {
        pair.key.removesuffix(" refused"): int(pair.value)
        for pair in commands.values
        if pair.key.endswith(" refused")
    }


@pytest.mark.covers(
    "emergency_stop",
    "release_stop",
    "cmd_vel",
    "cmd_head",
    "cmd_lift",
    "cmd_head_velocity",
    "cmd_lift_velocity",
    "calibrate_motors",
)
def test_the_emergency_stop_latches_over_everything(
    world: World, actions: dict[str, Action]
) -> None:
    topics = ("cmd_head", "cmd_lift", "cmd_head_velocity", "cmd_lift_velocity")
    joints = {topic: world.graph.publisher(Float64, topic) for topic in topics}
    drive = world.graph.publisher(Twist, "cmd_vel")
    path = under_way(actions["follow_path"])
    lift = actions["move_lift"].send(height=0.09, duration=20.0)
    lift.feedback.wait_for(lambda feedback: True)
    assert world.graph.call(Trigger, "emergency_stop").success
    try:
        for goal in (path, lift):
            outcome, result = goal.wait()
            assert (outcome, result.reason) == ("aborted", Reason.ESTOP)
        moves = world.emulator.wait_for(stands).received
        before = refused(world)
        drive.publish(twist(0.05))
        for publisher in joints.values():
            publisher.publish(Float64(data=0.05))
        for _, name, fields in GOALS:
            outcome, result = actions[name].do(**fields)
            assert (name, outcome, result.reason) == (name, "aborted", Reason.ESTOP)
        assert not world.graph.call(Trigger, "calibrate_motors").success
        more = {topic: count + 1 for topic, count in before.items() if topic.startswith("cmd_")}
        assert len(more) == 5
        wait_until(lambda: refused(world).items() >= more.items(), f"not all of {more}")
        after = world.emulator.state()
        assert [after.received.get(name) for name in MOVES] == [moves.get(name) for name in MOVES]
    finally:
        assert world.graph.call(Trigger, "release_stop").success
    assert actions["move_lift"].do(height=0.032)[0] == "succeeded"


@pytest.mark.covers("status")
def test_nothing_moves_before_the_motors_are_calibrated(
    world: World, actions: dict[str, Action]
) -> None:
    status = world.graph.listen(RobotStatus, "status")
    goal = under_way(actions["follow_path"])

    def tell(is_begun: bool) -> None:
        world.emulator.call(
            lambda firmware: firmware.core.send(MotorCalibration(MotorID.HEAD, is_begun, True))
        )

    tell(True)
    try:
        outcome, result = goal.wait()
        assert (outcome, result.reason) == ("aborted", Reason.NOT_CALIBRATED)
        status.wait_for(lambda message: not message.is_head_calibrated)
        for _, name, fields in GOALS:
            outcome, result = actions[name].do(**fields)
            assert (name, outcome, result.reason) == (name, "aborted", Reason.NOT_CALIBRATED)
        world.graph.publisher(Twist, "cmd_vel").publish(twist(0.05))
        world.driver.wait_for_log("cmd_vel is refused: head or lift are being calibrated")
        assert stands(world.emulator.wait_for(stands))
    finally:
        tell(False)
    status.wait_for_new(lambda message: message.is_head_calibrated)
    assert actions["turn_in_place"].do(angle=0.3)[0] == "succeeded"


def test_a_robot_that_has_just_answered_says_that_it_calibrates_until_it_is_ready() -> None:
    with (
        # It calibrates until it is told that it has.
        running_emulator(calibration_time=100.0) as emulator,
        running_graph() as graph,
        running_driver(emulator.port, graph.namespace, auto_connect=False),
    ):
        states = graph.listen(ConnectionState, "connection_state", LATCHED)
        states.wait_for(lambda message: message.state == ConnectionState.DISCONNECTED)
        head = Action(graph, MoveHead, "move_head")
        assert head.do(angle=0.1)[1].reason == Reason.NOT_CONNECTED
        assert graph.call(Trigger, "connect").success
        reasons = [Reason.NOT_CONNECTED]

        def calibrate(firmware: Firmware) -> None:
            for motor in (MotorID.LIFT, MotorID.HEAD):
                firmware.joints._finish(motor, automatic=False)

        def succeeds() -> bool:
            result = head.do(angle=0.1)[1]
            if result.reason == Reason.NOT_CALIBRATED:
                emulator.call(calibrate)
            if result.reason != reasons[-1]:
                reasons.append(result.reason)
            return bool(result.success)

        wait_until(succeeds, f"the head does not move: {reasons}")
        assert reasons[:2] == [Reason.NOT_CONNECTED, Reason.NOT_CALIBRATED]


@pytest.mark.covers("disconnect", "connect", "connection_state")
def test_without_a_link_everything_ends_and_is_refused(
    world: World, actions: dict[str, Action]
) -> None:
    states = world.graph.listen(ConnectionState, "connection_state", LATCHED)
    goal = under_way(actions["follow_path"])
    assert world.graph.call(Trigger, "disconnect").success
    try:
        outcome, result = goal.wait()
        assert (outcome, result.reason) == ("aborted", Reason.NOT_CONNECTED)
        for _, name, fields in GOALS:
            outcome, result = actions[name].do(**fields)
            assert (name, outcome, result.reason) == (name, "aborted", Reason.NOT_CONNECTED)
        assert math.isnan(actions["go_to_pose"].do(**dict(GOALS[1][2]))[1].position_error)
    finally:
        assert world.graph.call(Trigger, "connect").success
    states.wait_for_latest(lambda message: message.state == ConnectionState.CONNECTED)
    assert actions["drive_distance"].do(distance=-0.03)[0] == "succeeded"
