"""The files of a life: behaviours, activities, choosers, as the app has them (spec 11 §7, §8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..resources import Graph, View

_SHOULD_END = 60.0
_CLIPS = (
    "idleAnimTrigger",
    "driveStartAnimTrigger",
    "driveLoopAnimTrigger",
    "driveStopAnimTrigger",
)


@dataclass(frozen=True, slots=True)
class BehaviorConfig:
    """One behaviour of the files: its id, what does it, and everything else the file says."""

    id: str
    class_name: str
    source: str = ""
    values: Mapping[str, Any] = field(default_factory=dict, hash=False)

    # A value of a wrong type raises ``ConfigError``.

    def number(self, key: str, default: float) -> float:
        return self._view(key).number_at(key, default)

    def text(self, key: str, default: str = "") -> str:
        return self._view(key).text_at(key, default)

    def texts(self, key: str) -> tuple[str, ...]:
        return tuple(one.text() for one in self._view(key).items_at(key) if one.value)

    def flag(self, key: str, default: bool = False) -> bool:
        return self._view(key).flag_at(key, default)

    def graph(self, key: str) -> Graph | None:
        return self._view(key).graph_at(key)

    def _view(self, key: str) -> View:
        params = self.values.get("params")
        is_nested = key not in self.values and isinstance(params, dict)
        return View(params if is_nested else self.values, f"{self.source}: {self.id}")


@dataclass(frozen=True, slots=True)
class EmotionScorer:
    emotion: str
    graph: Graph


@dataclass(frozen=True, slots=True)
class Scoring:
    """How much a behaviour would be chosen (spec 12 §7); x of the penalties is seconds."""

    flat: float = 0.0
    emotions: tuple[EmotionScorer, ...] = ()
    repetition_penalty: Graph | None = None
    running_penalty: Graph | None = None
    objective: str = ""
    """A goal that counts as a run when another behaviour reaches it."""


@dataclass(frozen=True, slots=True)
class ChooserConfig:
    type: str
    behaviors: tuple[tuple[str, Scoring], ...] = ()
    current_bonus: Graph | None = None


@dataclass(frozen=True, slots=True)
class StrategyConfig:
    """When an activity may begin and end; seconds."""

    type: str = "Simple"
    can_end: float = -1.0
    should_end: float = _SHOULD_END
    cooldown: float = -1.0
    cooldown_randomness: float = 0.0
    starts_in_cooldown: bool = False
    least_mood: float = 0.0
    mood: tuple[EmotionScorer, ...] = ()
    recent_on_treads: float = 0.0
    feature: str = ""
    need: str = ""
    bracket: str = ""
    need_cooldown: Graph | None = None
    hours: tuple[float, float] | None = None
    """Of the day, from and to; over midnight where the first is the greater one."""


@dataclass(frozen=True, slots=True)
class SparkConfig:
    """How an activity that was asked for by its spark goes on; seconds, animation triggers."""

    name: str
    least_time: float = 0.0
    most_time: float = 120.0
    repetitions: int = 1
    objective: str = ""
    """The goal that counts; empty: its behaviours' ends do."""
    opening: str = ""
    success: str = ""
    failure: str = ""


@dataclass(frozen=True, slots=True)
class RequiredObjective:
    """A goal that an activity wants to reach before it ends, at times."""

    name: str
    probability: float = 1.0
    least: int = 1
    most: int = 1


@dataclass(frozen=True, slots=True)
class ActivityClips:
    """Animation triggers beside what an activity's behaviours do; empty for none."""

    idle: str = ""
    drive_start: str = ""
    drive_loop: str = ""
    drive_stop: str = ""


NO_CLIPS = ActivityClips()


@dataclass(frozen=True, slots=True)
class ActivityConfig:
    id: str
    type: str
    source: str = ""
    strategy: StrategyConfig = StrategyConfig()
    chooser: ChooserConfig | None = None
    interlude: ChooserConfig | None = None
    children: tuple[str, ...] = ()
    desired: Mapping[str, str] = field(default_factory=dict, hash=False)
    spark: SparkConfig | None = None
    objectives: tuple[RequiredObjective, ...] = ()
    needs_action: str = ""
    clips: ActivityClips = NO_CLIPS


def read_behavior(view: View) -> BehaviorConfig:
    """Return a behaviour of a file. Raises ``ConfigError``."""
    name = view.at("behaviorID").text()
    return BehaviorConfig(name, view.at("behaviorClass").text(), view.source, view.value)


