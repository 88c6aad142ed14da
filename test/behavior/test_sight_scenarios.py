"""Behaviours with eyes and hands in the emulator: to their proper end, and disturbed (spec 17)."""

from __future__ import annotations

import asyncio
import math

import numpy as np
import pytest

from cozmo_driver.behavior.executor import RequestEnded
from cozmo_driver.robot import Pose2D, Reason

from ..manipulation.table import emulated, held
from ..robot.hands import act, is_standing, with_robot
from .surroundings import living, waiting

AHEAD = {"number": 1, "x": 0.25, "y": 0.03, "yaw": 20}
ASIDE = {"number": 2, "x": 0.2, "y": -0.25, "yaw": 30}
THIRD = {"number": 3, "x": 0.1, "y": 0.3, "yaw": 10}
LYING = {"number": 1, "x": 0.22, "y": 0.02, "yaw": 15, "pitch": 90}
ON_TOP = {"number": 2, "on_cube": 1}
ON_BOTH = {"number": 3, "on_cube": 2}
FACE = (0.45, 0.25, 0.35)
"""Somebody who sits at the table, half to the left."""


def among(*cubes):
    return with_robot(emulated(*cubes, ideal=True))


# -- with cubes: layout, behaviour, the clip and the objective of its proper end

HANDLING = {
    "Cubes_PickUp": ((AHEAD,), "ReactToBlockPickupSuccess", ""),
    "Cubes_CarryAbout": ((AHEAD,), "SparkPickupFinalCubeReaction", ""),
    "Cubes_Roll": ((LYING,), "RollBlockSuccess", ""),
    "Cubes_Stack": ((AHEAD, ASIDE), "StackBlocksSuccess", "StackedBlock"),
    "Cubes_Wheelie": ((AHEAD,), "SuccessfulWheelie", "PoppedWheelie"),
    "Cubes_KnockOver": ((AHEAD, ON_TOP), "KnockOverSuccess", "KnockedOverBlocks"),
    "Seen_OutOfReach": ((AHEAD,), "SoundOnlyRamIntoBlock", ""),
    "Cubes_TallStack": ((AHEAD, ON_TOP, ON_BOTH), "CantHandleTallStack", ""),
    "Cubes_StackSeen": ((AHEAD, ON_TOP), "Curiosity", ""),
    "Cubes_ConfigurationSeen": ((AHEAD, ON_TOP), "Surprise", ""),
    "Cubes_Workout": ((AHEAD,), "WorkoutPostLift", "PerformedWorkout"),
    "Cubes_ShowCube": ((AHEAD,), "ReactToBlockPickupSuccess", ""),
    "Pyramid_Prepare": ((LYING,), "BuildPyramidFirstBlockOnSide", ""),
    "Pyramid_Base": ((AHEAD, ASIDE), "BuildPyramidReactToBase", "BuiltPyramidBase"),
    "Seen_Object": ((AHEAD,), "AcknowledgeObject", "ReactedAcknowledgedObject"),
}


@pytest.mark.parametrize("behavior_id", HANDLING)
def test_what_it_does_with_cubes_comes_to_its_end(behavior_id):
    cubes, clip, objective = HANDLING[behavior_id]

    @among(*cubes)
    async def scenario(world):
        async with living(world) as scene:
            assert await scene.run(behavior_id) == 1
            assert scene.played(clip), scene.life.steps
            assert not objective or objective in scene.reached
            assert not scene.engine.inner.needs.unknown_actions

    scenario()


@among(AHEAD, ASIDE, THIRD)
async def test_it_builds_a_pyramid_and_thanks_who_helped(world):
    async with living(world) as scene:
        scene.face = FACE
        assert await scene.run("Pyramid_Build") == 1
        assert "BuiltPyramid" in scene.reached
        assert await scene.run("Pyramid_Thanks") == 1
        assert scene.played("BuildPyramidThankUser")


