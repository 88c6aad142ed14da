"""What the engine chooses, interrupts, resumes and gives way to."""

from __future__ import annotations

import asyncio
import contextlib
import math
from dataclasses import replace

import pytest

from cozmo_driver.behavior.behavior import BehaviorClass
from cozmo_driver.behavior.behaviors import CLASSES
from cozmo_driver.behavior.behaviors.cube_projects import beacon_of
from cozmo_driver.behavior.behaviors.game_table import missing
from cozmo_driver.behavior.constraints import Permissions
from cozmo_driver.behavior.executor import RequestEnded, State
from cozmo_driver.behavior.games import GAMES
from cozmo_driver.behavior.mood_config import Emotion
from cozmo_driver.behavior.needs_config import Need
from cozmo_driver.behavior.sight import SeenFace, Sense, Sight
from cozmo_driver.behavior.testing import connected_cube as cube
from cozmo_driver.behavior.triggers import Trigger
from cozmo_driver.robot import OffTreads, Pose2D, Reason, RobotEventType

from .games import players
from .paper import Home, happen, in_virtual_time, own_system


def is_driving(home):
    return any(one.startswith(("drive", "turn", "go_to")) for one in home.body.busy)


@in_virtual_time
async def test_its_own_tree_loads_without_a_warning_and_every_behaviour_can_run():
    assert own_system().warnings == ()
    async with Home() as home:
        assert [b.missing for b in home.engine.behaviors.values() if b.missing] == []
        assert [
            t
            for b in home.engine.behaviors.values()
            for t in b.triggers
            if b.config.class_name == "PlayAnim" and not home.body.has_clip(t)
        ] == []
        assert home.inner.reactions.warnings == []


@in_virtual_time
async def test_without_leave_to_drive_the_treads_stand():
    async with Home(permissions=Permissions()) as home:
        await asyncio.sleep(300)
        assert all(one.reason for one in home.engine.trace.decisions)
        assert home.body.done("drive") == home.body.done("turn") == home.body.done("go_to") == []
        assert home.body.done("play")
        assert all("still" in entry for entry in home.body.done("play"))


@in_virtual_time
async def test_it_gives_way_at_once_and_comes_back_after_the_quiet_time():
    async with Home() as home:
        await home.until(lambda: is_driving(home), 3600)
        home.engine.suspend("cmd_vel")
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert not home.body.busy
        await asyncio.sleep(20.0)
        assert (home.now.state, home.now.suspended_by) == (State.SUSPENDED, "cmd_vel")
        assert home.body.is_still
        home.engine.resume("cmd_vel")
        released = home.loop.time()
        await home.until(lambda: home.now.state is State.RUNNING)
        assert home.loop.time() - released == pytest.approx(2.0, abs=0.2)


@in_virtual_time
async def test_a_reaction_gives_way_at_once_too():
    async with Home() as home:
        happen(home, RobotEventType.POKED)
        await home.until(lambda: home.now.reaction == "RobotPoked" and home.body.busy, 5)
        home.engine.touch("cmd_vel")
        await asyncio.sleep(0.1)
        assert home.body.is_still
        assert (home.now.state, home.now.reaction) == (State.SUSPENDED, "")


@contextlib.asynccontextmanager
async def interrupted_slowly():
    """A home in which a poke ends what lights its back and takes half a second to end."""

    async def end_slowly(life):
        life.body.light_backpack("warning")
        try:
            await asyncio.sleep(math.inf)
        finally:
            await asyncio.sleep(0.5)

    slow = {**CLASSES, "Wander": BehaviorClass("Wander", end_slowly)}
    async with Home(system=replace(own_system(), classes=slow)) as home:
        request = asyncio.ensure_future(home.engine.run_behavior("Alone_Wander"))
        await home.until(lambda: home.body.lights)
        happen(home, RobotEventType.POKED)
        await asyncio.sleep(0.2)
        assert home.body.lights
        yield home
        request.cancel()


@in_virtual_time
async def test_what_gives_way_to_others_while_a_reaction_waits_for_its_turn_begins_nothing():
    async with interrupted_slowly() as home:
        home.engine.suspend("cmd_vel")
        before = len(home.body.diary)
        await asyncio.sleep(5.0)
        assert home.body.diary[before:] == []
        assert home.now.state is State.SUSPENDED


