"""Needs grow, are served, and get more or less urgent, as their files say (spec 12 §3, 11 §9)."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cozmo_driver.behavior.needs import LONGEST_ABSENCE, Needs, NeedsSnapshot
from cozmo_driver.behavior.needs_config import (
    Bracket,
    Decay,
    Need,
    NeedAction,
    NeedsConfig,
    load_needs_config,
)

from ..trees import OWN as OWN_TREE
from ..trees import tree_with

OWN = load_needs_config([OWN_TREE])
STEADY = dict.fromkeys(Need, ((0.5, 0.02), (0.0, 0.01)))
CONFIG = NeedsConfig(
    connected=Decay(STEADY, {Need.REPAIR: ((0.3, {}), (0.03, {Need.PLAY: 2.0}))}),
    unconnected=Decay({Need.ENERGY: ((0.0, 0.001),)}),
    actions={
        action.id: action
        for action in (
            NeedAction("Feed", {Need.ENERGY: (0.3, 0.0)}),
            NeedAction("Romp", {Need.PLAY: (0.2, 0.05), Need.ENERGY: (-0.1, 0.0)}, 30.0),
        )
    },
)
MINUTE = 60.0


def needs_at(
    repair: float = 0.8, energy: float = 0.8, play: float = 0.8, config: NeedsConfig = CONFIG
) -> Needs:
    levels = {Need.REPAIR: repair, Need.ENERGY: energy, Need.PLAY: play}
    return Needs(config, 0.0, random.Random(1), NeedsSnapshot(levels))


@pytest.mark.parametrize(
    ("need", "level", "bracket"),
    [
        (Need.REPAIR, 0.989, Bracket.NORMAL),
        (Need.REPAIR, 0.26, Bracket.CRITICAL),
        (Need.ENERGY, 0.22, Bracket.WARNING),
        (Need.ENERGY, 0.2, Bracket.CRITICAL),
        (Need.PLAY, 0.49, Bracket.WARNING),
        (Need.PLAY, 0.13, Bracket.CRITICAL),
    ],
)
def test_a_level_is_in_its_bracket(need: Need, level: float, bracket: Bracket) -> None:
    assert OWN.bracket_of(need, level) is bracket


def test_needs_decay_each_minute_by_the_rate_of_their_level() -> None:
    needs = needs_at(play=0.51)
    needs.update(59.9)
    assert needs.level(Need.PLAY) == 0.51
    needs.update(MINUTE)
    assert needs.level(Need.PLAY) == pytest.approx(0.49)
    needs.update(2 * MINUTE)
    assert needs.level(Need.PLAY) == pytest.approx(0.48)


def test_a_long_pause_counts_as_its_minutes() -> None:
    at_once, by_and_by = needs_at(), needs_at()
    for minute in range(1, 31):
        by_and_by.update(minute * MINUTE)
    at_once.update(30 * MINUTE)
    assert at_once.levels == pytest.approx(by_and_by.levels)


@pytest.mark.parametrize(("repair", "loss"), [(0.5, 0.01), (0.25, 0.02)])
def test_a_broken_robot_loses_its_fun_twice_as_fast(repair: float, loss: float) -> None:
    needs = needs_at(repair=repair, play=0.4)
    needs.update(MINUTE)
    assert needs.level(Need.PLAY) == pytest.approx(0.4 - loss)


def test_a_need_that_became_full_stays_so_for_1200_s() -> None:
    needs = needs_at(energy=0.8)
    needs.apply("Feed", 30.0)
    needs.update(1200.0)
    assert needs.level(Need.ENERGY) == 1.0
    needs.update(1260.0)
    assert needs.level(Need.ENERGY) < 1.0


def test_brackets_are_told_when_they_change() -> None:
    needs = needs_at(energy=0.61)
    (change,) = needs.update(MINUTE)
    assert (change.need, change.before, change.after) == (
        Need.ENERGY,
        Bracket.NORMAL,
        Bracket.WARNING,
    )
    assert needs.update(MINUTE) == ()
    (change,) = needs.apply("Feed", 90.0).changes
    assert change.after is Bracket.NORMAL


def test_an_action_serves_and_costs_and_waits_for_its_cooldown() -> None:
    needs = needs_at()
    outcome = needs.apply("Romp", 10.0)
    assert outcome.refusal == ""
    assert 0.15 <= outcome.deltas[Need.PLAY] <= 0.2
    assert outcome.deltas[Need.ENERGY] == pytest.approx(-0.1)
    assert needs.apply("Romp", 25.0).refusal == "Romp counts again in 15 s"
    assert needs.level(Need.ENERGY) == pytest.approx(0.7)
    assert needs.apply("Romp", 40.0).refusal == ""


def test_an_action_nobody_knows_is_refused_and_counted() -> None:
    needs = needs_at()
    assert needs.apply("Fly", 0.0).refusal == "there is no action 'Fly'"
    assert needs.unknown_actions == {"Fly": 1}
    assert needs.levels == needs_at().levels


def test_time_away_counts_with_the_rates_without_a_connection() -> None:
    saved = needs_at().snapshot(0.0)
    needs = Needs(CONFIG, 5000.0, random.Random(1), saved, away=100 * MINUTE)
    assert needs.level(Need.ENERGY) == pytest.approx(0.7)
    assert needs.level(Need.PLAY) == 0.8
    assert needs.update(5000.0) == ()


def test_a_full_need_stays_full_for_the_rest_of_its_time_over_a_restart() -> None:
    needs = needs_at()
    needs.apply("Feed", 0.0)
    saved = needs.snapshot(600.0)
    assert saved.hold[Need.ENERGY] == 600.0
    later = Needs(CONFIG, 0.0, random.Random(1), saved, away=300.0)
    later.update(299.0)
    assert later.level(Need.ENERGY) == 1.0
    later.update(300.0)
    assert later.level(Need.ENERGY) < 1.0


def test_a_year_away_is_survived_in_no_time() -> None:
    saved = needs_at().snapshot(0.0)
    needs = Needs(OWN, 0.0, random.Random(1), saved, away=365 * 86400.0)
    capped = Needs(OWN, 0.0, random.Random(1), saved, away=LONGEST_ABSENCE)
    assert needs.levels == capped.levels
    assert set(needs.brackets.values()) == {Bracket.CRITICAL}


@pytest.mark.parametrize(
    ("need", "minutes"),
    [
        (Need.PLAY, (20, 55, 83)),
        (Need.ENERGY, (22, 99, 204)),
        (Need.REPAIR, (34, 591, 1151)),
    ],
)
def test_a_robot_left_alone_gets_wanting_when_a_real_one_does(
    need: Need, minutes: tuple[int, int, int]
) -> None:
    """Times of spec 14; Play alone, as a broken robot loses it faster."""
    needs = Needs(OWN, 0.0, random.Random(1))
    reached: dict[Bracket, int] = {}
    for minute in range(1, 1300):
        for change in needs.update(minute * MINUTE):
            if change.need is need:
                reached.setdefault(change.after, minute)
    for bracket, expected in zip(list(Bracket)[1:], minutes, strict=True):
        assert reached[bracket] == pytest.approx(expected, rel=0.03, abs=1)


STEPS = st.lists(st.tuples(st.sampled_from(sorted(OWN.actions)), st.floats(0, 20_000)), max_size=20)


@given(STEPS, st.integers(0, 1000))
def test_levels_stay_in_range_whatever_happens(steps: list[tuple[str, float]], seed: int) -> None:
    needs, now = Needs(OWN, 0.0, random.Random(seed)), 0.0
    for action, pause in steps:
        now += pause
        needs.update(now)
        needs.apply(action, now)
        assert all(OWN.least <= level <= OWN.most for level in needs.levels.values())


@given(st.lists(st.floats(0, 50_000), max_size=20), st.floats(0, 1), st.booleans())
def test_waiting_never_satisfies_a_need(pauses: list[float], level: float, on: bool) -> None:
    needs, now = needs_at(level, level, level, OWN), 0.0
    needs.is_connected = on
    for pause in pauses:
        before = needs.levels
        now += pause
        needs.update(now)
        assert all(needs.level(need) <= before[need] for need in Need)


def test_a_level_is_set_unless_it_is_no_number() -> None:
    needs = needs_at()
    assert needs.set_level(Need.PLAY, math.nan, 0.0) == ()
    (change,) = needs.set_level(Need.PLAY, 0.1, 0.0)
    assert change.after is Bracket.CRITICAL
    assert needs.level(Need.PLAY) == pytest.approx(0.1)


# -- files


RATES = [{"Threshold": 0, "DecayPerMinute": 0.01}, {"Threshold": 0.5, "DecayPerMinute": 0.02}]


def decay_file(**modifiers: Any) -> dict[str, Any]:
    return {
        "DecayRates": {"ConnectedDecayRatesPlay": RATES, "UnconnectedDecayRatesEnergy": RATES[:1]},
        "DecayModifiers": modifiers,
    }


def test_our_own_files_are_complete_and_read_without_warnings() -> None:
    assert OWN.warnings == ()
    assert set(OWN.connected.rates) == set(OWN.unconnected.rates) == set(Need)
    served = {
        need for action in OWN.actions.values() for need, (d, _) in action.deltas.items() if d > 0
    }
    assert served == set(Need)


def test_the_app_s_format_is_read(tmp_path: Path) -> None:
    levels = {
        "MinimumNeedLevel": 0.1,
        "InitialNeedLevelPlay": 0.7,
        "BracketLevelPlay": {"Full": 0.9, "Normal": 0.5, "Warning": 0.3},
        "FullnessDecayCooldownPlay": 60,
        "Unknown": [],
    }
    factor = [{"OtherNeedID": "Play", "Multiplier": 3}]
    decay = decay_file(ConnectedDecayModifiersRepair=[{"Threshold": 0.2, "Others": factor}])
    feed = {"actionId": "Feed", "energyDelta": 0.3, "energyDeltaRange": 0.05, "playdelta": -0.1}
    feed |= {"cooldown": 4, "freeplaySparksRewardWeight": 1.5}
    files = {
        "needs_config.json": levels,
        "needs_decay_config.json": decay,
        "needs_action_config.json": {"actionDeltas": [feed]},
    }
    config = load_needs_config([tree_with(tmp_path, files)])
    assert config.warnings == ()
    assert (config.least, config.initial[Need.PLAY], config.full_hold[Need.PLAY]) == (0.1, 0.7, 60)
    assert config.initial[Need.REPAIR] == 1.0
    assert config.brackets[Need.PLAY][Bracket.FULL] == 0.9
    assert config.connected == Decay(
        {Need.PLAY: ((0.5, 0.02), (0.0, 0.01))}, {Need.REPAIR: ((0.2, {Need.PLAY: 3.0}),)}
    )
    assert config.unconnected == Decay({Need.ENERGY: ((0.0, 0.01),)})
    read = config.actions["Feed"]
    assert read.deltas == {Need.ENERGY: (0.3, 0.05), Need.PLAY: (-0.1, 0.0)}
    assert (read.cooldown, read.sparks) == (4, 1.5)


def test_a_user_s_actions_go_before_and_ours_fill_in(tmp_path: Path) -> None:
    actions = {"actionDeltas": [{"actionId": "Feed", "energyDelta": 0.9}]}
    user = tree_with(tmp_path, {"needs_action_config.json": actions})
    config = load_needs_config([user, OWN_TREE])
    assert config.actions["Feed"].deltas == {Need.ENERGY: (0.9, 0.0)}
    assert "Danced" in config.actions


@pytest.mark.parametrize(
    ("kind", "content", "place"),
    [
        ("", {"MinimumNeedLevel": 1, "MaximumNeedLevel": 0.5}, "MaximumNeedLevel"),
        ("", {"DecayPeriodSeconds": 0}, "DecayPeriodSeconds"),
        ("", {"BracketLevelEnergy": {"Full": 0.2}}, "BracketLevelEnergy"),
        ("decay_", {}, "'DecayRates'"),
        ("decay_", decay_file(Sleep=[]), "DecayModifiers.Sleep"),
        (
            "decay_",
            decay_file(Repair=[{"Threshold": 0, "Others": [{"Multiplier": 2}]}]),
            "DecayModifiers.Repair[0].Others[0]",
        ),
        ("action_", {"actionDeltas": [{"actionId": "X", "playDelta": 7}]}, "[0].playDelta"),
        ("action_", {"actionDeltas": [{"playDelta": 0.1}]}, "actionDeltas[0]"),
    ],
)
def test_what_is_damaged_is_named_and_our_own_counts(
    tmp_path: Path, kind: str, content: Any, place: str
) -> None:
    file = f"needs_{kind}config.json"
    config = load_needs_config([tree_with(tmp_path, {file: content}), OWN_TREE])
    (warning,) = config.warnings
    assert warning.source.endswith(file)
    assert place in warning.text
    assert (config.brackets, config.connected, config.actions) == (
        OWN.brackets,
        OWN.connected,
        OWN.actions,
    )