@among(ASIDE, THIRD)
async def test_cubes_are_brought_to_where_they_belong(world):
    async with living(world) as scene:
        await scene.run("Beacon_Think")
        assert await scene.run("Beacon_Bring") == 1
        for number in (2, 3):
            cube = world.firmware.place.world.cube(number).pose
            assert math.hypot(cube.x, cube.y) < 175.0
        assert held(world) is None
        with pytest.raises(RequestEnded, match="needs 1"):
            await scene.run("Beacon_Bring")


@among(AHEAD)
async def test_it_puts_down_what_it_picked_up(world):
    async with living(world) as scene:
        assert await scene.run("Cubes_PickUp") == 1
        assert held(world) == 1
        assert await scene.run("Cubes_PutDown") == 1
        assert held(world) is None
        assert scene.played("PutDownBlockKeepAlive")


# -- disturbed: behaviour, the step in which it happens, what happens, how it ends


def hide(scene):
    scene.eyes.hidden.add("cube_1")


def lift(scene):
    act(scene.world, lambda f: f.handling.pick_up())


def cut(scene):
    scene.world.wire.is_cut = True


DISTURBED = [
    ("Cubes_PickUp", (AHEAD,), "picks up", hide, {Reason.NOT_SEEN, Reason.NOT_FOUND}),
    ("Cubes_Roll", (LYING,), "rolls", hide, {Reason.NOT_SEEN, Reason.NOT_FOUND, Reason.MISSED}),
    ("Cubes_Stack", (AHEAD, ASIDE), "stacks", cut, {Reason.LINK_LOST, Reason.NOT_CONNECTED}),
    ("Cubes_Wheelie", (AHEAD,), "pops", hide, {Reason.NOT_SEEN, Reason.NOT_FOUND, Reason.MISSED}),
    ("Pyramid_Base", (AHEAD, ASIDE), "puts", cut, {Reason.LINK_LOST, Reason.NOT_CONNECTED}),
]


@pytest.mark.parametrize(
    ("behavior_id", "cubes", "step", "disturb", "reasons"), DISTURBED, ids=lambda one: str(one)[:20]
)
def test_what_it_does_with_cubes_ends_with_its_reason(behavior_id, cubes, step, disturb, reasons):
    @among(*cubes)
    async def scenario(world):
        async with living(world) as scene:
            task = asyncio.ensure_future(scene.run(behavior_id))
            await world.until(lambda: task.done() or scene.stepped(step))
            assert not task.done(), task
            disturb(scene)
            await world.until(lambda: task.done(), 60.0)
            error = task.exception()
            assert isinstance(error, RequestEnded), error
            assert error.reason in reasons, error
            # Nothing of it goes on: no light, no stream, nothing watched.
            assert not scene.sight._watched
            world.wire.is_cut = False
            await world.connected()

    scenario()


LIFTED = [
    ("Cubes_CarryAbout", (AHEAD,), "picks up"),
    ("Cubes_KnockOver", (AHEAD, ON_TOP), "knocks"),
    ("Cubes_Workout", (AHEAD,), "lifts the cube, 2"),
]


@pytest.mark.parametrize(("behavior_id", "cubes", "step"), LIFTED, ids=lambda one: str(one)[:20])
def test_lifted_it_stops_at_once_what_it_does_with_cubes(behavior_id, cubes, step):
    @among(*cubes)
    async def scenario(world):
        async with living(world) as scene:
            task = asyncio.ensure_future(scene.run(behavior_id))
            await world.until(lambda: task.done() or scene.stepped(step))
            lift(scene)
            await world.until(lambda: scene.life.now.reaction == "RobotPickedUp", 3.0)
            await world.until(lambda: is_standing(world), 1.0)
            assert not task.done() or task.exception() is not None
            task.cancel()

    scenario()


# -- with people: behaviour, clip and objective of its proper end

PEOPLE = {
    "Seen_Face": ("AcknowledgeFaceUnnamed", "ReactedAcknowledgedFace"),
    "Faces_Turn": ("", ""),
    "Faces_Smile": ("Joy", ""),
    "Faces_Find": ("", ""),
    "Faces_Search": ("ComeHere_SearchForFace_FoundFace", ""),
    "Faces_DriveTo": ("", ""),
    "Faces_Interact": ("InteractWithFacesInitialUnnamed", "InteractedWithFace"),
    "Faces_LookForFaceAndCube": ("", ""),
}
UNKNOWN_YET = {"Faces_Find", "Faces_Search", "Faces_LookForFaceAndCube"}


