"""Emotions come, repeat and fade (spec 12 §2)."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cozmo_driver.behavior.mood import Mood, affect_of, simple_mood_of
from cozmo_driver.behavior.mood_config import Emotion, EmotionEvent, MoodConfig
from cozmo_driver.resources.views import Graph

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
