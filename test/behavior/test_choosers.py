"""Choosers, graphs, activities and files, rule by rule (spec 12 §7, §8; spec 11 §7, §8)."""

from __future__ import annotations

import asyncio
import json
import math
import random
from types import SimpleNamespace

import pytest

from cozmo_driver.behavior.activities import Activity, Chooser, Running, score_of
from cozmo_driver.behavior.behavior import Behavior, Situation
from cozmo_driver.behavior.behaviors import CLASSES
from cozmo_driver.behavior.behaviors.faces import is_due
from cozmo_driver.behavior.config import BehaviorConfig, read_activities
from cozmo_driver.behavior.constraints import ConstrainedBody, Constraints, Permissions, is_within
from cozmo_driver.behavior.inner_state import InnerState
from cozmo_driver.behavior.mood_config import EMOTIONS
from cozmo_driver.behavior.needs_config import Need
from cozmo_driver.behavior.sight import SeenFace, Sight
from cozmo_driver.behavior.system import load_behavior_system
from cozmo_driver.behavior.testing import FakeBody
from cozmo_driver.resources.views import ConfigError, Graph, View
from cozmo_driver.robot import Reason, RobotError

from .paper import in_virtual_time

LEVELS = {"Full": 1.0, "Critical": 0.0}


def situation(seed=0, **state):
    """Return a situation with these emotions' values and needs' brackets."""
    body, constraints = FakeBody(), Constraints(Permissions(motion=True))
    clock = asyncio.get_running_loop().time
    inner = InnerState((), body.events, clock, random.Random(seed))
    for name, value in state.items():
        if name in EMOTIONS:
            inner.mood.add(EMOTIONS[name], value, clock())
        else:
            inner.needs.set_level(Need(name), LEVELS[value], clock())
    rng = random.Random(seed)
    return Situation(ConstrainedBody(body, constraints), constraints, inner, rng)


def clip(name, **values):
    return Behavior(
        BehaviorConfig(name, "PlayAnim", "", {"animTriggers": ["Joy"], **values}),
        CLASSES["PlayAnim"],
    )


def activity(strategy=None, chooser=None, **rest):
    content = {"activityID": "A", "activityStrategy": strategy or {}, **rest}
    if chooser:
        content["behaviorChooser"] = chooser
    return read_activities(View(content, "a test"))[0]


def entry(name, **scoring):
    return {"behaviorID": name, "scoring": {"flatScore": 1.0, **scoring}}


def chooser(kind, *entries, behaviors, **rest):
    config = activity(chooser={"type": kind, "behaviors": list(entries), **rest}).chooser
    return Chooser(config, {one.id: one for one in behaviors})


def nodes(*points):
    return {"nodes": [{"x": x, "y": y} for x, y in points]}


def test_a_graph_is_linear_between_its_nodes_and_level_beyond():
    graph = Graph(((0.0, 0.0), (10.0, 1.0), (10.0, 3.0), (20.0, 3.0)))
    assert [graph(x) for x in (-5, 0, 5, 10, 15, 99)] == [0, 0, 0.5, 3, 3, 3]


@in_virtual_time
async def test_strict_priority_keeps_the_running_one_but_lets_an_earlier_one_go_first():
    first, second = clip("first", requiredSevereNeedsState="Play"), clip("second")
    choosing = chooser("StrictPriority", "first", "second", behaviors=[first, second])
    calm, needy = situation(), situation(Play="Critical")
    assert choosing.choose(calm).behavior is second
    assert "not severe" in choosing.choose(calm).rejected[0].reason
    second.retry_at = math.inf
    assert choosing.choose(calm, Running(second, 1.0)).behavior is second
    assert choosing.choose(needy, Running(second, 1.0)).behavior is first


@in_virtual_time
async def test_what_can_never_run_says_why_and_is_not_chosen():
    never = Behavior(BehaviorConfig("x", "TeleportCube"), CLASSES.get("TeleportCube"))
    choice = chooser("StrictPriority", "x", behaviors=[never]).choose(situation())
    assert choice.behavior is None
    assert "TeleportCube" in choice.rejected[0].reason