def read_activities(view: View) -> list[ActivityConfig]:
    """Return an activity of a file and those written inside it. Raises ``ConfigError``."""
    name = (view.get("activityID") or view.get("highLevelID") or view.at("activityID")).text()
    children, inner = [], []
    delegate = view.get("subActivityDelegate")
    for child in (*([delegate] if delegate else []), *view.items_at("subActivities")):
        if isinstance(child.value, str):
            children.append(child.text())
            continue
        keys = {key for key, _ in child.entries()}
        if keys & {"activityType", "activityStrategy", "behaviorChooser"}:
            inner += read_activities(child)
        children.append(child.at("activityID").text())
    desired = view.get("desiredActivityNames")
    # The universal chooser counts where there is no other; setup choosers need what is built.
    chooser = view.get("behaviorChooser") or view.get("universalChooser")
    interlude = view.get("interludeBehaviorChooser")
    spark, strategy = _spark(view), view.get("activityStrategy") or view.with_value({})
    activity = ActivityConfig(
        id=name,
        type=view.text_at("activityType", "BehaviorsOnly"),
        source=view.source,
        strategy=_strategy(strategy, -1.0 if spark else _SHOULD_END),
        chooser=_chooser(chooser) if chooser else None,
        interlude=_chooser(interlude) if interlude else None,
        children=tuple(children),
        desired={
            key: found.value
            for key, found in (desired.entries() if desired else ())
            if isinstance(found.value, str)
        },
        spark=spark,
        objectives=tuple(map(_objective, view.items_at("requiredObjectives"))),
        needs_action=view.text_at("needsActionID"),
        clips=ActivityClips(*map(view.text_at, _CLIPS)),
    )
    return [activity, *inner]


def _chooser(view: View) -> ChooserConfig:
    behaviors = []
    for one in view.items_at("behaviors"):
        if isinstance(one.value, str):
            behaviors.append((one.value, Scoring(flat=1.0)))
            continue
        scoring = one.get("scoring")
        found = Scoring(flat=1.0) if scoring is None else _scoring(scoring)
        behaviors.append((one.at("behaviorID").text(), found))
    bonus = view.graph_at("scoreBonusForCurrentBehavior")
    return ChooserConfig(view.text_at("type", "Scoring"), tuple(behaviors), bonus)


def _scoring(view: View) -> Scoring:
    return Scoring(
        view.number_at("flatScore", 0.0),
        tuple(map(_scorer, view.items_at("emotionScorers"))),
        view.graph_at("repetitionPenalty"),
        view.graph_at("runningPenalty"),
        view.text_at("considerThisHasRunForBehaviorObjective"),
    )


def _spark(view: View) -> SparkConfig | None:
    name = view.text_at("requireSpark")
    if not name:
        return None
    known = SparkConfig(name)
    return SparkConfig(
        name,
        view.number_at("minTimeSecs", known.least_time),
        view.number_at("maxTimeSecs", known.most_time),
        max(1, int(view.number_at("numberOfRepetitions", known.repetitions))),
        view.text_at("behaviorObjective"),
        view.text_at("softSparkTrigger"),
        view.text_at("sparksSuccessTrigger"),
        view.text_at("sparksFailTrigger"),
    )


def _objective(view: View) -> RequiredObjective:
    least = int(view.number_at("randomCompletionsNeededMin", 1))
    return RequiredObjective(
        view.at("objective").text(),
        view.number_at("probabilityToRequireObjective", 1.0),
        least,
        max(least, int(view.number_at("randomCompletionsNeededMax", least))),
    )


def _scorer(view: View) -> EmotionScorer:
    return EmotionScorer(view.at("emotionType").text(), view.at("scoreGraph").graph())


def _strategy(view: View, should_end: float) -> StrategyConfig:
    gate = view.get("wantsToRunStrategyConfig") or view.get("higherPriorityStrategyConfig")
    gate = gate or view.with_value({})
    return StrategyConfig(
        type=view.text_at("type", "Simple"),
        can_end=view.number_at("activityCanEndDurationSecs", -1.0),
        should_end=view.number_at("activityShouldEndDurationSecs", should_end),
        cooldown=view.number_at("cooldownBaseSecs", -1.0),
        cooldown_randomness=view.number_at("cooldownRandomnessSecs", 0.0),
        starts_in_cooldown=view.flag_at("startInCooldown", False),
        least_mood=view.number_at("requiredMinStartMoodScore", 0.0),
        mood=tuple(map(_scorer, view.items_at("startMoodScorer"))),
        recent_on_treads=view.number_at("requiredRecentOnTreadsEventSecs", 0.0),
        feature=view.text_at("featureGate"),
        need=view.text_at("need", gate.text_at("need")),
        bracket=view.text_at("needBracket", gate.text_at("needBracket")),
        need_cooldown=view.graph_at("cooldown") or gate.graph_at("cooldown"),
        hours=_hours(view),
    )


def _hours(view: View) -> tuple[float, float] | None:
    found = view.get("hours")
    if found is None:
        return None
    hours = [one.number(0, 24) for one in found.items()]
    if len(hours) != 2:
        found.refuse("is not two numbers")
    return hours[0], hours[1]