@in_virtual_time
async def test_switched_off_in_the_middle_of_an_interruption_it_gives_everything_back():
    async with interrupted_slowly() as home:
        home.task.cancel()
        await asyncio.wait([home.task])
        await asyncio.sleep(1.0)
        assert home.body.is_still


@in_virtual_time
async def test_what_is_requested_during_a_reaction_goes_before_what_that_interrupted():
    async with Home() as home:
        await home.until(lambda: home.now.behavior_id == "Hiking_Walk", 3600)
        happen(home, RobotEventType.POKED)
        await home.until(lambda: home.now.reaction == "RobotPoked" and home.now.resuming, 5)
        await asyncio.wait_for(home.engine.run_behavior("Alone_Think"), 60)
        assert home.chosen("resume") == []


@pytest.mark.parametrize("state", [State.REACTING, State.ASLEEP])
@in_virtual_time
async def test_resting_on_its_charger_it_makes_room_for_what_is_requested(state):
    async with Home(permissions=Permissions()) as home:
        # Coming to the charger is no news in the first 20 s.
        await asyncio.sleep(25)
        home.body.feel(is_on_charger=True)
        happen(home, RobotEventType.PLACED_ON_CHARGER)
        await home.until(lambda: home.now.reaction == "PlacedOnCharger", 5)
        await home.until(lambda: home.now.state is state)
        with pytest.raises(RequestEnded) as refused:
            await asyncio.wait_for(home.engine.run_behavior("Charger_DriveOff"), 20)
        assert refused.value.reason is Reason.NOT_ALLOWED


@in_virtual_time
async def test_with_leave_it_drives_off_its_charger():
    async with Home() as home:
        home.body.feel(is_on_charger=True)
        assert await home.engine.run_behavior("Charger_DriveOff") == 1
        assert home.body.done("undock")


@in_virtual_time
async def test_a_hiccup_is_felt():
    async with Home() as home:
        await home.until(lambda: home.now.state is State.RUNNING)
        home.inner.reactions.request_reaction("Hiccup", home.loop.time())
        await home.until(lambda: home.now.reaction == "Hiccup", 5)
        assert home.inner.mood.last_event == "Hiccup"


@in_virtual_time
async def test_with_an_empty_battery_it_goes_home_but_gives_way():
    async with Home() as home:
        home.body.can_go_home = True
        home.body.feel(battery_voltage=3.45)
        await home.until(lambda: "go_home" in home.body.busy, 10)
        home.engine.suspend("cmd_vel")
        await home.until(lambda: not home.body.busy, 1)
        home.engine.resume("cmd_vel")
        await home.until(lambda: home.body.senses.is_on_charger, 60)
        assert home.body.done("go_home") == ["go_home"] * 2
        await home.until(lambda: home.now.activity == "OnCharger", 60)


@in_virtual_time
async def test_where_it_does_not_get_home_it_asks_and_tries_again_later():
    async with Home() as home:
        home.body.can_go_home = True
        home.body.fails = lambda what: "there is no charger" if what == "go_home" else ""
        home.body.feel(battery_voltage=3.45)
        await home.until(lambda: home.body.done("play BatteryLow"), 60)
        await asyncio.sleep(540)
        assert home.body.done("go_home") == ["go_home"]
        await home.until(lambda: len(home.body.done("go_home")) == 2, 200)


@in_virtual_time
async def test_without_leave_it_does_not_go_home():
    async with Home(permissions=Permissions(motion=True)) as home:
        home.body.can_go_home = True
        home.body.feel(battery_voltage=3.45)
        await home.until(lambda: home.body.done("play BatteryLow"), 60)
        await asyncio.sleep(60)
        assert home.body.done("go_home") == []


@in_virtual_time
async def test_in_quiet_hours_it_dozes_in_silence_and_wakes_afterwards():
    hour = [23.0]
    allowed = Permissions(motion=True, quiet_hours=(22.0, 7.0))
    async with Home(permissions=allowed, hour=lambda: hour[0]) as home:
        await home.until(lambda: home.now.state is State.ASLEEP)
        await asyncio.sleep(120)
        assert home.body.done("play")
        assert all("silent" in entry for entry in home.body.done("play"))
        hour[0] = 8.0
        await home.until(lambda: is_driving(home), 3600)


