"""The files of moods: the app's formats, this package's own, damaged ones (spec 11 §6)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cozmo_driver.behavior.mood_config import (
    DECAY,
    DEFAULT_DECAY,
    REPETITION,
    Emotion,
    load_mood_config,
)
from cozmo_driver.resources.views import Graph

from ..trees import OWN, tree_with


def affector(emotion: str = "Happy", value: Any = 0.3) -> dict[str, Any]:
    return {"emotionType": emotion, "value": value}


def event(name: str = "TestFun", **more: Any) -> dict[str, Any]:
    return {"name": name, "emotionAffectors": [affector()], **more}


def test_our_own_files_are_complete_and_read_without_warnings() -> None:
    config = load_mood_config([OWN])
    assert config.warnings == ()
    assert set(config.decay) == set(Emotion)


def test_our_own_emotions_fade_as_the_engines() -> None:
    config = load_mood_config([OWN])
    for emotion in (Emotion.HAPPY, Emotion.CALM, Emotion.BRAVE, Emotion.EXCITED):
        assert config.decay[emotion] == DEFAULT_DECAY
    for emotion, graph in DECAY.items():
        assert config.decay[emotion] == graph
    assert config.repetition == REPETITION


def test_our_own_frustration_ends_when_it_was_let_out() -> None:
    events = load_mood_config([OWN]).events
    gain = dict(events["FinishedMajorFrustration"].affectors)[Emotion.CONFIDENT]
    assert -1 + gain > -0.6


def test_the_app_s_format_is_read(tmp_path: Path) -> None:
    tree = tree_with(
        tmp_path,
        {
            "mood_config.json": """\ufeff// invented
            {"decayGraphs": [
               {"emotionType": "default", "nodes": [{"x": 0, "y": 1}, {"x": 9, "y": 0},]},
               {"emotionType": "Brave", "nodes": [{"x": 0, "y": 1}]}],
             "defaultRepetitionPenalty": {"nodes": [{"x": 0, "y": 0}, {"x": 5, "y": 1}]},
             "eventMapper": {"emotionEvents": []}, "unknownKey": 1,
             "actionResultEmotionEvents": {"ROLL_OBJECT_LOW": {"SUCCESS": "TestFun"}}}""",
            "emotionevents/one.json": event(),
            "emotionevents/deep/two.json": {
                "emotionEvents": [
                    event("B", repetitionPenalty={"nodes": [{"x": 0, "y": 0.5}, {"x": 3, "y": 1}]}),
                    event("C"),
                ]
            },
        },
    )
    config = load_mood_config([tree])
    assert config.warnings == ()
    assert config.decay[Emotion.HAPPY] == config.decay[Emotion.SOCIAL] == Graph(((0, 1), (9, 0)))
    assert config.decay[Emotion.BRAVE] == Graph(((0, 1),))
    assert config.repetition == Graph(((0, 0), (5, 1)))
    assert set(config.events) == {"TestFun", "B", "C"}
    assert config.events["B"].repetition == Graph(((0, 0.5), (3, 1)))
    assert config.events["TestFun"].affectors == ((Emotion.HAPPY, 0.3),)
    assert config.action_results == {"ROLL_OBJECT_LOW": {"SUCCESS": "TestFun"}}


def test_a_user_s_tree_goes_before_and_ours_fills_in(tmp_path: Path) -> None:
    user = tree_with(tmp_path, {"emotionevents/x.json": event("CliffReact")})
    config = load_mood_config([user, OWN])
    assert config.events["CliffReact"].affectors == ((Emotion.HAPPY, 0.3),)
    assert "DriveOffCharger" in config.events
    assert config.warnings == ()


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ("{", "line 1"),
        ({"name": "X"}, "'emotionAffectors'"),
        ({"emotionEvents": 3}, "emotionEvents"),
        (
            {"emotionEvents": [event("X") | {"emotionAffectors": [affector("Hungry")]}]},
            "emotionEvents[0].emotionAffectors[0].emotionType",
        ),
        (event("X") | {"emotionAffectors": [affector(value=3)]}, "emotionAffectors[0].value"),
        (event("X", repetitionPenalty={"nodes": [{"x": 0}]}), "repetitionPenalty"),
    ],
)
def test_a_damaged_event_is_left_out_and_named(tmp_path: Path, content: Any, place: str) -> None:
    files = {"emotionevents/bad.json": content, "emotionevents/good.json": event("Good")}
    config = load_mood_config([tree_with(tmp_path, files)])
    assert set(config.events) == {"Good"}
    (warning,) = config.warnings
    assert warning.source.endswith("bad.json")
    assert place in str(warning)


@pytest.mark.parametrize(
    "graph",
    [
        {"emotionType": "Happy", "nodes": [{"x": 0, "y": 0.5}, {"x": 1, "y": 1}]},
        {"emotionType": "Happy", "nodes": [{"x": 0, "y": 2}]},
        {"emotionType": "Angry", "nodes": [{"x": 0, "y": 1}]},
        {"emotionType": "Happy", "nodes": []},
        {"emotionType": "Happy"},
    ],
)
def test_a_damaged_decay_is_left_out_and_named(tmp_path: Path, graph: Any) -> None:
    good = {"emotionType": "Calm", "nodes": [{"x": 0, "y": 1}]}
    files = {"mood_config.json": {"decayGraphs": [graph, good]}}
    config = load_mood_config([tree_with(tmp_path, files)])
    assert config.decay[Emotion.HAPPY] == DEFAULT_DECAY
    assert config.decay[Emotion.CALM] == Graph(((0, 1),))
    (warning,) = config.warnings
    assert "mood_config.json" in warning.source
    assert "decayGraphs[0]" in warning.text
