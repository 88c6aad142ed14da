"""Emotions by the names of the app's files, what makes them and how they fade (spec 11 §6)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import pairwise
from pathlib import Path

from ..resources import (
    ENGINE,
    Graph,
    LoadWarning,
    View,
    files_in,
    merge,
    usable,
    usable_at,
    views_in,
)


class Emotion(Enum):
    """Each from -1 to 1; 0 is at rest. In the order of ``cozmo_interfaces/msg/Mood``."""

    HAPPY = "Happy"
    CALM = "Calm"
    BRAVE = "Brave"
    CONFIDENT = "Confident"
    EXCITED = "Excited"
    SOCIAL = "Social"
    WANT_TO_PLAY = "WantToPlay"
    CHARGED = "Charged"
    WINNING = "Winning"


EMOTIONS = {emotion.value: emotion for emotion in Emotion}
"""By name."""


MOOD_FILE = "mood_config.json"
EVENTS_FOLDER = "emotionevents"
_DEFAULT = "default"

# spec 12 §2: seconds, and what is left of an emotion then.
DEFAULT_DECAY = Graph(((0, 1), (10, 1), (30, 0.9), (75, 0.6), (150, 0)))
DECAY: Mapping[Emotion, Graph] = {
    Emotion.CONFIDENT: Graph(((0, 1), (30, 1), (60, 0.5), (70, 0))),
    Emotion.SOCIAL: Graph(((0, 1), (10, 1), (20, 0.6), (60, 0.2), (100, 0))),
    Emotion.WANT_TO_PLAY: Graph(((0, 1),)),
}
REPETITION = Graph(((0, 0), (30, 1)))
"""Seconds since the same event, and what it is worth then."""


@dataclass(frozen=True, slots=True)
class EmotionEvent:
    """Something that changes emotions by some amounts, -1 to 1."""

    name: str
    affectors: tuple[tuple[Emotion, float], ...]
    repetition: Graph | None = None
    """What it is worth by the seconds since the last one; None: the mood's default."""


@dataclass(frozen=True, slots=True)
class MoodConfig:
    """How emotions come and go; without a file as the engine has it, with no events."""

    decay: Mapping[Emotion, Graph] = field(
        default_factory=lambda: {e: DECAY.get(e, DEFAULT_DECAY) for e in Emotion}
    )
    repetition: Graph = REPETITION
    events: Mapping[str, EmotionEvent] = field(default_factory=dict)
    action_results: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Name of the event by type and result of an action."""
    warnings: tuple[LoadWarning, ...] = ()
    """What was left out."""


def load_mood_config(trees: Sequence[Path]) -> MoodConfig:
    """Read the trees; an earlier tree goes before, for each emotion, event and action result."""
    warnings: list[LoadWarning] = []
    decay: dict[Emotion, Graph] = {}
    default_decay = repetition = None
    events: dict[str, EmotionEvent] = {}
    results: dict[str, dict[str, str]] = {}
    for view in files_in(trees, MOOD_FILE, warnings):
        for emotion, graph in usable_at(view, "decayGraphs", _decay, warnings):
            if emotion is None:
                default_decay = default_decay or graph
            else:
                decay.setdefault(emotion, graph)
        penalties = usable(_optional(view, "defaultRepetitionPenalty"), _penalty, warnings)
        repetition = next(penalties, None) if repetition is None else repetition
        for mapper in _optional(view, "eventMapper"):
            for event in usable_at(mapper, "emotionEvents", _event, warnings):
                events.setdefault(event.name, event)
        results_at = _optional(view, "actionResultEmotionEvents")
        for found in usable(results_at, lambda one: dict(one.entries()), warnings):
            for action, names in usable(found.values(), _action_results, warnings):
                results[action] = names | results.get(action, {})
    for tree in trees:
        found_events = (
            (event.name, view.source, event)
            for view in views_in(tree / ENGINE / EVENTS_FOLDER, warnings)
            for event in _events_of(view, warnings)
        )
        merge(events, found_events, warnings)
    rest = default_decay or DEFAULT_DECAY
    fallback = {} if default_decay else DECAY
    return MoodConfig(
        {emotion: decay.get(emotion, fallback.get(emotion, rest)) for emotion in Emotion},
        REPETITION if repetition is None else repetition,
        events,
        results,
        tuple(warnings),
    )


def _decay(view: View) -> tuple[Emotion | None, Graph]:
    name = view.at("emotionType").text()
    if name != _DEFAULT and name not in EMOTIONS:
        view.at("emotionType").refuse(f"is no emotion: {name!r}")
    graph = view.graph()
    levels = [y for _, y in graph.nodes]
    if min(levels) < 0 or max(levels) > 1:
        view.at("nodes").refuse("has a factor that is not from 0 to 1")
    if any(after > before for before, after in pairwise(levels)):
        view.at("nodes").refuse("makes an emotion grow by waiting")
    return EMOTIONS.get(name), graph


def _penalty(view: View) -> Graph:
    graph = view.graph()
    if any(not 0 <= y <= 1 for _, y in graph.nodes):
        view.refuse("has a factor that is not from 0 to 1")
    return graph


def _event(view: View) -> EmotionEvent:
    affectors = view.at("emotionAffectors").items()
    penalty = view.get("repetitionPenalty")
    return EmotionEvent(
        view.at("name").text(),
        tuple(map(_affector, affectors)),
        None if penalty is None else _penalty(penalty),
    )


def _affector(view: View) -> tuple[Emotion, float]:
    name = view.at("emotionType").text()
    if name not in EMOTIONS:
        view.at("emotionType").refuse(f"is no emotion: {name!r}")
    return EMOTIONS[name], view.at("value").number(-1, 1)


def _action_results(view: View) -> tuple[str, dict[str, str]]:
    action = view.path.rpartition(".")[2]
    return action, {result: name.text() for result, name in view.entries() if name.value != ""}


def _optional(view: View, key: str) -> list[View]:
    found = view.get(key) if isinstance(view.value, dict) else None
    return [] if found is None else [found]


def _events_of(view: View, warnings: list[LoadWarning]) -> Iterator[EmotionEvent]:
    """A file holds one event or a list of them."""
    if isinstance(view.value, dict) and "emotionEvents" in view.value:
        return usable_at(view, "emotionEvents", _event, warnings)
    return usable([view], _event, warnings)
