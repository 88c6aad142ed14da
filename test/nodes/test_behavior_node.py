"""The node ``cozmo_behavior`` over the graph, with a driver and its robot."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from action_msgs.msg import GoalStatus, GoalStatusArray
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import Twist
from rclpy.qos import qos_profile_action_status_default

from cozmo_driver.behavior.node import NODE_NAME
from cozmo_interfaces.action import MoveHead, PlayAnimation
from cozmo_interfaces.msg import BehaviorState, Expression, Mood, Needs, Reason, RobotStatus
from cozmo_interfaces.srv import ApplyNeedAction, ListBehaviors, TriggerReaction

from .conftest import World
from .goals import Action
from .graph import LATCHED, Graph, running_graph, running_node, twist
from .personality import Life, living

State = BehaviorState


@pytest.fixture(scope="module")
def module_life(world: World) -> Iterator[Life]:
    with living(world) as life:
        yield life


@pytest.fixture
def life(module_life: Life) -> Iterator[Life]:
    """Return a personality that is switched on for a test."""
    module_life.enable(True)
    yield module_life
    module_life.enable(False)
    module_life.wait_for_wheels(False)


def lives(message: State) -> bool:
    return message.state == State.RUNNING and bool(message.behavior_id and message.activity)


@pytest.mark.covers("behavior/enable", "behavior/state", "enabled")
def test_it_does_nothing_until_it_is_enabled(module_life: Life) -> None:
    states = module_life.states()
    assert states.messages[-1].state == State.DISABLED
    answer = module_life.enable(True)
    assert (answer.success, answer.message) == (True, "the personality is switched on")
    alive = states.wait_for(lives)
    assert alive.is_enabled
    assert alive.is_motion_allowed
    assert alive.header.stamp.sec > 0
    module_life.enable(False)
    off = states.wait_for_latest(
        lambda message: message.state == State.DISABLED and not message.activity
    )
    assert (off.behavior_id, off.is_enabled) == ("", False)


@pytest.mark.covers("behavior/state")
def test_its_own_goals_are_not_those_of_others(life: Life) -> None:
    states, status = life.states(), life.graph.listen(RobotStatus, "status")
    life.ask("PlayArbitraryAnim", animations=["Nod"]).wait()
    status.wait_for(lambda message: message.is_animating)
    goal = life.ask("Alone_Turn")
    life.wait_for_wheels(True)
    goal.wait()
    assert not [one for one in states.messages if one.state == State.SUSPENDED]


@pytest.mark.covers("behavior/run", "behavior/state")
def test_a_behavior_runs_as_often_as_asked_and_tells_how_far_it_is(life: Life) -> None:
    states = life.states()
    goal = life.ask("PlayArbitraryAnim", run_count=2, animations=["Nod"])
    states.wait_for(
        lambda message: (message.state, message.behavior_id)
        == (State.REQUESTED, "PlayArbitraryAnim")
    )
    outcome, result = goal.wait()
    assert (outcome, result.success, result.runs_completed) == ("succeeded", True, 2), result
    steps = {(m.behavior_id, m.step) for m in goal.feedback.messages}
    assert ("PlayArbitraryAnim", "plays Nod") in steps
    assert {m.runs_completed for m in goal.feedback.messages} == {0, 1, 2}


@pytest.mark.covers("behavior/run")
def test_what_cannot_be_run_is_refused_and_nothing_is_while_it_is_switched_off(life: Life) -> None:
    for behavior_id, reason in (("Fly", Reason.NOT_FOUND), ("Alone_Think", Reason.NOT_ALLOWED)):
        outcome, result = life.ask(behavior_id).wait()
        assert (outcome, result.success, result.reason) == ("aborted", False, reason), result
        life.enable(False)


@pytest.mark.covers("cmd_vel", "quiet_time")
def test_whoever_drives_gets_the_wheels_at_once_and_life_goes_on_afterwards(life: Life) -> None:
    states, status = life.states(), life.graph.listen(RobotStatus, "status")
    goal = life.ask("Alone_Wander", run_count=-1)
    life.wait_for_wheels(True)
    wheel = life.graph.publisher(Twist, "cmd_vel", 1)
    command = twist(0.05)

    def is_suspended(_: RobotStatus) -> bool:
        # The first commands may come before the node knows of their publisher.
        wheel.publish(command)
        return any(message.suspended_by == "cmd_vel" for message in states.messages)

    status.wait_for(is_suspended)
    suspended = next(one for one in states.messages if one.suspended_by == "cmd_vel")
    assert suspended.state == State.SUSPENDED

    def drives_as_told(message: RobotStatus) -> bool:
        wheel.publish(command)
        speeds = message.left_wheel_speed, message.right_wheel_speed
        return speeds == pytest.approx((0.05, 0.05), abs=0.005)

    status.clear()
    status.wait_for(drives_as_told)
    outcome, result = goal.wait()
    assert (outcome, result.reason) == ("aborted", Reason.CANCELED)
    # Cleared before the last command: life may go on before the wait for it begins.
    states.clear()
    wheel.publish(Twist())
    states.wait_for(lives)


@pytest.mark.covers("behavior/state", "quiet_time")
def test_it_gives_way_to_the_goals_of_others(life: Life) -> None:
    states = life.states()
    # While it waits it sends no goals of its own.
    waiting = life.ask("NothingToDo_Wait", run_count=-1)
    states.wait_for(lambda message: message.behavior_id == "NothingToDo_Wait")
    goal = Action(life.graph, PlayAnimation, "play_animation").send(name="Nod", loop_count=0)
    states.wait_for(lambda message: message.suspended_by == "play_animation")
    Action(life.graph, MoveHead, "move_head").do(angle=0.3)
    goal.cancel()
    goal.wait()
    # What is done with objects, also between two movements.
    others = life.graph.publisher(
        GoalStatusArray, "follow_object/_action/status", qos_profile_action_status_default
    )
    status = GoalStatus(status=GoalStatus.STATUS_EXECUTING)
    others.publish(GoalStatusArray(status_list=[status]))
    states.wait_for(lambda message: message.suspended_by == "follow_object")
    others.publish(GoalStatusArray())
    waiting.try_to_cancel()
    states.wait_for_latest(lives)


@pytest.mark.covers("behavior/mood", "mood_on_face", "events")
def test_a_robot_that_is_lifted_and_shaken_reacts_feels_it_and_shows_it(life: Life) -> None:
    states = life.states()
    faces = life.graph.listen(Expression, "face/expression")
    moods = life.graph.listen(Mood, "behavior/mood", LATCHED)
    moods.wait_for(lambda message: abs(message.calm) < 0.2)
    life.act(lambda f: f.handling.pick_up())
    try:
        lifted = states.wait_for(lambda message: message.reaction == "RobotPickedUp")
        assert (lifted.state, lifted.behavior_id) == (State.REACTING, "ReactToPickup")
        life.act(lambda f: f.handling.shake(2.0))
        states.wait_for(lambda message: message.reaction == "RobotShaken")
        moods.wait_for(lambda message: message.calm < -0.3)
        faces.wait_for(lambda message: message.name == "Annoyance")
        life.change(mood_on_face=False)
        faces.wait_for_latest(lambda message: message.name == "Neutral")
    finally:
        life.change(mood_on_face=True)
        life.act(lambda f: f.handling.put_down())
    states.wait_for_latest(lives)


@pytest.mark.covers("behavior/trigger_reaction")
def test_a_reaction_is_raised_by_its_name_unless_nobody_knows_it_or_it_cannot_be(
    life: Life,
) -> None:
    states = life.states()
    states.wait_for(lives)
    # What needs eyes is raised by this service only.
    answer = trigger(life.graph, "PetInitialDetection")
    assert (answer.success, answer.behavior_id) == (True, "Seen_Pet"), answer
    states.wait_for(lambda message: message.reaction == "PetInitialDetection")
    answer = trigger(life.graph, "Applause")
    assert (answer.success, answer.reason) == (False, Reason.NOT_FOUND)
    life.enable(False)
    answer = trigger(life.graph, "RobotPoked")
    assert (answer.success, answer.reason) == (False, Reason.NOT_ALLOWED)


def trigger(graph: Graph, name: str) -> TriggerReaction.Response:
    request = TriggerReaction.Request(reaction=name)
    return graph.call(TriggerReaction, "behavior/trigger_reaction", request)


@pytest.mark.covers("behavior/list")
def test_everything_it_knows_is_listed_with_what_it_waits_for(life: Life) -> None:
    life.states().wait_for(lives)
    answer = life.graph.call(ListBehaviors, "behavior/list")
    infos = {info.behavior_id: info for info in answer.behaviors}
    assert list(infos) == sorted(infos)
    think, sleep = infos["Alone_Think"], infos["Charger_Sleep"]
    assert think.is_supported
    assert list(think.animations)
    assert (sleep.is_supported, sleep.is_runnable) == (True, False)
    assert "charger" in sleep.message
    assert {"Freeplay", "PlayAlone", "SparkSinging"} <= set(answer.activities)
    assert answer.reactions[0] == "CliffDetected"
    assert "Feed" in answer.need_actions
    request = ListBehaviors.Request(filter="Alone_*")
    found = life.graph.call(ListBehaviors, "behavior/list", request).behaviors
    assert {info.behavior_id.split("_")[0] for info in found} == {"Alone"}


@pytest.mark.covers("behavior/apply_need_action", "behavior/needs")
def test_needs_are_served_by_actions(life: Life) -> None:
    needs = life.graph.listen(Needs, "behavior/needs", LATCHED)
    before = needs.wait_for(lambda _: True)
    request = ApplyNeedAction.Request(action="Fell")
    answer = life.graph.call(ApplyNeedAction, "behavior/apply_need_action", request)
    assert (answer.success, answer.reason) == (True, Reason.NONE), answer
    assert answer.needs.repair < before.repair
    needs.wait_for(lambda message: message.repair == answer.needs.repair)
    again = life.graph.call(ApplyNeedAction, "behavior/apply_need_action", request)
    assert (again.success, again.reason) == (False, Reason.BUSY)
    request = ApplyNeedAction.Request(action="Sunbathe")
    answer = life.graph.call(ApplyNeedAction, "behavior/apply_need_action", request)
    assert (answer.success, answer.reason) == (False, Reason.NOT_FOUND)


@pytest.mark.covers("allow_motion", "behavior/enable")
def test_switched_off_or_no_longer_allowed_to_drive_the_robot_stands(life: Life) -> None:
    states = life.states()
    for forbid in (lambda: life.change(allow_motion=False), lambda: life.enable(False)):
        goal = life.ask("Alone_Wander", run_count=-1)
        life.wait_for_wheels(True)
        forbid()
        life.wait_for_wheels(False)
        outcome, result = goal.wait()
        life.change(allow_motion=True)
        assert (outcome, result.reason) == ("aborted", Reason.CANCELED), result
    states.wait_for(lambda message: not message.is_motion_allowed)


@pytest.mark.covers("allow_leaving_charger", "behavior/run")
def test_on_its_charger_it_never_turns_its_treads_without_leave(life: Life) -> None:
    status = life.graph.listen(RobotStatus, "status")
    # What happens meanwhile is not reacted to.
    life.enable(False)
    life.act(lambda f: f.battery.put_on_charger(True))
    try:
        status.wait_for(lambda message: message.is_on_charger)
        life.enable(True)
        outcome, result = life.ask("Charger_DriveOff").wait()
        assert (outcome, result.reason) == ("aborted", Reason.NOT_ALLOWED)
        assert not life.act(lambda f: f.wheels.moving)
        life.change(allow_leaving_charger=True)
        goal = life.ask("Charger_DriveOff")
        life.wait_for_wheels(True)
        goal.cancel()
        goal.wait()
    finally:
        life.change(allow_leaving_charger=False)
        life.act(lambda f: f.battery.put_on_charger(False))


@pytest.mark.covers("activity", "spark")
def test_activities_and_sparks_are_asked_for_by_parameters(life: Life) -> None:
    states = life.states()
    states.wait_for(lives)
    life.change(activity="NothingToDo")
    states.wait_for(lambda message: message.activity == "NothingToDo")
    life.change(activity="", spark="Singing")
    states.wait_for(lambda message: message.activity == "SparkSinging")
    life.change(spark="")
    reason = life.change(activity="Gardening")
    assert "there is no activity 'Gardening'; there are" in reason
    assert "there is no spark 'Flying'; there are Dancing, " in life.change(spark="Flying")


@pytest.mark.covers("quiet_hours")
def test_in_quiet_hours_it_dozes(life: Life) -> None:
    states = life.states()
    states.wait_for(lives)
    life.change(quiet_hours=[0.0, 24.0])
    states.wait_for(lambda message: message.activity == "QuietHours")
    life.change(quiet_hours=[0.0, 0.0])
    states.wait_for_latest(lambda message: message.activity not in ("", "QuietHours"))
    assert "between 0 and 24 h, not 25" in life.change(quiet_hours=[1.0, 25.0])


@pytest.mark.covers("quiet_hours")
def test_quiet_hours_are_told_with_the_time_that_they_go_by(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TZ", "XYZ-5:30")
    with (
        running_graph() as graph,
        running_node("behavior_node", graph.namespace, quiet_hours=[22.5, 7.0]) as process,
    ):
        process.wait_for_log("quiet hours 22.5 to 7, it is ")
        assert re.search(r"it is \d\d:\d\d \(XYZ\)", process.log)
        graph.set(NODE_NAME, quiet_hours=[0.0, 0.0])
        process.wait_for_log("no quiet hours")


@pytest.mark.covers("low_battery", "charged_battery")
def test_with_a_low_battery_it_asks_to_be_charged(life: Life) -> None:
    states = life.states()
    states.wait_for(lives)
    life.change(low_battery=4.2, charged_battery=4.2)
    states.wait_for(lambda message: message.activity == "LowBattery")
    life.change(low_battery=3.4, charged_battery=3.4)
    states.wait_for_latest(lambda message: message.activity not in ("", "LowBattery"))
    life.change(low_battery=3.55, charged_battery=3.7)


@pytest.mark.covers("/diagnostics")
def test_diagnostics_tell_what_is_missing(module_life: Life) -> None:
    reports = module_life.graph.listen(DiagnosticArray, "/diagnostics")
    own = f"{module_life.graph.namespace.strip('/')}/{NODE_NAME}: "
    report = reports.wait_for(lambda message: message.status[0].name.startswith(own))
    status = {one.name.removeprefix(own): one for one in report.status}
    assert set(status) == {"life", "behaviors", "node"}
    assert status["node"].message == "no faults"
    assert status["behaviors"].level == DiagnosticStatus.OK, status["behaviors"]
    values = {one.key: one.value for one in status["behaviors"].values}
    assert "SingingGetIn" in values["triggers without a clip"]