@in_virtual_time
async def test_scoring_penalizes_repetition_by_seconds_since_the_last_run():
    one = clip("one")
    choosing = chooser(
        "Scoring", entry("one", repetitionPenalty=nodes((0, 0), (10, 1))), behaviors=[one]
    )
    ((_, scoring),) = choosing.entries
    here = situation()
    assert score_of(one, scoring, here) == 1.0
    one.last_run = here.now
    assert choosing.choose(here).behavior is None
    await asyncio.sleep(5.0)
    assert score_of(one, scoring, here) == pytest.approx(0.5)
    await asyncio.sleep(50.0)
    assert score_of(one, scoring, here) == 1.0


@in_virtual_time
async def test_scoring_takes_the_emotions_mean_and_the_running_penalty():
    emotions = [
        {"emotionType": "Happy", "scoreGraph": nodes((-1, 0), (1, 1))},
        {"emotionType": "Calm", "scoreGraph": nodes((-1, 1), (1, 0))},
    ]
    one = clip("one")
    penalty = nodes((0, 1), (10, 0))
    choosing = chooser(
        "Scoring",
        entry("one", emotionScorers=emotions, runningPenalty=penalty),
        behaviors=[one],
    )
    ((_, scoring),) = choosing.entries
    here = situation(Happy=1.0, Calm=0.0)
    assert score_of(one, scoring, here) == pytest.approx(0.75)
    assert score_of(one, scoring, here, Running(one, 5.0)) == pytest.approx(0.375)


@in_virtual_time
async def test_scoring_lets_chance_decide_among_equals_and_is_the_same_for_a_seed():
    many = [clip(name) for name in "abcd"]
    choosing = chooser("Scoring", *map(entry, "abcd"), behaviors=many)
    drawn = [choosing.choose(situation(seed)).behavior.id for seed in range(60)]
    assert set(drawn) == set("abcd")
    assert drawn == [choosing.choose(situation(seed)).behavior.id for seed in range(60)]


@in_virtual_time
async def test_an_activity_cools_down_from_its_end():
    here = situation()
    one = Activity(activity({"cooldownBaseSecs": 100, "cooldownRandomnessSecs": 50}), {}, here.now)
    assert one.why_not(here, "", {}) == ""
    one.start(here)
    await asyncio.sleep(30)
    one.end(here)
    await asyncio.sleep(99)
    assert "blocked by cooldown" in one.why_not(here, "", {})
    await asyncio.sleep(52)
    assert one.why_not(here, "", {}) == ""


@in_virtual_time
async def test_an_activity_that_found_nothing_to_do_is_tried_again_after_3_s():
    here = situation()
    one = Activity(activity({"cooldownBaseSecs": 1000}), {}, here.now)
    one.start(here)
    one.end(here)
    await asyncio.sleep(3.1)
    assert one.why_not(here, "", {}) == ""


@in_virtual_time
async def test_between_floor_and_ceiling_an_activity_goes_on():
    here = situation()
    limits = {"activityCanEndDurationSecs": 10, "activityShouldEndDurationSecs": 20}
    one = Activity(activity(limits, requireSpark="Sing"), {}, here.now)
    one.start(here)
    await asyncio.sleep(5)
    assert one.wants_to_end(here, "") == ""
    await asyncio.sleep(6)
    assert one.wants_to_end(here, "Sing") == ""
    assert one.wants_to_end(here, "") == "its spark is over"
    await asyncio.sleep(10)
    assert one.wants_to_end(here, "Sing") != ""


@pytest.mark.parametrize(
    ("content", "feeling", "why"),
    [
        ({"type": "Nonsense"}, {}, "nothing implements"),
        ({"type": "Pyramid"}, {}, "camera"),
        ({"type": "PlayWithHumans"}, {}, "request"),
        ({"type": "SevereNeedTransition", "need": "Play"}, {}, "Play is Full"),
        ({"type": "SevereNeedTransition", "need": "Play"}, {"Play": "Critical"}, ""),
        ({"featureGate": "Off"}, {}, "feature"),
        ({"requiredRecentOnTreadsEventSecs": 5}, {}, "put down"),
    ],
)
@in_virtual_time
async def test_a_strategy_says_why_its_activity_does_not_begin(content, feeling, why):
    here = situation(**feeling)
    said = Activity(activity(content), {}, here.now).why_not(here, "", {"Off": False})
    assert why in said if why else said == ""


@in_virtual_time
async def test_a_mood_gate_needs_the_sum_of_its_scorers():
    scorer = {"emotionType": "Excited", "scoreGraph": nodes((-1, 0), (1, 1))}
    gate = {"requiredMinStartMoodScore": 0.6, "startMoodScorer": [scorer]}
    one = Activity(activity(gate), {}, 0.0)
    assert "mood" in one.why_not(situation(), "", {})
    assert one.why_not(situation(Excited=0.5), "", {}) == ""


