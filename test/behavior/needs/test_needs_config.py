"""The files of needs: the app's formats, this package's own, damaged ones (spec 11 §9)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cozmo_driver.behavior.needs_config import Bracket, Decay, Need, load_needs_config

from ..trees import OWN, tree_with

RATES = [{"Threshold": 0, "DecayPerMinute": 0.01}, {"Threshold": 0.5, "DecayPerMinute": 0.02}]


def decay_file(**modifiers: Any) -> dict[str, Any]:
    return {
        "DecayRates": {"ConnectedDecayRatesPlay": RATES, "UnconnectedDecayRatesEnergy": RATES[:1]},
        "DecayModifiers": modifiers,
    }


def test_our_own_files_are_complete_and_read_without_warnings() -> None:
    config = load_needs_config([OWN])
    assert config.warnings == ()
    assert set(config.connected.rates) == set(config.unconnected.rates) == set(Need)
    served = {
        need
        for action in config.actions.values()
        for need, (d, _) in action.deltas.items()
        if d > 0
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
    config = load_needs_config([user, OWN])
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
    config = load_needs_config([tree_with(tmp_path, {file: content}), OWN])
    own = load_needs_config([OWN])
    (warning,) = config.warnings
    assert warning.source.endswith(file)
    assert place in warning.text
    assert (config.brackets, config.connected, config.actions) == (
        own.brackets,
        own.connected,
        own.actions,
    )
