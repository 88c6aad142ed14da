"""Sparks, goals of activities, and what is earned by doing."""

from __future__ import annotations

import pytest

from cozmo_driver.behavior.executor import State
from cozmo_driver.behavior.testing import connected_cube as cube

from .paper import Home, in_virtual_time
from .trees import only_activity


def life_of(tmp_path, **keys):
    nod = {"behaviorID": "Nod", "behaviorClass": "PlayAnim", "animTriggers": ["Nod"]}
    chooser = {"type": "StrictPriority", "behaviors": ["Nod"]}
    nod["behaviorObjective"] = "Nodded"
    return only_activity(tmp_path, nod, **{"behaviorChooser": chooser, **keys})


@in_virtual_time
async def test_a_spark_is_accepted_served_as_often_as_it_says_and_ends_well():
    async with Home() as home:
        await home.until(lambda: home.now.state is State.RUNNING)
        home.engine.spark("Singing")
        await home.until(lambda: home.now.reaction == "Sparked", 5)
        assert home.inner.mood.last_event == "SparkPending"
        await home.until(lambda: home.now.activity == "SparkSinging", 20)
        before = home.engine.behaviors["Music_Sing"].runs
        await home.until(lambda: home.now.behavior_id == "SparkSinging_Success", 90)
        assert home.engine.behaviors["Music_Sing"].runs == before + 2
        assert home.engine.activities.spark == ""
        await home.until(lambda: home.now.activity not in ("", "SparkSinging"), 20)
        assert "SparkPlayed" not in home.inner.needs.unknown_actions


@in_virtual_time
async def test_a_spark_that_nobody_helps_with_ends_with_its_time():
    async with Home(cubes=[cube()]) as home:
        home.engine.spark("TapGame")
        await home.until(lambda: home.now.activity == "SparkTapGame", 20)
        began = home.loop.time()
        await home.until(lambda: home.now.behavior_id == "SparkTapGame_Failure", 200)
        assert home.loop.time() - began >= 120
        assert home.engine.activities.spark == ""


@in_virtual_time
async def test_an_unknown_spark_is_refused_with_those_there_are():
    async with Home() as home:
        with pytest.raises(LookupError, match=r"Dancing.*Singing"):
            home.engine.spark("Juggling")
        assert home.engine.activities.spark == ""


@in_virtual_time
async def test_a_spark_may_leave_its_doing_to_another_activity_and_begin_with_a_clip(tmp_path):
    system = life_of(
        tmp_path,
        activityType="Sparked",
        activityStrategy={"type": "Spark"},
        requireSpark="Nodding",
        numberOfRepetitions=3,
        behaviorObjective="Nodded",
        softSparkTrigger="Joy",
        subActivityDelegate={
            "activityID": "Delegate",
            "activityType": "BehaviorsOnly",
            "behaviorChooser": {"type": "StrictPriority", "behaviors": ["Nod"]},
        },
    )
    async with Home(system=system) as home:
        assert home.now.activity == ""
        home.engine.spark("Nodding")
        await home.until(lambda: home.now.behavior_id == "Only_Joy", 20)
        await home.until(lambda: home.now.activity == "Delegate", 5)
        await home.until(lambda: home.engine.activities.spark == "", 60)
        assert home.engine.behaviors["Nod"].runs == 3


@in_virtual_time
async def test_where_files_do_not_tell_who_reaches_a_goal_coming_to_an_end_does(tmp_path):
    system = life_of(
        tmp_path,
        activityStrategy={"type": "Spark"},
        requireSpark="Thinking",
        behaviorObjective="ThoughtOfSomething",
        behaviorChooser={"type": "StrictPriority", "behaviors": ["Alone_Think"]},
        sparksSuccessTrigger="Success",
    )
    async with Home(system=system) as home:
        home.engine.spark("Thinking")
        await home.until(lambda: home.now.behavior_id == "Only_Success", 20)
        assert home.engine.behaviors["Alone_Think"].runs == 1


@in_virtual_time
async def test_company_ends_when_its_goals_are_reached(tmp_path):
    goal = {"objective": "Nodded", "randomCompletionsNeededMin": 2, "randomCompletionsNeededMax": 4}
    strategy = {"type": "Simple", "activityShouldEndDurationSecs": -1, "cooldownBaseSecs": 30}
    system = life_of(
        tmp_path,
        activityType="Socialize",
        activityStrategy=strategy,
        requiredObjectives=[{**goal, "behaviorID": "Nod"}],
    )
    async with Home(system=system) as home:
        await home.until(lambda: home.chosen("end").count("Only"), 60)
        assert home.engine.behaviors["Nod"].runs in (2, 3, 4)
        reasons = [one.reason for one in home.engine.trace.decisions if one.chosen == "Only"]
        assert "its goals are reached" in reasons


@in_virtual_time
async def test_a_goal_that_another_behaviour_reached_counts_as_a_run(tmp_path):
    penalty = {"nodes": [{"x": 0, "y": 0}, {"x": 60, "y": 1}]}
    scoring = {"flatScore": 1, "repetitionPenalty": penalty}
    scoring["considerThisHasRunForBehaviorObjective"] = "Nodded"
    think = {"behaviorID": "Alone_Think", "scoring": scoring}
    system = life_of(tmp_path, behaviorChooser={"type": "Scoring", "behaviors": [think]})
    async with Home(system=system) as home:
        home.engine.behaviors["Alone_Think"].last_run = -1e6
        await home.engine.run_behavior("Nod")
        assert home.loop.time() - home.engine.behaviors["Alone_Think"].last_run < 1.0


@in_virtual_time
async def test_what_it_earned_is_celebrated_between_two_behaviours():
    async with Home() as home:
        await home.until(lambda: home.now.state is State.RUNNING)
        for _ in range(5):
            home.inner.act("PlayedTapGame")
        assert home.inner.needs.earned_sparks >= 1.0
        await home.until(lambda: home.now.behavior_id == "Interlude_EarnedSparks", 300)
        assert home.now.reason.startswith("interlude before")
        await home.until(lambda: home.inner.needs.earned_sparks == 0.0, 1)


@in_virtual_time
async def test_a_fire_engine_has_lights_and_gives_them_back():
    async with Home(cubes=[cube()]) as home:
        home.engine.spark("FireTruck")
        await home.until(lambda: "backpack" in home.body.lights, 30)
        assert home.body.lights[cube().factory_id] == "Failure"
        await home.until(lambda: home.engine.activities.spark == "", 30)
        assert "backpack" not in home.body.lights