@in_virtual_time
async def test_what_is_urgent_goes_before_a_chosen_activity():
    hour = [23.0]
    allowed = Permissions(motion=True, quiet_hours=(22.0, 7.0))
    async with Home(permissions=allowed, hour=lambda: hour[0]) as home:
        home.engine.select_activity("PlayAlone")
        await home.until(lambda: home.now.state is State.ASLEEP)
        hour[0] = 8.0
        await home.until(lambda: home.now.activity == "PlayAlone")
        home.body.feel(battery_voltage=3.45)
        await home.until(lambda: home.body.done("play BatteryLow"))
        home.body.feel(battery_voltage=4.0)
        await home.until(lambda: home.now.activity == "PlayAlone")


GAMES_OF_ACTIVITIES = {
    "PlayWithCubes": {"Request_Game", "Cubes_GuardDog", "Cubes_TapGame"},
    "Socialize": {"Faces_PeekABoo", "Faces_Bouncer", "Faces_FistBump"},
}


@pytest.mark.parametrize("activity", GAMES_OF_ACTIVITIES)
@in_virtual_time
async def test_a_game_ends_before_a_severe_need_has_its_turn_but_not_before_a_low_battery(activity):
    games, cubes = GAMES_OF_ACTIVITIES[activity], players.cubes()
    async with Home(permissions=Permissions(motion=True), cubes=cubes) as home:
        engine, needs = home.engine, home.inner.needs
        home.body.seen = Sight(frozenset(Sense), faces=(SeenFace(1, 0.4, 0.0, 0.2),))
        engine.select_activity(activity)
        await home.until(lambda: home.now.behavior_id in games, 1800)
        game = home.now.behavior_id
        needs.set_level(Need.PLAY, 0.05, home.loop.time())
        await home.until(lambda: home.now.behavior_id != game, 300)
        ended = next(
            one
            for one in reversed(engine.trace.decisions)
            if one.kind == "end" and one.chosen == game
        )
        assert "urgent" not in ended.reason
        await home.until(lambda: home.now.activity == "NeedsSeverePlay", 30)
        needs.set_level(Need.PLAY, 1.0, home.loop.time())
        await home.until(lambda: home.now.behavior_id in games, 3600)
        home.body.feel(battery_voltage=3.45)
        await home.until(lambda: home.now.activity == "LowBattery", 5)


@in_virtual_time
async def test_a_low_battery_lets_it_sleep_in_quiet_hours_and_is_told_before_and_after():
    hour = [21.0]
    allowed = Permissions(motion=True, quiet_hours=(22.0, 7.0))
    async with Home(permissions=allowed, hour=lambda: hour[0]) as home:
        home.body.feel(battery_voltage=3.45)
        await home.until(lambda: home.now.step == "waits to be put on its charger")
        hour[0] = 23.0
        await home.until(lambda: home.now.state is State.ASLEEP, 5)
        asked = len(home.body.done("play BatteryLow"))
        happen(home, RobotEventType.BATTERY_LOW)
        slept_since = home.now.since
        await asyncio.sleep(3600)
        assert (home.now.state, home.now.since) == (State.ASLEEP, slept_since)
        assert len(home.body.done("play BatteryLow")) == asked
        hour[0] = 8.0
        await home.until(lambda: len(home.body.done("play BatteryLow")) > asked, 60)


@pytest.mark.parametrize(
    ("posture", "cliff_raw", "effort"),
    [
        (OffTreads.ON_BACK, 0, "play FlipDownFromBack"),
        (OffTreads.ON_BACK, 880, "calibrate"),
        (OffTreads.ON_FACE, 0, "play FacePlantRoll"),
        (OffTreads.ON_LEFT_SIDE, 0, "play WaitOnSideLoop"),
    ],
)
@in_virtual_time
async def test_lying_where_nobody_comes_it_tries_more_and_more_seldom(posture, cliff_raw, effort):
    async with Home() as home:
        home.body.feel(off_treads=posture, cliff_raw=cliff_raw)
        await home.until(lambda: len(home.body.done(effort)) > 3, 30)
        await asyncio.sleep(3600)
        assert 20 < len(home.body.done(effort)) < 80
        assert home.now.state is State.REACTING
        home.body.feel(off_treads=OffTreads.ON_TREADS, cliff_raw=880)
        await home.until(lambda: home.now.state is State.RUNNING, 5)