@pytest.mark.parametrize("behavior_id", PEOPLE)
def test_it_meets_somebody_and_looks_there(behavior_id):
    clip, objective = PEOPLE[behavior_id]

    @among()
    async def scenario(world):
        async with living(world) as scene:
            if behavior_id not in UNKNOWN_YET:
                await see_somebody(scene)
            scene.face, began = FACE, world.loop.time()
            assert await scene.run(behavior_id) == 1
            assert scene.saw_face_at > began
            assert not clip or scene.played(clip), scene.life.steps
            assert not objective or objective in scene.reached

    scenario()


async def see_somebody(scene):
    """Let it know a face, without a reaction to it."""
    world = scene.world
    scene.engine.enable(False)
    scene.face = FACE
    await world.robot.turns.turn(math.atan2(FACE[1], FACE[0]))
    await world.robot.joints.move_head(0.5)
    await world.until(lambda: scene.life.body.sight.faces)
    await world.robot.turns.turn(-1.0)
    scene.engine.enable(True)


async def begun(scene, behavior_id, step):
    """Let it know a face, and run a behaviour as far as to a step of it; return its task."""
    await see_somebody(scene)
    running = asyncio.ensure_future(scene.run(behavior_id))
    await scene.world.until(lambda: scene.stepped(step))
    return running


@among()
async def test_it_comes_no_nearer_to_somebody_than_it_shall(world):
    async with living(world) as scene:
        await see_somebody(scene)
        await scene.run("Faces_DriveTo")
        away = math.hypot(FACE[0] - scene.pose.x, FACE[1] - scene.pose.y)
        assert away == pytest.approx(0.20, abs=0.03)


@pytest.mark.parametrize("behavior_id", ["Seen_Face", "Faces_Interact"])
def test_somebody_who_has_gone_is_not_greeted(behavior_id):
    @among()
    async def scenario(world):
        async with living(world) as scene:
            await see_somebody(scene)
            scene.face = None
            assert await scene.run(behavior_id) == 1
            assert not scene.reached
            assert not any(step.startswith("plays") for _, step in scene.life.steps)

    scenario()


@pytest.mark.parametrize("plays_along", [True, False])
def test_peekaboo_is_won_by_who_hides_and_looks_again(plays_along):
    @among()
    async def scenario(world):
        async with living(world) as scene:
            playing = await begun(scene, "Faces_PeekABoo", "plays peekaboo")
            while plays_along and not playing.done():
                scene.face = None
                await world.pass_time(2.5)
                scene.face = FACE
                await world.pass_time(2.5)
            assert await playing == 1
            ending = "Happy" if plays_along else "Sad"
            assert scene.played(f"PeekABooGetOut{ending}")
            assert ("PeekABooSuccess" in scene.reached) is plays_along

    scenario()


def follow_the_ball(scene):
    """Lean as somebody does who sees the ball on the display, mirrored as it is for them."""

    def lean(shown):
        lit = np.argwhere(shown[:54, 16:112])
        if len(lit):
            scene.lean = math.radians(-20.0) * (lit[:, 1].mean() - 48) / 48

    scene.world.robot.display.on_change.connect(lean)


@among()
async def test_a_ball_on_the_display_is_met_by_who_leans_with_it(world):
    async with living(world) as scene:
        playing = await begun(scene, "Faces_Bouncer", "waits for a head that leans")
        assert not world.robot.display.shown.any()
        scene.lean = 0.3
        follow_the_ball(scene)
        await world.until(lambda: scene.stepped("plays Bouncer,"))
        await world.until(lambda: world.robot.display.shown.any())
        began = world.loop.time()
        assert await playing == 1
        assert world.loop.time() - began == pytest.approx(60.0, abs=3.0)
        assert scene.played("BouncerIntoScore3"), scene.life.steps[-5:]
        await world.until(lambda: not world.robot.display.shown.any(), 1.0)


