"""Emotions come, repeat and fade, as their files say (spec 12 §2, 11 §6)."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cozmo_driver.behavior.mood import Mood, affect_of, simple_mood_of
from cozmo_driver.behavior.mood_config import (
    DECAY,
    DEFAULT_DECAY,
    REPETITION,
    Emotion,
    EmotionEvent,
    MoodConfig,
    load_mood_config,
)
from cozmo_driver.resources.views import Graph

from .trees import OWN, tree_with

FUN = EmotionEvent("Fun", ((Emotion.HAPPY, 0.4), (Emotion.CALM, -0.2)))
RARE = EmotionEvent("Rare", ((Emotion.HAPPY, 0.4),), Graph(((0, 0.5), (100, 1))))


def mood(*events: EmotionEvent) -> Mood:
    return Mood(MoodConfig(events={event.name: event for event in events}), 0.0)


@pytest.mark.parametrize(
    ("emotion", "seconds", "left"),
    [
        (Emotion.HAPPY, 5, 1.0),
        (Emotion.HAPPY, 112.5, 0.3),
        (Emotion.HAPPY, 1000, 0.0),
        (Emotion.CHARGED, 75, 0.6),
        (Emotion.CONFIDENT, 45, 0.75),
        (Emotion.CONFIDENT, 70, 0.0),
        (Emotion.SOCIAL, 40, 0.4),
        (Emotion.WANT_TO_PLAY, 1e6, 1.0),
    ],
)
def test_an_emotion_fades_by_its_graph_however_often_one_looks(
    emotion: Emotion, seconds: float, left: float
) -> None:
    felt = mood()
    felt.add(emotion, 0.5, 0.0)
    for now in range(0, min(int(seconds), 1000), 7):
        felt.update(now)
    felt.update(seconds)
    assert felt.value(emotion) == pytest.approx(0.5 * left, abs=1e-9)


@pytest.mark.parametrize(("change", "restarts"), [(0.06, True), (0.04, False)])
def test_only_a_clear_growth_lets_an_emotion_last_anew(change: float, restarts: bool) -> None:
    felt = mood()
    felt.add(Emotion.HAPPY, 0.5, 0.0)
    felt.add(Emotion.HAPPY, change, 10.0)
    felt.update(20.0)
    fresh = Graph(((0, 1), (10, 1), (30, 0.9)))
    left = fresh(10.0) if restarts else fresh(20.0)
    assert felt.value(Emotion.HAPPY) == pytest.approx((0.5 + change) * left)


def test_an_emotion_that_changes_its_sign_does_not_last_anew() -> None:
    felt = mood()
    felt.add(Emotion.CONFIDENT, 0.3, 0.0)
    felt.add(Emotion.CONFIDENT, -0.8, 20.0)
    felt.update(60.0)
    assert felt.value(Emotion.CONFIDENT) == pytest.approx(-0.5 * 0.5)


def test_an_emotion_grows_to_its_limits_and_no_further() -> None:
    felt = mood()
    felt.add(Emotion.HAPPY, 5.0, 0.0)
    felt.add(Emotion.BRAVE, -5.0, 0.0)
    felt.add(Emotion.CALM, math.nan, 0.0)
    assert (felt.value(Emotion.HAPPY), felt.value(Emotion.BRAVE)) == (1.0, -1.0)
    assert felt.value(Emotion.CALM) == 0.0


def test_the_same_event_is_worth_half_after_15_s() -> None:
    felt = mood(FUN)
    felt.event("Fun", 0.0)
    felt.event("Fun", 15.0)
    first_left = Graph(((10, 1), (30, 0.9)))(15.0)
    assert felt.value(Emotion.HAPPY) == pytest.approx(0.4 * first_left + 0.2)
    assert felt.last_event == "Fun"


def test_an_event_may_have_a_repetition_penalty_of_its_own() -> None:
    felt = mood(FUN, RARE)
    felt.event("Rare", 0.0)
    assert felt.weight_of("Rare", 0.0) == 0.5
    assert felt.weight_of("Rare", 50.0) == 0.75
    assert felt.weight_of("Fun", 0.0) == 1.0


def test_an_event_nobody_knows_changes_nothing_and_is_counted() -> None:
    felt = mood(FUN)
    felt.event("Gloom", 1.0)
    felt.event("Gloom", 2.0)
    assert felt.unknown_events == {"Gloom": 2}
    assert set(felt.values.values()) == {0.0}


def test_results_of_actions_are_felt_as_the_file_says() -> None:
    config = MoodConfig(events={"Fun": FUN}, action_results={"TurnInPlace": {"SUCCESS": "Fun"}})
    felt = Mood(config, 0.0)
    felt.action_result("TurnInPlace", "ABORT", 1.0)
    assert felt.value(Emotion.HAPPY) == 0.0
    felt.action_result("TurnInPlace", "SUCCESS", 2.0)
    assert felt.value(Emotion.HAPPY) == 0.4


@pytest.mark.parametrize(
    ("emotion", "amount", "word"),
    [
        (Emotion.CONFIDENT, -0.7, "Frustrated"),
        (Emotion.HAPPY, -0.6, "Sad"),
        (Emotion.HAPPY, 0.6, "Happy"),
        (Emotion.EXCITED, -0.6, "Bored"),
        (Emotion.BRAVE, -0.9, "Scared"),
        (Emotion.WINNING, 1.0, "Default"),
    ],
)
def test_the_mood_is_told_in_one_word(emotion: Emotion, amount: float, word: str) -> None:
    felt = mood()
    felt.add(emotion, amount, 0.0)
    assert felt.simple_mood == word


def test_a_simple_mood_stays_until_it_is_clearly_over() -> None:
    values = {**dict.fromkeys(Emotion, 0.0), Emotion.HAPPY: 0.45}
    assert simple_mood_of(values) == "Default"
    assert simple_mood_of(values, "Happy") == "Happy"
    assert simple_mood_of({**values, Emotion.HAPPY: 0.35}, "Happy") == "Default"


@pytest.mark.parametrize(
    ("emotion", "valence", "arousal"),
    [(Emotion.HAPPY, 1, 0), (Emotion.EXCITED, 0, 1), (Emotion.CALM, 1, -1)],
)
def test_the_face_gets_pleasantness_and_liveliness(
    emotion: Emotion, valence: int, arousal: int
) -> None:
    affect = affect_of({**dict.fromkeys(Emotion, 0.0), emotion: 0.5})
    assert [affect.valence > 0, affect.valence < 0] == [valence > 0, valence < 0]
    assert [affect.arousal > 0, affect.arousal < 0] == [arousal > 0, arousal < 0]


AMOUNTS = st.floats(-2, 2)
STEPS = st.lists(st.tuples(st.sampled_from(Emotion), AMOUNTS, st.floats(0, 200)), max_size=30)


@given(STEPS)
def test_emotions_stay_in_range_whatever_happens(
    steps: list[tuple[Emotion, float, float]],
) -> None:
    felt, now = mood(), 0.0
    for emotion, amount, pause in steps:
        now += pause
        felt.add(emotion, amount, now)
        felt.update(now + pause / 2)
        assert all(-1 <= value <= 1 for value in felt.values.values())
        assert abs(felt.affect.valence) <= 1
        assert abs(felt.affect.arousal) <= 1


@given(STEPS, st.lists(st.floats(0, 60), min_size=1, max_size=20))
def test_waiting_never_makes_an_emotion_stronger(
    steps: list[tuple[Emotion, float, float]], pauses: list[float]
) -> None:
    felt, now = mood(), 0.0
    for emotion, amount, pause in steps:
        now += pause
        felt.add(emotion, amount, now)
    felt.update(now)
    for pause in pauses:
        before = felt.values
        now += pause
        felt.update(now)
        for emotion, value in felt.values.items():
            assert abs(value) <= abs(before[emotion]) + 1e-12
            assert value * before[emotion] >= 0


# -- files


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