@pytest.mark.parametrize("is_on_charger", [True, False])
@in_virtual_time
async def test_what_comes_of_itself_lets_it_sleep_on_and_comes_after_it_has_woken_up(is_on_charger):
    hour = [3.0]
    allowed = Permissions() if is_on_charger else Permissions(quiet_hours=(22.0, 7.0))
    async with Home(permissions=allowed, hour=lambda: hour[0]) as home:
        home.body.feel(is_on_charger=is_on_charger)
        await home.until(lambda: home.now.state is State.ASLEEP)
        home.inner.reactions._strategies[Trigger.HICCUP]._next_at = home.loop.time()
        home.inner.mood.add(Emotion.CONFIDENT, -1.0, home.loop.time())
        before = [what for what in home.body.done("play") if "Sleeping" not in what]
        await asyncio.sleep(60)
        assert home.now.state is State.ASLEEP
        assert [what for what in home.body.done("play") if "Sleeping" not in what] == before
        hour[0] = 8.0
        home.body.feel(is_on_charger=False)
        await home.until(lambda: home.body.done("play Hiccup"), 120)


@in_virtual_time
async def test_a_request_that_is_cancelled_leaves_the_robot_to_its_life():
    async with Home() as home:
        task = asyncio.ensure_future(home.engine.run_behavior("Alone_Wander", -1))
        await home.until(lambda: home.now.state is State.REQUESTED and is_driving(home))
        task.cancel()
        await home.until(lambda: home.now.state is State.RUNNING)


@in_virtual_time
async def test_a_request_ends_when_somebody_else_is_in_command():
    async with Home() as home:
        task = asyncio.ensure_future(home.engine.run_behavior("Alone_Wander", -1))
        await home.until(lambda: is_driving(home))
        home.engine.suspend("cmd_vel")
        with pytest.raises(RequestEnded, match="gives way to cmd_vel") as ended:
            await task
        assert ended.value.reason is Reason.CANCELED


@pytest.mark.parametrize(
    ("name", "count", "reason"),
    [
        ("Nobody", 1, Reason.NOT_FOUND),
        ("Alone_Wander", 0, Reason.INVALID),
        ("Charger_Sleep", 1, Reason.NOT_ALLOWED),
    ],
)
@in_virtual_time
async def test_what_cannot_run_is_refused_with_a_reason(name, count, reason):
    async with Home() as home:
        with pytest.raises(RequestEnded) as refused:
            await home.engine.run_behavior(name, count)
        assert refused.value.reason is reason


@in_virtual_time
async def test_without_a_robot_nothing_is_begun_nor_kept_for_the_next_one():
    async with Home() as home:
        happen(home, RobotEventType.SHAKEN_STARTED)
        await home.until(lambda: home.now.state is State.REACTING)
        waiting = asyncio.ensure_future(home.engine.run_behavior("Alone_Think"))
        await asyncio.sleep(0.1)
        home.body.feel(is_connected=False)
        with pytest.raises(RequestEnded, match="there is no robot") as lost:
            await asyncio.wait_for(waiting, 1.0)
        with pytest.raises(RequestEnded, match="there is no robot") as refused:
            await asyncio.wait_for(home.engine.run_behavior("Alone_Think"), 1.0)
        assert [one.value.reason for one in (lost, refused)] == [
            Reason.LINK_LOST,
            Reason.NOT_CONNECTED,
        ]


@in_virtual_time
async def test_a_robot_whose_clips_are_not_known_yet_is_waited_for():
    async with Home() as home:
        home.body.feel(is_connected=False, is_starting=True)
        asked = asyncio.ensure_future(home.engine.run_behavior("Alone_Think"))
        await asyncio.sleep(3.0)
        assert not asked.done()
        lacking = missing(home.engine.situation, GAMES["memory_match"])
        assert "reading its clips" in lacking[0]
        home.body.feel(is_connected=True, is_starting=False)
        assert await asyncio.wait_for(asked, 30.0) == 1


