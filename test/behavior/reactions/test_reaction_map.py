"""The map from triggers to behaviours: the app's format, this package's own, damaged ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cozmo_driver.behavior.reaction_map import (
    MAP_FILE,
    FrustrationParams,
    HiccupParams,
    MappedReaction,
    ObjectiveParams,
    load_reaction_map,
)
from cozmo_driver.behavior.system import load_behavior_system
from cozmo_driver.behavior.triggers import Trigger
from cozmo_driver.resources.views import ENGINE

from ..trees import OWN, tree_with


def entry(trigger: str = "RobotPoked", **more: Any) -> dict[str, Any]:
    return {"reactionTrigger": trigger, "behaviorID": "Ouch", **more}


def tree_of(root: Path, *entries: Any) -> Path:
    return tree_with(root, {MAP_FILE: {"reactionTriggerBehaviorMap": list(entries)}})


def test_our_own_map_answers_every_trigger_with_a_behaviour_that_is_there() -> None:
    found = load_reaction_map([OWN])
    assert found.warnings == ()
    assert set(found.reactions) == set(Trigger)
    named = {e.behavior for (entries,) in found.reactions.values() for e in entries}
    assert named <= set(load_behavior_system([OWN]).behaviors)


def test_the_app_s_format_is_read(tmp_path: Path) -> None:
    hiccups = {
        "minHiccupOccurrenceFrequency_s": 10,
        "maxHiccupOccurrenceFrequency_s": 20,
        "minNumberOfHiccupsToDo": 2,
        "maxNumberOfHiccupsToDo": 3,
        "minHiccupSpacing_ms": 1000,
        "maxHiccupSpacing_ms": 1500,
        "hiccupsWontOccurAfterBeingCuredTime_s": 60,
        "hiccupsUnlockId": "Some",
    }
    goal = {
        "behaviorObjective": "Won",
        "triggerCooldownTime_s": 5,
        "triggerProbability": 0.3,
        "triggerExpiration_s": 2,
    }
    tree = tree_of(
        tmp_path,
        entry("Frustration", behaviorID="Minor", frustrationParams={"maxConfidence": -0.5}),
        entry("RobotFalling", genericStrategyParams={"debugStrategyName": "x"}),
        entry("Hiccup", hiccupParams=hiccups),
        entry(
            "Frustration",
            behaviorID="Major",
            frustrationParams={"maxConfidence": -0.8, "cooldownTime_s": 9},
            genericStrategyParams={
                "shouldResumeLast": False,
                "canInterruptOtherTriggeredBehavior": True,
            },
        ),
        entry("FistBump", behaviorObjectiveTriggerParams=[goal]),
        entry("CliffDetected", wantsToRunStrategyConfig={"strategyType": "Cliff"}),
    )
    found = load_reaction_map([tree])
    assert found.warnings == ()
    frustration = Trigger.FRUSTRATION
    limit = FrustrationParams(-0.8, 9)
    assert found.reactions[frustration] == (
        (
            MappedReaction(frustration, "Minor", frustration=FrustrationParams(-0.5, 60)),
            MappedReaction(frustration, "Major", False, True, frustration=limit),
        ),
    )
    ((fall,),) = found.reactions[Trigger.ROBOT_FALLING]
    assert not fall.resumes
    ((hiccup,),) = found.reactions[Trigger.HICCUP]
    assert hiccup.hiccup == HiccupParams((10, 20), (2, 3), (1.0, 1.5), 60)
    ((bump,),) = found.reactions[Trigger.FIST_BUMP]
    assert bump.objectives == (ObjectiveParams("Won", 0.3, 5, 2),)
    ((cliff,),) = found.reactions[Trigger.CLIFF_DETECTED]
    assert cliff.resumes


def test_a_user_s_map_goes_before_ours_for_each_trigger(tmp_path: Path) -> None:
    found = load_reaction_map([tree_of(tmp_path, entry()), OWN])
    assert [e.behavior for entries in found.reactions[Trigger.ROBOT_POKED] for e in entries] == [
        "Ouch",
        "ReactToPoke",
    ]
    assert set(found.reactions) == set(Trigger)


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ("Hiccup", ""),
        (entry("Earthquake"), ".reactionTrigger"),
        (
            entry(genericStrategyParams={"shouldResumeLast": 1}),
            ".genericStrategyParams.shouldResumeLast",
        ),
        (
            entry(
                "Hiccup", hiccupParams={"minNumberOfHiccupsToDo": 9, "maxNumberOfHiccupsToDo": 1}
            ),
            ".hiccupParams.minNumberOfHiccupsToDo",
        ),
        (
            entry("FistBump", behaviorObjectiveTriggerParams=[{"triggerProbability": 2}]),
            ".behaviorObjectiveTriggerParams[0]",
        ),
    ],
)
def test_a_damaged_entry_is_left_out_and_named(tmp_path: Path, content: Any, place: str) -> None:
    found = load_reaction_map([tree_of(tmp_path, entry("Sparked"), content)])
    assert set(found.reactions) == {Trigger.SPARKED}
    (warning,) = found.warnings
    assert warning.source == str(tmp_path / ENGINE / MAP_FILE)
    assert f"reactionTriggerBehaviorMap[1]{place} " in warning.text


def test_a_damaged_file_is_named_and_ours_counts(tmp_path: Path) -> None:
    found = load_reaction_map([tree_with(tmp_path, {MAP_FILE: "{"}), OWN])
    assert set(found.reactions) == set(Trigger)
    (warning,) = found.warnings
    assert warning.source.endswith("reactionTrigger_behavior_map.json")
