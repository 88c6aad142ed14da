"""Which behaviour answers a trigger, as the app's file holds it (spec 11 §7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..resources import LoadWarning, View, files_in, usable
from .triggers import RULES, Trigger, UnknownTrigger, trigger_named

MAP_FILE = "behaviorSystem/reactionTrigger_behavior_map.json"
_LONGEST = 1e7
_MOST_HICCUPS = 1000


@dataclass(frozen=True, slots=True)
class FrustrationParams:
    """Below which confidence, and s before it may come again."""

    max_confidence: float
    cooldown: float = 60.0


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

    objective: str
    probability: float = 1.0
    cooldown: float = 0.0
    expiration: float = 3.0


@dataclass(frozen=True, slots=True)
class MappedReaction:
    trigger: Trigger
    behavior: str
    resumes: bool = True
    may_interrupt: bool = False
    """It may interrupt the reaction to another trigger."""
    cooldown: float = 0.0
    frustration: FrustrationParams | None = None
    hiccup: HiccupParams | None = None
    objectives: tuple[ObjectiveParams, ...] = ()


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
    frustration, hiccup = view.get("frustrationParams"), view.get("hiccupParams")
    objectives = view.get("behaviorObjectiveTriggerParams")
    return MappedReaction(
        trigger,
        view.at("behaviorID").text(),
        generic.flag_at("shouldResumeLast", rule.resumes),
        generic.flag_at("canInterruptOtherTriggeredBehavior", False),
        generic.number_at("cooldownTime_s", rule.cooldown, 0, _LONGEST),
        _frustration(frustration) if frustration else None,
        _hiccup(hiccup) if hiccup else None,
        tuple(map(_objective, objectives.items())) if objectives else (),
    )


def _frustration(view: View) -> FrustrationParams:
    return FrustrationParams(
        view.at("maxConfidence").number(-1, 1), view.number_at("cooldownTime_s", 60.0, 0, _LONGEST)
    )


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


def _objective(view: View) -> ObjectiveParams:
    return ObjectiveParams(
        view.at("behaviorObjective").text(),
        view.number_at("triggerProbability", 1.0, 0, 1),
        view.number_at("triggerCooldownTime_s", 0.0, 0, _LONGEST),
        view.number_at("triggerExpiration_s", 3.0, 0, _LONGEST),
    )