def sit_still(scene):
    scene.lean = 0.05


def go(scene):
    scene.face = None


@pytest.mark.parametrize(("disturb", "seconds"), [(sit_still, 12.0), (go, 5.0), (lift, 1.0)])
def test_a_ball_that_nobody_plays_with_is_put_away(disturb, seconds):
    @among()
    async def scenario(world):
        async with living(world) as scene:
            playing = await begun(scene, "Faces_Bouncer", "waits for a head that leans")
            if disturb is not sit_still:
                scene.lean = -0.3
                await world.until(lambda: scene.stepped("plays Bouncer,"))
            disturb(scene)
            await world.until(
                lambda: scene.played("BouncerTimeout") or scene.life.now.reaction, seconds + 3.0
            )
            await world.until(lambda: not world.robot.display.shown.any(), 1.0)
            assert not scene.stepped("plays BouncerIntoScore")
            playing.cancel()

    scenario()


@pytest.mark.parametrize("is_bumped", [True, False])
def test_a_fist_is_bumped_or_it_is_left_hanging(is_bumped):
    @among()
    async def scenario(world):
        async with living(world) as scene:
            bumping = await begun(scene, "Faces_FistBump", "waits for a fist")
            await world.pass_time(1.5)
            if is_bumped:
                act(world, lambda f: f.handling.poke())
            assert await bumping == 1
            assert scene.reached[-1] == f"FistBump{'Success' if is_bumped else 'LeftHanging'}"

    scenario()


# -- what moves


@pytest.mark.parametrize("comes", [True, False])
def test_it_pounces_on_what_moves_and_is_bored_where_nothing_does(comes):
    @among()
    async def scenario(world):
        async with living(world) as scene:
            hunting = asyncio.ensure_future(scene.run("Motion_Pounce"))
            await world.until(lambda: scene.stepped("lies in wait"))

            def has_pounced():
                return scene.played("PounceSuccess") or scene.played("PounceFail")

            while comes and not has_pounced() and not hunting.done():
                ahead = scene.pose.compose(Pose2D(0.12, 0.01))
                scene.prey = ahead.x, ahead.y
                await world.pass_time(0.3)
            scene.prey = None
            assert await hunting == 1
            assert has_pounced() is comes
            assert scene.played("PounceGetOut")

    scenario()


@among()
async def test_a_laser_is_not_hunted_unless_somebody_takes_care(world):
    async with living(world) as scene:
        with pytest.raises(RequestEnded, match="dangerous for eyes") as ended:
            await scene.run("Motion_Laser")
        assert ended.value.reason is Reason.NOT_ALLOWED


# -- reactions: what is seen raises its trigger by itself


@among()
async def test_a_face_is_greeted_once_and_looked_at_again_when_it_has_moved(world):
    async with living(world) as scene, waiting(scene):

        def looks():
            found = scene.engine.trace.decisions
            return sum((one.kind, one.chosen) == ("reaction", "Seen_Face") for one in found)

        scene.show_face(0.4)
        await world.until(lambda: scene.played("AcknowledgeFaceUnnamed"), 10.0)
        await world.pass_time(8.0)
        assert looks() == 1
        scene.show_face(0.9)
        await world.until(lambda: looks() == 2, 30.0)
        assert len(scene.life.times_of("plays AcknowledgeFaceUnnamed")) == 1


@among()
async def test_a_cat_is_met_once_in_a_minute(world):
    async with living(world) as scene:
        scene.pet = 0.3
        await world.until(lambda: scene.life.has_reacted_to("PetInitialDetection"), 60)
        await world.until(lambda: scene.stepped("looks at a cat"), 10)
        met = sum(seen.reaction == "PetInitialDetection" for seen in scene.life.states)
        scene.pet = None
        await world.pass_time(10.0)
        scene.pet = 0.3
        await world.pass_time(10.0)
        again = sum(seen.reaction == "PetInitialDetection" for seen in scene.life.states)
        assert again - met < 10
        assert len(scene.life.times_of("looks at a cat")) == 1