@in_virtual_time
async def test_a_behaviour_that_breaks_is_told_and_life_goes_on():
    async def break_down(life):
        raise ZeroDivisionError("by mistake")

    broken = {**CLASSES, "Wander": BehaviorClass("Wander", break_down, drives=True)}
    async with Home(system=replace(own_system(), classes=broken)) as home:
        await home.until(lambda: any("broke" in str(d) for d in home.engine.trace.decisions), 3600)
        await home.until(lambda: home.body.done("play"), 600)


def raise_key_error(*_):
    return {}["by mistake"]


@pytest.mark.parametrize("whose", ["the file", "the class"])
@in_virtual_time
async def test_a_behaviour_that_breaks_before_it_begins_is_left_out_and_life_goes_on(whose, caplog):
    own, name = own_system(), "Cubes_GuardDog"
    if whose == "the file":
        wrong = replace(own.behaviors[name], values={"cubes": "1"})
        system = replace(own, behaviors={**own.behaviors, name: wrong})
    else:
        broken = replace(CLASSES["GuardDog"], why_not=raise_key_error)
        system = replace(own, classes={**CLASSES, "GuardDog": broken})
    async with Home(system=system, cubes=[cube()]) as home:
        for reason in (Reason.NOT_ALLOWED, Reason.UNSUPPORTED):
            with pytest.raises(RequestEnded, match=r"broke: \w+") as refused:
                await home.engine.run_behavior(name)
            assert refused.value.reason is reason
        await home.until(lambda: home.body.done("play"))
        assert [one.id for one in home.engine.behaviors.values() if one.missing] == [name]
    [told] = [one for one in caplog.records if "broke" in one.message]
    assert told.exc_info


@in_virtual_time
async def test_a_behaviour_whose_class_cannot_say_its_clips_is_left_out(caplog):
    broken = {**CLASSES, "Wander": replace(CLASSES["Wander"], triggers=raise_key_error)}
    async with Home(system=replace(own_system(), classes=broken)) as home:
        assert home.engine.behaviors["Alone_Wander"].missing == "broke: KeyError('by mistake')"
        await home.until(lambda: home.body.done("play"))
    assert "Alone_Wander broke and is left out" in caplog.text


@in_virtual_time
async def test_whatever_its_behaviours_feel_and_do_is_known_to_mood_and_needs():
    async with Home(cubes=[cube()], seed=4) as home:
        for name in ("Cubes_GuardDog", "Music_Sing", "Music_Dance", "Alone_LookAround"):
            await home.engine.run_behavior(name)
        await asyncio.sleep(120)
        assert not home.inner.mood.unknown_events
        assert not home.inner.needs.unknown_actions
        actions = [b.config.text("needsActionID") for b in home.engine.behaviors.values()]
        assert {one for one in actions if one} <= set(home.inner.needs.config.actions)


@in_virtual_time
async def test_without_a_known_place_of_a_cube_it_does_not_go_to_one():
    async with Home(cubes=[cube()]) as home:
        with pytest.raises(RequestEnded, match="does not know where"):
            await home.engine.run_behavior("Cubes_Approach")
        cube_at = home.body.places[cube().factory_id] = Pose2D(0.5, 0.0)
        assert await home.engine.run_behavior("Cubes_Approach") == 1
        here = home.body.felt.pose
        assert math.dist((here.x, here.y), (cube_at.x, cube_at.y)) == pytest.approx(0.09)


@pytest.mark.parametrize(
    ("away", "back"),
    [
        ({"off_treads": OffTreads.IN_AIR}, {"off_treads": OffTreads.ON_TREADS}),
        ({"is_connected": False}, {"is_connected": True}),
    ],
)
@in_virtual_time
async def test_where_it_was_is_forgotten_with_the_place(away, back):
    async with Home() as home:
        situation = home.engine.situation
        home.body.seen = Sight(frozenset({Sense.OBJECTS}))
        for name in ("Beacon_Think", "Alone_LookAround"):
            assert await home.engine.run_behavior(name) == 1
            assert home.engine.behaviors[name].why_not(situation)
        assert beacon_of(situation) is not None
        home.body.feel(**away)
        await asyncio.sleep(1.0)
        home.body.feel(**back)
        await asyncio.sleep(0.2)
        assert beacon_of(situation) is None
        for name in ("Beacon_Think", "Alone_LookAround"):
            assert home.engine.behaviors[name].why_not(situation) == ""
