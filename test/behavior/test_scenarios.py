"""Scenarios of spec 12 §12 that need a robot on the wire, in virtual time."""

from __future__ import annotations

import asyncio
import math

import pytest

from cozmo_driver.behavior.executor import State
from cozmo_driver.behavior.system import load_behavior_system
from cozmo_driver.emulator import Posture
from cozmo_driver.protocol.messages import BodyMotion
from cozmo_driver.robot import OffTreads, Pose2D

from ..robot.hands import act, is_standing, truth, with_robot
from .alive import ON_A_TABLE, alive
from .paper import OWN, Home, in_virtual_time
from .trees import tree_with


async def until_it_lives(world, life):
    await world.until(lambda: life.now.state is State.RUNNING, 60)


@with_robot(ON_A_TABLE)
async def test_an_edge_stops_it_it_backs_away_goes_on_with_what_it_did_and_never_falls(world):
    async with alive(world) as life:
        task = asyncio.ensure_future(life.engine.run_behavior("Alone_Wander", -1))
        await world.until(lambda: life.now.reaction == "CliffDetected", 600)
        await world.until(lambda: is_standing(world), 1.0)
        at_the_edge = truth(world)
        await world.until(lambda: world.robot.state.is_cliff_detected, 1.0)
        await world.until(lambda: life.now.step == "plays ReactToCliff", 5)
        await world.until(lambda: life.now.reaction == "", 30)
        moved = at_the_edge.inverse().compose(truth(world))
        assert moved.x == pytest.approx(-0.060, abs=0.012)
        assert not world.robot.state.is_cliff_detected
        assert [one.chosen for one in life.decisions("resume")] == ["Alone_Wander"]
        assert life.now.behavior_id == "Alone_Wander"
        await world.pass_time(15)
        task.cancel()
        where = truth(world)
        assert abs(where.x) < 0.30
        assert abs(where.y) < 0.20
        assert world.robot.state.off_treads is OffTreads.ON_TREADS


@with_robot()
async def test_lifted_for_a_while_it_looks_about_in_the_hand_and_begins_anew_when_put_down(world):
    async with alive(world) as life:
        await until_it_lives(world, life)
        resumed = len(life.decisions("resume"))
        act(world, lambda f: f.handling.pick_up())
        lifted = world.loop.time()
        await world.until(lambda: len(life.times_of("plays ReactToPickup")) == 2, 20)
        first, second = life.times_of("plays ReactToPickup")
        assert first - lifted == pytest.approx(0.5, abs=0.2)
        waited = [time for time, step in life.steps if step.startswith("waits") and time > first]
        assert 3.0 <= second - waited[0] <= 6.2
        act(world, lambda f: f.handling.put_down())
        await world.until(lambda: "ReturnedToTreads" in life.reactions(), 5)
        await until_it_lives(world, life)
        assert len(life.decisions("resume")) == resumed


@pytest.mark.parametrize(
    ("posture", "trigger", "delay", "step"),
    [
        (Posture.LEFT, "RobotOnSide", 0.25, "plays ReactToOnLeftSide"),
        (Posture.RIGHT, "RobotOnSide", 0.25, "plays ReactToOnRightSide"),
        (Posture.FACE, "RobotOnFace", 0.25, "plays FacePlantRoll"),
        (Posture.BACK, "RobotOnBack", 1.0, "plays FlipDownFromBack"),
    ],
)
@with_robot()
async def test_laid_down_it_knows_how_it_lies(world, posture, trigger, delay, step):
    async with alive(world) as life:
        await until_it_lives(world, life)
        await world.robot.joints.move_lift(0.06)
        act(world, lambda f: f.handling.put(posture))
        laid = world.loop.time()
        # The robot is lifted first, and its filters need a moment for a new direction of gravity.
        await world.until(lambda: trigger in life.reactions(), delay + 1.0)
        assert world.loop.time() - laid >= delay
        await world.until(lambda: life.times_of(step), 5)
        act(world, lambda f: f.handling.put_down())
        await until_it_lives(world, life)


@pytest.mark.parametrize(("seconds", "level"), [(1.0, "Soft"), (6.0, "Hard")])
@with_robot()
async def test_the_longer_it_is_shaken_the_dizzier_it_is(world, seconds, level):
    async with alive(world) as life:
        await until_it_lives(world, life)
        act(world, lambda f: f.handling.pick_up())
        await world.until(lambda: life.now.reaction == "RobotPickedUp", 5)
        act(world, lambda f: f.handling.shake(seconds))
        await world.until(lambda: life.now.reaction == "RobotShaken", 5)
        await world.pass_time(seconds + 2.0)
        act(world, lambda f: f.handling.put_down())
        await world.until(lambda: life.now.step.startswith("plays DizzyReaction"), 20)
        assert life.now.step == f"plays DizzyReaction{level}"


