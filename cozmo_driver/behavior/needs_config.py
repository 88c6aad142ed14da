"""The three needs; their brackets, decay and actions, as the app's files hold them (spec 11 §9)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, IntEnum
from pathlib import Path

from ..resources import BadEntry, LoadWarning, View, files_in, usable


class Need(Enum):
    """By the names of the app's files."""

    REPAIR = "Repair"
    ENERGY = "Energy"
    PLAY = "Play"


class Bracket(IntEnum):
    """How urgent a need is; values of ``cozmo_interfaces/msg/Needs``."""

    FULL = 0
    NORMAL = 1
    WARNING = 2
    CRITICAL = 3

    @property
    def file_name(self) -> str:
        return self.name.capitalize()


CONFIG_FILE = "needs_config.json"
DECAY_FILE = "needs_decay_config.json"
ACTION_FILE = "needs_action_config.json"

_MOST_SECONDS = 1e7

Rates = tuple[tuple[float, float], ...]
"""Threshold of the level and loss per minute, highest threshold first."""
Modifiers = tuple[tuple[float, Mapping[Need, float]], ...]
"""Threshold of the level and factors for the decay of other needs, highest threshold first."""
Brackets = Mapping[Bracket, float]

_NAMES = {need.value.lower(): need for need in Need}


@dataclass(frozen=True, slots=True)
class NeedAction:
    """What doing something is worth: change and how far it varies, for each need it serves."""

    id: str
    deltas: Mapping[Need, tuple[float, float]]
    cooldown: float = 0.0
    """s in which it counts for nothing again."""
    sparks: float = 0.0
    """What it earns; 1 is a reward."""


@dataclass(frozen=True, slots=True)
class Decay:
    """How needs grow when nobody serves them; a need without rates stays as it is."""

    rates: Mapping[Need, Rates] = field(default_factory=dict)
    modifiers: Mapping[Need, Modifiers] = field(default_factory=dict)


def _spec_brackets() -> Mapping[Need, Brackets]:
    def of(*thresholds: float) -> Brackets:
        return dict(zip(Bracket, thresholds, strict=True))

    return {
        Need.REPAIR: of(0.99, 0.60, 0.27, 0),
        Need.ENERGY: of(0.99, 0.60, 0.21, 0),
        Need.PLAY: of(0.99, 0.50, 0.14, 0),
    }


@dataclass(frozen=True, slots=True)
class NeedsConfig:
    """All there is to know about needs; without a file nothing decays (spec 12 §3)."""

    least: float = 0.03
    most: float = 1.0
    period: float = 60.0
    """s between two decays."""
    initial: Mapping[Need, float] = field(default_factory=lambda: dict.fromkeys(Need, 1.0))
    brackets: Mapping[Need, Brackets] = field(default_factory=_spec_brackets)
    """Least level of each bracket."""
    full_hold: Mapping[Need, float] = field(default_factory=lambda: dict.fromkeys(Need, 1200.0))
    """s without decay after a need became full."""
    connected: Decay = Decay()
    unconnected: Decay = Decay()
    actions: Mapping[str, NeedAction] = field(default_factory=dict)
    warnings: tuple[LoadWarning, ...] = ()
    """What was left out."""

    def bracket_of(self, need: Need, level: float) -> Bracket:
        thresholds = self.brackets[need]
        return next((b for b in Bracket if level >= thresholds[b]), Bracket.CRITICAL)


def load_needs_config(trees: Sequence[Path]) -> NeedsConfig:
    """Read the trees; of each file the first good one counts, of each action the first."""
    warnings: list[LoadWarning] = []
    actions: dict[str, NeedAction] = {}
    for view in files_in(trees, ACTION_FILE, warnings):
        for listed in usable([view], lambda one: one.at("actionDeltas").items(), warnings):
            for action in usable(listed, _action, warnings):
                actions.setdefault(action.id, action)
    decays = usable(files_in(trees, DECAY_FILE, warnings), _decays, warnings)
    connected, unconnected = next(decays, (Decay(), Decay()))
    views = files_in(trees, CONFIG_FILE, warnings)

    def read(view: View) -> NeedsConfig:
        return _levels(view, connected, unconnected, actions)

    config = next(usable(views, read, warnings), None)
    if config is None:
        config = NeedsConfig(connected=connected, unconnected=unconnected, actions=actions)
    return replace(config, warnings=tuple(warnings))


