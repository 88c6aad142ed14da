"""Scenarios of spec 12 §12 that need a robot on the wire, in virtual time."""

from __future__ import annotations

import asyncio

import pytest

from cozmo_driver.animation import cube_lights_of
from cozmo_driver.behavior.executor import State
from cozmo_driver.emulator import Posture
from cozmo_driver.protocol.messages import BodyMotion
from cozmo_driver.robot import OffTreads
from cozmo_driver.robot.lights import CUBE_BUDGET, cube_messages

from ..robot.hands import act, is_standing, truth, with_robot
from .alive import ON_A_TABLE, Personality, assets


async def until_it_lives(world, life):
    await world.until(lambda: life.now.state is State.RUNNING, 60)


async def until_cubes_are_connected(world):
    await world.until(lambda: any(cube.is_connected for cube in world.robot.cubes.all), 30)


@with_robot(ON_A_TABLE)
async def test_an_edge_stops_it_it_backs_away_goes_on_with_what_it_did_and_never_falls(world):
    async with Personality(world) as life:
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
        assert life.resumed() == ["Alone_Wander"]
        assert life.now.behavior_id == "Alone_Wander"
        await world.pass_time(15)
        task.cancel()
        where = truth(world)
        assert abs(where.x) < 0.30
        assert abs(where.y) < 0.20
        assert world.robot.state.off_treads is OffTreads.ON_TREADS


@with_robot()
async def test_lifted_for_a_while_it_looks_about_in_the_hand_and_begins_anew_when_put_down(world):
    async with Personality(world) as life:
        await until_it_lives(world, life)
        resumed = life.resumed()
        act(world, lambda f: f.handling.pick_up())
        lifted = world.loop.time()
        await world.until(lambda: len(life.times_of("plays ReactToPickup")) == 2, 20)
        first, second = life.times_of("plays ReactToPickup")
        assert first - lifted == pytest.approx(0.5, abs=0.2)
        waited = [time for time, step in life.steps if step.startswith("waits") and time > first]
        assert 3.0 <= second - waited[0] <= 6.2
        act(world, lambda f: f.handling.put_down())
        await world.until(lambda: life.has_reacted_to("ReturnedToTreads"), 5)
        await until_it_lives(world, life)
        assert life.resumed() == resumed


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
    async with Personality(world) as life:
        await until_it_lives(world, life)
        await world.robot.joints.move_lift(0.06)
        act(world, lambda f: f.handling.put(posture))
        laid = world.loop.time()
        # The robot is lifted first, and its filters need a moment for a new direction of gravity.
        await world.until(lambda: life.has_reacted_to(trigger), delay + 1.0)
        assert world.loop.time() - laid >= delay
        await world.until(lambda: life.times_of(step), 5)
        act(world, lambda f: f.handling.put_down())
        await until_it_lives(world, life)


@pytest.mark.parametrize(("seconds", "level"), [(1.0, "Soft"), (6.0, "Hard")])
@with_robot()
async def test_the_longer_it_is_shaken_the_dizzier_it_is(world, seconds, level):
    async with Personality(world) as life:
        await until_it_lives(world, life)
        act(world, lambda f: f.handling.pick_up())
        await world.until(lambda: life.now.reaction == "RobotPickedUp", 5)
        act(world, lambda f: f.handling.shake(seconds))
        await world.until(lambda: life.now.reaction == "RobotShaken", 5)
        await world.pass_time(seconds + 2.0)
        act(world, lambda f: f.handling.put_down())
        await world.until(lambda: life.now.step.startswith("plays DizzyReaction"), 20)
        assert life.now.step == f"plays DizzyReaction{level}"


def is_turning(state):
    return state.left_wheel_speed * state.right_wheel_speed < -(0.03**2)


@with_robot()
async def test_held_while_it_turns_it_notices_within_some_states(world):
    async with Personality(world) as life:
        task = asyncio.ensure_future(life.engine.run_behavior("Alone_Turn", -1))
        await world.until(lambda: is_turning(world.robot.state), 60)
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
    async with Personality(world) as life:
        await until_it_lives(world, life)
        act(world, lambda f: f.handling.fall(impact, Posture.FLAT))
        await world.until(lambda: life.now.reaction == "RobotFalling", 5)
        await world.until(lambda: life.now.reaction != "RobotFalling", 30)
        played = life.times_of("plays ReactToImpact")
        assert bool(played) is complains
        if complains:
            assert played[0] > life.times_of("waits for its motors")[0]
        await until_it_lives(world, life)


@with_robot()
async def test_a_low_battery_makes_it_ask_to_be_charged_and_drive_no_more(world):
    async with Personality(world) as life:
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
    async with Personality(world) as life:
        task = asyncio.ensure_future(life.engine.run_behavior("Hiking_Walk", -1))
        await world.until(lambda: world.robot.state.are_wheels_moving, 60)
        began = len(life.states)
        await world.reconnect()
        assert any(seen.state is State.IDLE for seen in life.states[began:])
        await asyncio.wait([task])
        assert task.exception() is not None
        await until_it_lives(world, life)
        await world.until(lambda: world.robot.state.are_wheels_moving, 300)


@with_robot()
async def test_a_tapped_cube_answers_with_light(world):
    async with Personality(world) as life:
        await until_cubes_are_connected(world)
        await until_it_lives(world, life)
        cube = next(cube for cube in world.robot.cubes.all if cube.kind == 1)
        first, *_ = assets().library.cube_lights["tapped"]
        _, flash, _ = cube_messages(cube.slot, cube.kind, cube_lights_of(first), CUBE_BUDGET)
        assert flash not in world.wire.received(type(flash))
        act(world, lambda f: f.handling.tap(1))
        await world.until(lambda: life.now.reaction == "CubeTapped", 10)
        await world.until(lambda: flash in world.wire.received(type(flash)), 5)
        await world.until(lambda: life.now.reaction == "", 60)


@pytest.mark.parametrize("name", ["Alone_Wander", "Hiking_Walk", "Music_Dance", "Cubes_GuardDog"])
@with_robot()
async def test_cancelled_on_the_robot_it_stands_still(world, name):
    async with Personality(world) as life:
        await until_cubes_are_connected(world)
        task = asyncio.ensure_future(life.engine.run_behavior(name))
        await world.until(lambda: life.now.behavior_id == name, 30)
        await world.pass_time(0.7)
        task.cancel()
        life.engine.enable(False)
        await world.until(lambda: is_standing(world), 2.0)
        await world.pass_time(2.0)
        assert is_standing(world)
        assert not world.robot.clip