@with_robot()
async def test_held_while_it_turns_it_notices_within_some_states(world):
    async with alive(world) as life:
        task = asyncio.ensure_future(life.engine.run_behavior("Alone_Turn", -1))
        await world.until(lambda: _is_turning(world), 60)
        act(world, lambda f: f.ground.hold(True))
        held = world.loop.time()
        await world.until(lambda: life.now.reaction == "UnexpectedMovement", 3)
        assert world.loop.time() - held < 0.9
        act(world, lambda f: f.ground.hold(False))
        task.cancel()


@pytest.mark.parametrize(("impact", "complains"), [(500.0, False), (1500.0, True)])
@with_robot()
async def test_only_a_hard_fall_is_complained_of_once_the_motors_are_calibrated(
    world, impact, complains
):
    async with alive(world) as life:
        await until_it_lives(world, life)
        act(world, lambda f: f.handling.fall(impact, Posture.FLAT))
        await world.until(lambda: life.now.reaction == "RobotFalling", 5)
        await world.until(lambda: life.now.reaction != "RobotFalling", 30)
        played = life.times_of("plays ReactToImpact")
        assert bool(played) is complains
        if complains:
            assert played[0] > life.times_of("waits for its motors")[0]
        await until_it_lives(world, life)


@in_virtual_time
async def test_a_class_that_nobody_implements_is_listed_and_never_chosen(tmp_path):
    files = {
        "behaviorSystem/behaviors/x.json": {"behaviorID": "X", "behaviorClass": "TeleportCube"},
        "behaviorSystem/activities/x.json": {
            "activityID": "PlayAlone",
            "activityType": "BehaviorsOnly",
            "behaviorChooser": {"type": "StrictPriority", "behaviors": ["X", "Alone_Think"]},
        },
    }
    system = load_behavior_system([tree_with(tmp_path, files), OWN])
    async with Home(system=system) as home:
        assert "TeleportCube" in home.engine.behaviors["X"].missing
        await home.until(lambda: home.now.behavior_id == "Alone_Think")
        decisions = [str(one) for one in home.engine.trace.decisions]
        assert "X" not in [one.chosen for one in home.engine.trace.decisions]
        assert any("X: nothing implements the class" in one for one in decisions)


@with_robot()
async def test_a_command_ends_a_reaction_at_once_and_life_pauses(world):
    async with alive(world) as life:
        await until_it_lives(world, life)
        act(world, lambda f: f.handling.poke())
        await world.until(lambda: life.now.step.startswith("plays Poke"), 10)
        life.engine.suspend("cmd_vel")
        world.robot.motion.drive(0.05, 0.0)
        await world.until(lambda: (life.now.state, life.now.reaction) == (State.SUSPENDED, ""), 0.2)
        for _ in range(30):
            world.robot.motion.drive(0.05, 0.0)
            await asyncio.sleep(0.1)
            assert life.now.state is State.SUSPENDED
            assert not world.robot.clip
        world.robot.motion.drive(0.0, 0.0)
        life.engine.resume("cmd_vel")
        released = world.loop.time()
        await until_it_lives(world, life)
        assert world.loop.time() - released >= 2.0


@with_robot()
async def test_a_low_battery_makes_it_ask_to_be_charged_and_drive_no_more(world):
    async with alive(world) as life:
        await until_it_lives(world, life)
        act(world, lambda f: f.battery.set_charge(3.45))
        await world.until(lambda: life.now.behavior_id == "LowBattery_Ask", 60)
        await world.until(lambda: life.now.step == "plays BatteryLow", 10)
        await world.until(lambda: is_standing(world), 2)
        start, sent = truth(world), len(world.wire.received(BodyMotion))
        for _ in range(30):
            await world.pass_time(0.5)
            assert is_standing(world)
        assert truth(world) == start
        assert len(world.wire.received(BodyMotion)) == sent
        act(world, lambda f: f.handling.put_on_charger(True))
        await world.until(lambda: life.now.reaction == "PlacedOnCharger", 20)
        assert "is charged" in life.engine.constraints.why_not_undock(life.body.senses)


@with_robot()
async def test_a_link_lost_during_a_behaviour_ends_it_and_life_begins_anew_with_the_link(world):
    async with alive(world) as life:
        task = asyncio.ensure_future(life.engine.run_behavior("Hiking_Walk", -1))
        await world.until(lambda: world.robot.state.are_wheels_moving, 60)
        began = len(life.states)
        await world.reconnect()
        assert any(seen.state is State.IDLE for seen in life.states[began:])
        await asyncio.wait([task])
        assert task.exception() is not None
        await until_it_lives(world, life)
        where = truth(world)
        await world.until(lambda: _far(truth(world), where) > 0.02, 300)


def _is_turning(world) -> bool:
    state = world.robot.state
    return state.left_wheel_speed * state.right_wheel_speed < -(0.03**2)


def _far(a: Pose2D, b: Pose2D) -> float:
    return math.dist((a.x, a.y), (b.x, b.y))
