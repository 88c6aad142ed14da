"""Which behaviour answers a trigger, as the app's file holds it (spec 11 §7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..resources import LoadWarning, View, each, files_in, key, number, record, usable
from .triggers import RULES, Trigger, UnknownTrigger, trigger_named

MAP_FILE = "behaviorSystem/reactionTrigger_behavior_map.json"
_LONGEST = 1e7
_MOST_HICCUPS = 1000


@dataclass(frozen=True, slots=True)
class FrustrationParams:
    """Below which confidence, and s before it may come again."""

    max_confidence: float = key("maxConfidence", number(-1, 1))
    cooldown: float = key("cooldownTime_s", number(0, _LONGEST), 60.0)


@dataclass(frozen=True, slots=True)
class HiccupParams:
    """Least and most s between bouts, hiccups of a bout and s between them; s of immunity."""

    every: tuple[float, float] = (300.0, 3300.0)
    count: tuple[int, int] = (5, 10)
    spacing: tuple[float, float] = (4.5, 8.0)
    immunity: float = 600.0


@dataclass(frozen=True, slots=True)
class ObjectiveParams:
    """A goal that a behaviour reports; with which probability, and s between and until."""

    objective: str = key("behaviorObjective", View.text)
    probability: float = key("triggerProbability", number(0, 1), 1.0)
    cooldown: float = key("triggerCooldownTime_s", number(0, _LONGEST), 0.0)
    expiration: float = key("triggerExpiration_s", number(0, _LONGEST), 3.0)


def _hiccup(view: View) -> HiccupParams:
    known = HiccupParams()
    low, high = _range(view, "HiccupOccurrenceFrequency_s", known.every, _LONGEST)
    least, most = _range(view, "NumberOfHiccupsToDo", known.count, _MOST_HICCUPS)
    spacing = (known.spacing[0] * 1000, known.spacing[1] * 1000)
    near, far = _range(view, "HiccupSpacing_ms", spacing, _LONGEST)
    immunity = view.number_at("hiccupsWontOccurAfterBeingCuredTime_s", known.immunity, 0, _LONGEST)
    return HiccupParams(
        (low, high), (max(1, int(least)), max(1, int(most))), (near / 1000, far / 1000), immunity
    )


def _range(view: View, name: str, default: tuple[float, float], most: float) -> tuple[float, float]:
    low = view.number_at(f"min{name}", default[0], 0, most)
    high = view.number_at(f"max{name}", max(low, default[1]), 0, most)
    if low > high:
        view.at(f"min{name}").refuse(f"is greater than 'max{name}'")
    return low, high


@dataclass(frozen=True, slots=True)
class MappedReaction:
    trigger: Trigger
    behavior: str = key("behaviorID", View.text)
    resumes: bool = True
    may_interrupt: bool = False
    """It may interrupt the reaction to another trigger."""
    cooldown: float = 0.0
    frustration: FrustrationParams | None = key(
        "frustrationParams", record(FrustrationParams), None
    )
    hiccup: HiccupParams | None = key("hiccupParams", _hiccup, None)
    objectives: tuple[ObjectiveParams, ...] = key(
        "behaviorObjectiveTriggerParams", each(record(ObjectiveParams)), ()
    )


Entries = tuple[MappedReaction, ...]


@dataclass(frozen=True, slots=True)
class ReactionMap:
    """The reactions to each trigger: of each file that has some, in the order of the file.

    Those of an earlier tree go before; a later one's are for behaviours that are not there.
    """

    reactions: Mapping[Trigger, tuple[Entries, ...]] = field(default_factory=dict)
    warnings: tuple[LoadWarning, ...] = ()
    """What was left out."""


def load_reaction_map(trees: Sequence[Path]) -> ReactionMap:
    warnings: list[LoadWarning] = []
    reactions: dict[Trigger, tuple[Entries, ...]] = {}
    for view in files_in(trees, MAP_FILE, warnings):
        of_file: dict[Trigger, Entries] = {}
        for listed in usable(
            [view], lambda one: one.at("reactionTriggerBehaviorMap").items(), warnings
        ):
            for entry in usable(listed, _entry, warnings):
                of_file[entry.trigger] = (*of_file.get(entry.trigger, ()), entry)
        for trigger, entries in of_file.items():
            reactions[trigger] = (*reactions.get(trigger, ()), entries)
    return ReactionMap(reactions, tuple(warnings))


def _entry(view: View) -> MappedReaction:
    named = view.at("reactionTrigger")
    try:
        trigger = trigger_named(named.text())
    except UnknownTrigger as error:
        named.refuse(f"is unknown: {error}")
    rule = RULES[trigger]
    generic = view.get("genericStrategyParams") or View({}, view.source, view.path)
    return view.read(
        MappedReaction,
        trigger=trigger,
        resumes=generic.flag_at("shouldResumeLast", rule.resumes),
        may_interrupt=generic.flag_at("canInterruptOtherTriggeredBehavior", False),
        cooldown=generic.number_at("cooldownTime_s", rule.cooldown, 0, _LONGEST),
    )