def _levels(
    view: View, connected: Decay, unconnected: Decay, actions: Mapping[str, NeedAction]
) -> NeedsConfig:
    known = NeedsConfig()
    least = view.number_at("MinimumNeedLevel", known.least, 0, 1)
    most = view.number_at("MaximumNeedLevel", known.most, 0, 1)
    if least >= most:
        view.at("MinimumNeedLevel").refuse("is not below 'MaximumNeedLevel'")
    return NeedsConfig(
        least=least,
        most=most,
        period=view.number_at("DecayPeriodSeconds", known.period, 1, 3600),
        initial={
            need: view.number_at(f"InitialNeedLevel{need.value}", most, least, most)
            for need in Need
        },
        brackets={need: _brackets(view, need, known.brackets[need]) for need in Need},
        full_hold={
            need: view.number_at(
                f"FullnessDecayCooldown{need.value}", known.full_hold[need], 0, _MOST_SECONDS
            )
            for need in Need
        },
        connected=connected,
        unconnected=unconnected,
        actions=actions,
    )


def _brackets(view: View, need: Need, default: Brackets) -> Brackets:
    found = view.get(f"BracketLevel{need.value}")
    if found is None:
        return default
    thresholds = {b: found.number_at(b.file_name, default[b], 0, 1) for b in Bracket}
    if list(thresholds.values()) != sorted(thresholds.values(), reverse=True):
        found.refuse("does not fall from Full to Critical")
    return thresholds


# -- decay


def _decays(view: View) -> tuple[Decay, Decay]:
    rates, modifiers = view.at("DecayRates"), view.get("DecayModifiers")
    return _decay("Connected", rates, modifiers), _decay("Unconnected", rates, modifiers)


def _decay(kind: str, rates: View, modifiers: View | None) -> Decay:
    of_rates = {}
    for need in Need:
        found = rates.get(f"{kind}DecayRates{need.value}")
        if found is not None:
            of_rates[need] = tuple(sorted(map(_rate, found.items()), reverse=True))
    of_modifiers = {}
    for need, found in _modifiers_by_need(kind, modifiers):
        entries = [(one.at("Threshold").number(0, 1), _factors(one)) for one in found.items()]
        of_modifiers[need] = tuple(sorted(entries, key=lambda entry: -entry[0]))
    return Decay(of_rates, of_modifiers)


def _rate(view: View) -> tuple[float, float]:
    return view.at("Threshold").number(0, 1), view.at("DecayPerMinute").number(0, 1)


def _modifiers_by_need(kind: str, modifiers: View | None) -> Iterator[tuple[Need, View]]:
    """The keys name a need and may say for which set of rates they are; else they are for both."""
    for key, found in modifiers.entries() if modifiers else ():
        set_name = re.match("(un)?connected", key, re.IGNORECASE)
        need = next((need for name, need in _NAMES.items() if key.lower().endswith(name)), None)
        if need is None:
            found.refuse("names no need")
        if set_name is None or set_name.group().lower() == kind.lower():
            yield need, found


def _factors(view: View) -> Mapping[Need, float]:
    """How the list of other needs and their names are spelled is not known for sure."""
    factors = {}
    for key, found in view.entries():
        if not isinstance(found.value, list):
            continue
        for other in found.items():
            named = [n for _, v in other.entries() if (n := _NAMES.get(str(v.value).lower()))]
            if len(named) != 1:
                other.refuse(f"names no need in {key!r}")
            factors[named[0]] = other.at("Multiplier").number(0, 1000)
    return factors


# -- actions


def _action(view: View) -> NeedAction:
    """How the keys of an action are spelled is not known for sure (spec 11 §9)."""
    values: dict[tuple[Need, str], float] = {}
    cooldown = sparks = 0.0
    for key, found in view.entries():
        word = key.lower()
        need = next((need for name, need in _NAMES.items() if name in word), None)
        if "sparks" in word:
            sparks = found.number(0, 1e6)
        elif need is not None and "range" in word:
            values[need, "range"] = found.number(0, 1)
        elif need is not None and "delta" in word:
            values[need, "delta"] = found.number(-1, 1)
        elif need is None and "cooldown" in word:
            cooldown = found.number(0, _MOST_SECONDS)
    deltas = {
        need: (values.get((need, "delta"), 0.0), values.get((need, "range"), 0.0))
        for need in Need
        if (need, "delta") in values or (need, "range") in values
    }
    return NeedAction(_action_id(view), deltas, cooldown, sparks)


def _action_id(view: View) -> str:
    for key in ("actionId", "actionID"):
        found = view.get(key)
        if found is not None:
            return found.text()
    raise BadEntry(view.source, view.path, "has no 'actionId'")
