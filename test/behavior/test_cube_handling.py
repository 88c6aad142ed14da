"""Tricks with cubes that manipulation knows: rolled, stacked, picked up."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from cozmo_driver.behavior.behaviors.driving import look_around
from cozmo_driver.behavior.behaviors.exploring import look_in_place
from cozmo_driver.behavior.behaviors.faces import look_for_face_and_cube
from cozmo_driver.behavior.behaviors.feeding import ask_for_food, eat
from cozmo_driver.behavior.body import Skill
from cozmo_driver.behavior.constraints import Permissions
from cozmo_driver.behavior.executor import RequestEnded, State
from cozmo_driver.behavior.needs_config import Need
from cozmo_driver.behavior.sight import SeenMap, SeenObject, Sense, Sight
from cozmo_driver.behavior.testing import FakeBody, connected_cube, run_behavior
from cozmo_driver.robot import (
    CubeEvent,
    CubeEventType,
    CubeKind,
    CubeLink,
    Pose2D,
    Reason,
    RobotError,
)

from .paper import EVERYTHING, Home, in_virtual_time

CUBES = (connected_cube(), connected_cube(CubeKind.CUBE_2, 0xC1000012, 1))


def home_with(cubes=2, skills=frozenset(Skill), permissions=EVERYTHING):
    home = Home(cubes=CUBES, permissions=permissions)
    home.body.skills = set(skills)
    for number, cube in enumerate(CUBES[:cubes]):
        home.body.places[cube.factory_id] = Pose2D(0.2, 0.1 * number)
    return home


def lay_on_side(home):
    lying = SeenObject("cube_1", Pose2D(0.2), is_upright=False)
    home.body.seen = Sight(frozenset({Sense.OBJECTS}), {"cube_1": lying})


@pytest.mark.parametrize(
    ("trick", "uses", "clip"),
    [
        (
            "PickUpAndPutDownCube",
            ["pick_up_cube cube_1", "place_cube"],
            "SparkPickupFinalCubeReaction",
        ),
        ("RollBlock", ["roll_cube cube_1"], "RollBlockSuccess"),
        ("StackBlocks", ["stack_cubes cube_1 cube_2"], "StackBlocksSuccess"),
    ],
)
@in_virtual_time
async def test_a_trick_is_done_and_the_robot_is_glad(trick, uses, clip):
    async with home_with() as home:
        if trick == "RollBlock":
            lay_on_side(home)
        assert await home.engine.run_behavior(f"Trick_{trick}") == 1
        assert home.body.done("use") == [f"use {one}" for one in uses]
        assert home.body.done(f"play {clip}")
        assert not home.inner.needs.unknown_actions


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"skills": frozenset()}, "run the manipulation node"),
        ({"cubes": 1}, "knows where 1 free cubes are, and needs 2"),
        ({"permissions": Permissions()}, "driving is not allowed"),
    ],
)
@in_virtual_time
async def test_what_a_trick_lacks_is_told(changes, why):
    async with home_with(**changes) as home:
        with pytest.raises(RequestEnded, match=why) as ended:
            await home.engine.run_behavior("Trick_StackBlocks")
        assert ended.value.reason is Reason.NOT_ALLOWED


@in_virtual_time
async def test_a_cube_that_cannot_be_rolled_fails_the_trick_with_its_reason():
    async with home_with() as home:
        lay_on_side(home)
        home.body.fails = lambda what: "it slips" if what.startswith("use") else ""
        with pytest.raises(RequestEnded, match="it slips"):
            await home.engine.run_behavior("Trick_RollBlock")


@in_virtual_time
async def test_a_withdrawn_permission_ends_a_trick():
    async with home_with() as home:
        lay_on_side(home)
        trick = asyncio.ensure_future(home.engine.run_behavior("Trick_RollBlock"))
        await home.until(lambda: home.body.done("use"))
        home.engine.constraints.permissions = Permissions()
        with pytest.raises(RequestEnded, match="driving is not allowed"):
            await trick
        assert not any(one.startswith("use") for one in home.body.busy)


@pytest.mark.parametrize("lost_after", [1.0, 2.0])
@in_virtual_time
async def test_a_cube_that_is_lost_while_it_asks_for_food_fills_by_itself_no_more(lost_after):
    body = FakeBody(cubes=CUBES[:1])
    body.accelerations[CUBES[0].factory_id] = 30.0
    asking = asyncio.ensure_future(run_behavior(ask_for_food, body))
    await asyncio.sleep(lost_after)
    body.cubes = ()
    with pytest.raises(RobotError, match="cubes were lost"):
        await asyncio.wait_for(asking, 60)
    assert not body.done("play FeedingReactFullCube")


@in_virtual_time
async def test_jerks_of_a_cube_do_not_make_it_wait_for_food_without_end():
    body = FakeBody(cubes=CUBES[:1])
    asking = asyncio.ensure_future(run_behavior(ask_for_food, body))
    for _ in range(30):
        for acceleration in (30.0, 9.81):
            body.accelerations[CUBES[0].factory_id] = acceleration
            await asyncio.sleep(0.1 if acceleration == 30.0 else 1.9)
    await asyncio.wait_for(asking, 35)
    assert not body.done("play FeedingReactFullCube")


@in_virtual_time
async def test_a_cube_that_drops_and_heals_by_itself_is_filled_and_eaten():
    async with home_with(cubes=1) as home:
        body, cube = home.body, CUBES[0]
        body.cubes, dropped = (cube,), (replace(cube, link=CubeLink.LOST),)
        body.seen = Sight(frozenset({Sense.OBJECTS}))
        body.accelerations[cube.factory_id] = 30.0
        for kind, step, done in (
            (ask_for_food, "sees that somebody shakes a cube", "play FeedingReactFullCube"),
            (eat, "eats, 1 of 4", "play FeedingAte"),
        ):
            name = next(b.id for b in home.engine.behaviors.values() if b.kind is kind)
            meal = asyncio.ensure_future(home.engine.run_behavior(name))
            await home.until(lambda step=step: home.now.step == step, 60)
            body.cubes = dropped
            await asyncio.sleep(0.5)
            body.cubes = (cube,)
            assert await meal == 1
            assert body.done(done)


@pytest.mark.parametrize(
    ("senses", "skills", "permissions", "goes_to_eat"),
    [
        ({Sense.OBJECTS}, {Skill.ALIGN}, EVERYTHING, True),
        ({Sense.OBJECTS}, {Skill.ALIGN}, Permissions(), False),
        ({Sense.OBJECTS}, {}, EVERYTHING, False),
        ({}, {Skill.ALIGN}, EVERYTHING, False),
    ],
)
@in_virtual_time
async def test_where_it_cannot_go_to_the_full_cube_it_is_fed_by_the_shaking(
    senses, skills, permissions, goes_to_eat
):
    async with home_with(cubes=1, skills=skills, permissions=permissions) as home:
        home.body.seen = Sight(frozenset(senses))
        home.inner.needs.set_level(Need.ENERGY, 0.1, home.loop.time())
        home.body.accelerations[CUBES[0].factory_id] = 30.0
        assert await home.engine.run_behavior("Feeding_Ask") == 1
        assert home.body.done("play FeedingReactFullCube")
        if not goes_to_eat:
            assert home.inner.level("Energy") > 0.3
            assert home.body.done("play FeedingAte")
        else:
            assert home.inner.level("Energy") < 0.15
            assert await home.engine.run_behavior("Feeding_Eat") == 1
            assert home.inner.level("Energy") > 0.3


@in_virtual_time
async def test_a_meal_is_not_broken_between_its_parts_by_another_severe_need():
    async with home_with(cubes=1) as home:
        needs = home.inner.needs
        home.body.seen = Sight(frozenset({Sense.OBJECTS}))
        needs.set_level(Need.ENERGY, 0.02, home.loop.time())
        await home.until(lambda: home.now.step == "waits for a cube to be shaken")
        needs.set_level(Need.REPAIR, 0.02, home.loop.time())
        home.body.accelerations[CUBES[0].factory_id] = 30.0
        await home.until(lambda: home.now.behavior_id != "Feeding_Ask", 60)
        assert home.body.done("play FeedingReactFullCube")
        assert home.chosen("behavior")[-1] in ("Feeding_Search", "Feeding_Eat")
        await home.until(lambda: home.now.activity == "NeedsSevereRepair", 60)
        assert home.inner.level("Energy") > 0.2


@in_virtual_time
async def test_of_a_full_cube_that_is_seen_nowhere_it_eats_where_it_is():
    async with home_with(cubes=0) as home:
        home.body.seen = Sight(frozenset({Sense.OBJECTS}))
        home.inner.needs.set_level(Need.ENERGY, 0.1, home.loop.time())
        home.body.accelerations[CUBES[0].factory_id] = 30.0
        assert await home.engine.run_behavior("Feeding_Ask") == 1
        assert home.inner.level("Energy") < 0.15
        assert await home.engine.run_behavior("Feeding_Search") == 1
        assert home.body.done("play FeedingSearchFailure")
        assert home.inner.level("Energy") > 0.3
        with pytest.raises(RequestEnded, match="no cube is full"):
            await home.engine.run_behavior("Feeding_Search")


@pytest.mark.parametrize("is_requested", [True, False])
@in_virtual_time
async def test_a_poke_after_its_meal_does_not_make_it_ask_for_another(is_requested):
    async with home_with(cubes=1, permissions=Permissions()) as home:
        fed = None
        home.body.accelerations[CUBES[0].factory_id] = 30.0
        if is_requested:
            fed = asyncio.ensure_future(home.engine.run_behavior("Feeding_Ask"))
        else:
            home.inner.needs.set_level(Need.ENERGY, 0.02, home.loop.time())
        await home.until(lambda: home.now.step.startswith("plays FeedingAte"))
        home.body.accelerations.clear()
        home.inner.request_reaction("RobotPoked")
        await home.until(lambda: home.now.reaction == "RobotPoked", 5)
        await home.until(lambda: home.now.behavior_id not in ("Feeding_Ask", "ReactToPoke"), 15)
        assert len(home.body.done("play FeedingPlayRequestAtFace")) == 1
        assert fed is None or await fed == 1
        assert await home.engine.run_behavior("Feeding_Ask") == 1
        assert len(home.body.done("play FeedingPlayRequestAtFace")) == 2


@in_virtual_time
async def test_food_that_was_taken_once_is_eaten_the_next_time():
    async with home_with(cubes=1) as home:
        eaten = next(b.id for b in home.engine.behaviors.values() if b.kind is eat)
        home.body.seen = Sight(frozenset({Sense.OBJECTS}))
        still = home.body.cubes
        moving = (replace(CUBES[0], is_moving=True),)

        def put_lift_on():
            return len(home.body.done("play FeedingPlaceLiftOnCube"))

        def begin_meal():
            home.engine.situation.memory["feeding"] = {"full": CUBES[0].factory_id}
            home.body.cubes = moving
            return home.engine.run_behavior(eaten)

        with pytest.raises(RequestEnded, match="took its food away"):
            await begin_meal()
        await asyncio.sleep(5.0)
        meal = asyncio.ensure_future(begin_meal())
        await home.until(lambda: meal.done() or put_lift_on() == 2, 60)
        await asyncio.sleep(0.2)
        home.body.cubes = still
        assert await meal == 1


TAPPED = {
    "Cubes_TapGame": "plays the tapping game, 1 of 3",
    "Trick_CubeLiftWorkout": "picks up cube 1",
    "Trick_PickUpAndPutDownCube": "picks up cube 1",
    "Trick_AlignWithCube": "stands before a cube",
    "Feeding_Ask": "waits for a cube to be shaken",
    "Feeding_Eat": "eats, 1 of 4",
    "Music_Sing": "sings",
}
"""What goes on while taps are felt that are played with, or are the robot's or a shaker's own."""


@pytest.mark.parametrize("name", TAPPED)
@in_virtual_time
async def test_taps_that_belong_to_what_it_does_do_not_interrupt_it(name):
    async with home_with(cubes=1) as home:
        home.body.seen = Sight(frozenset({Sense.OBJECTS}))
        home.engine.situation.memory["feeding"] = {"full": CUBES[0].factory_id}
        doing = asyncio.ensure_future(home.engine.run_behavior(name))
        await home.until(lambda: home.now.step == TAPPED[name] or doing.done(), 60)
        home.body.events.add(CubeEvent(home.loop.time(), CubeEventType.TAPPED, CUBES[0], 80))
        assert await doing == 1
        assert home.now.reaction != "CubeTapped"
        assert "ReactToCubeTapped" not in home.chosen("reaction")


def floor_all_seen():
    return Sight(frozenset(Sense), map=SeenMap((-1.0, -1.0), 0.1, 20, [0] * 400))


@pytest.mark.parametrize("is_carrying", [True, False])
@pytest.mark.parametrize("kind", [look_around, look_in_place, look_for_face_and_cube])
@in_virtual_time
async def test_looking_around_with_a_cube_it_holds_it_up(kind, is_carrying):
    body = FakeBody(cubes=CUBES)
    body.seen = floor_all_seen()
    body.feel(is_carrying=is_carrying)
    await run_behavior(kind, body)
    assert bool(body.done("move_lift")) is not is_carrying


@in_virtual_time
async def test_asleep_with_a_cube_it_holds_it_up_and_it_hunts_nothing_with_one():
    async with home_with(permissions=Permissions(motion=True)) as home:
        home.body.seen = floor_all_seen()
        home.body.feel(is_carrying=True)
        with pytest.raises(RequestEnded, match="it carries a cube"):
            await home.engine.run_behavior("Motion_Pounce")
        home.body.feel(is_on_charger=True)
        await home.until(lambda: home.now.state is State.ASLEEP)
        assert not home.body.done("move_lift")