@in_virtual_time
async def test_on_its_charger_nothing_drives_without_leave():
    body, constraints = FakeBody(), Constraints(Permissions(motion=True))
    body.feel(is_on_charger=True)
    constraints.update(body.senses, 12.0)
    with pytest.raises(RobotError) as refused:
        await ConstrainedBody(body, constraints).drive_distance(0.1)
    assert refused.value.reason is Reason.NOT_ALLOWED
    assert body.diary == []


def test_hours_may_go_over_midnight():
    assert [is_within((22, 7), hour) for hour in (21, 22, 3, 7)] == [False, True, True, False]
    assert not is_within(None, 3)


# -- files


def write(folder, name, content):
    file = folder / "config" / "engine" / "behaviorSystem" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content if isinstance(content, str) else json.dumps(content))


FREEPLAY = {"activityID": "Freeplay", "activityType": "Freeplay"}


def test_the_apps_dialect_and_layout_are_read_and_the_users_tree_goes_before(tmp_path):
    user, own = tmp_path / "user", tmp_path / "own"
    inline = {"activityID": "In", "behaviorChooser": {"type": "StrictPriority", "behaviors": ["a"]}}
    write(user, "activities_config.json", [{**FREEPLAY, "subActivities": [inline]}])
    write(user, "behaviors/x/a.json", '{"behaviorID":"a","behaviorClass":"Unheard",} // new')
    write(own, "activities_config.json", [FREEPLAY])
    write(own, "behaviors/a.json", {"behaviorID": "a", "behaviorClass": "Wait"})
    write(own, "behaviors/b.json", {"behaviorID": "b", "behaviorClass": "Wait"})
    system = load_behavior_system([user, own])
    assert system.warnings == ()
    assert system.activities["Freeplay"].children == ("In",)
    assert system.behaviors["a"].class_name == "Unheard"
    assert set(system.behaviors) == {"a", "b"}


@pytest.mark.parametrize(
    "content",
    ["{", "{}", {"behaviorID": "a", "behaviorClass": []}],
)
def test_a_bad_file_is_left_out_and_told(tmp_path, content):
    write(tmp_path, "activities_config.json", [FREEPLAY])
    write(tmp_path, "behaviors/bad.json", content)
    system = load_behavior_system([tmp_path])
    assert system.behaviors == {}
    assert "bad.json" in str(system.warnings[0])


def test_names_that_lead_nowhere_are_told(tmp_path):
    strict = {"type": "StrictPriority", "behaviors": ["nobody"]}
    write(
        tmp_path,
        "activities_config.json",
        [{**FREEPLAY, "subActivities": [{"activityID": "Gone"}], "behaviorChooser": strict}],
    )
    texts = [warning.text for warning in load_behavior_system([tmp_path]).warnings]
    assert texts == ["Freeplay: no activity 'Gone'", "Freeplay: no behaviour 'nobody'"]


def test_without_an_everyday_life_it_says_so(tmp_path):
    with pytest.raises(ConfigError, match="Freeplay"):
        load_behavior_system([tmp_path])


@in_virtual_time
async def test_somebody_unrecognised_who_looks_up_again_is_greeted_once_a_minute():
    life = SimpleNamespace(situation=situation(), now=0.0, sight=Sight())

    def is_greeted(now, *numbers):
        life.now = now
        faces = tuple(SeenFace(number, 0.5, 0.0, 0.3, seen_at=now) for number in numbers)
        life.sight = Sight(faces=faces)
        return [is_due(life, face) for face in faces]

    looks = [is_greeted(20.0 * number, -1 - number) for number in range(7)]
    assert looks == [[True], [False], [False], [False], [True], [False], [False]]
    assert is_greeted(125.0, -7, -8) == [False, True]


@in_virtual_time
async def test_who_was_greeted_long_ago_is_forgotten():
    life = SimpleNamespace(situation=situation())
    for number in range(100):
        life.now = 10.0 * number
        assert is_due(life, SeenFace(number, 0.5, 0.0, 0.3))
        assert not is_due(life, SeenFace(number, 0.5, 0.0, 0.3))
    assert len(life.situation.memory["greeted"]) < 10
