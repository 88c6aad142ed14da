"""The files of a life: behaviours, activities, choosers, as the app has them (spec 11 §7, §8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..resources import Graph, View, each, key, number, record

_SHOULD_END = 60.0


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
        found = self._view(key).get(key)
        return None if found is None else found.graph_or_none()

    def _view(self, key: str) -> View:
        params = self.values.get("params")
        is_nested = key not in self.values and isinstance(params, dict)
        return View(params if is_nested else self.values, f"{self.source}: {self.id}")


@dataclass(frozen=True, slots=True)
class EmotionScorer:
    emotion: str = key("emotionType", View.text)
    graph: Graph = key("scoreGraph", View.graph)


@dataclass(frozen=True, slots=True)
class Scoring:
    """How much a behaviour would be chosen (spec 12 §7); x of the penalties is seconds."""

    flat: float = key("flatScore", number(), 0.0)
    emotions: tuple[EmotionScorer, ...] = key("emotionScorers", each(record(EmotionScorer)), ())
    repetition_penalty: Graph | None = key("repetitionPenalty", View.graph_or_none, None)
    running_penalty: Graph | None = key("runningPenalty", View.graph_or_none, None)
    objective: str = key("considerThisHasRunForBehaviorObjective", View.text, "")
    """A goal that counts as a run when another behaviour reaches it."""


def _choice(view: View) -> tuple[str, Scoring]:
    if isinstance(view.value, str):
        return view.value, Scoring(flat=1.0)
    scoring = view.get("scoring")
    found = Scoring(flat=1.0) if scoring is None else scoring.read(Scoring)
    return view.at("behaviorID").text(), found


@dataclass(frozen=True, slots=True)
class ChooserConfig:
    type: str = key("type", View.text, "Scoring")
    behaviors: tuple[tuple[str, Scoring], ...] = key("behaviors", each(_choice), ())
    current_bonus: Graph | None = key("scoreBonusForCurrentBehavior", View.graph_or_none, None)


def _hours(view: View) -> tuple[float, float]:
    hours = [one.number(0, 24) for one in view.items()]
    if len(hours) != 2:
        view.refuse("is not two numbers")
    return hours[0], hours[1]


@dataclass(frozen=True, slots=True)
class StrategyConfig:
    """When an activity may begin and end; seconds."""

    type: str = key("type", View.text, "Simple")
    can_end: float = key("activityCanEndDurationSecs", number(), -1.0)
    should_end: float = key("activityShouldEndDurationSecs", number(), _SHOULD_END)
    cooldown: float = key("cooldownBaseSecs", number(), -1.0)
    cooldown_randomness: float = key("cooldownRandomnessSecs", number(), 0.0)
    starts_in_cooldown: bool = key("startInCooldown", View.flag, False)
    least_mood: float = key("requiredMinStartMoodScore", number(), 0.0)
    mood: tuple[EmotionScorer, ...] = key("startMoodScorer", each(record(EmotionScorer)), ())
    recent_on_treads: float = key("requiredRecentOnTreadsEventSecs", number(), 0.0)
    feature: str = key("featureGate", View.text, "")
    need: str = key("need", View.text, "")
    bracket: str = key("needBracket", View.text, "")
    need_cooldown: Graph | None = key("cooldown", View.graph_or_none, None)
    hours: tuple[float, float] | None = key("hours", _hours, None)
    """Of the day, from and to; over midnight where the first is the greater one."""


@dataclass(frozen=True, slots=True)
class SparkConfig:
    """How an activity that was asked for by its spark goes on; seconds, animation triggers."""

    name: str = key("requireSpark", View.text)
    least_time: float = key("minTimeSecs", number(), 0.0)
    most_time: float = key("maxTimeSecs", number(), 120.0)
    repetitions: int = key("numberOfRepetitions", lambda view: max(1, int(view.number())), 1)
    objective: str = key("behaviorObjective", View.text, "")
    """The goal that counts; empty: its behaviours' ends do."""
    opening: str = key("softSparkTrigger", View.text, "")
    success: str = key("sparksSuccessTrigger", View.text, "")
    failure: str = key("sparksFailTrigger", View.text, "")


@dataclass(frozen=True, slots=True)
class RequiredObjective:
    """A goal that an activity wants to reach before it ends, at times; ``most`` or ``least``."""

    name: str = key("objective", View.text)
    probability: float = key("probabilityToRequireObjective", number(), 1.0)
    least: int = key("randomCompletionsNeededMin", lambda view: int(view.number()), 1)
    most: int = key("randomCompletionsNeededMax", lambda view: int(view.number()), 1)


@dataclass(frozen=True, slots=True)
class ActivityClips:
    """Animation triggers beside what an activity's behaviours do; empty for none."""

    idle: str = key("idleAnimTrigger", View.text, "")
    drive_start: str = key("driveStartAnimTrigger", View.text, "")
    drive_loop: str = key("driveLoopAnimTrigger", View.text, "")
    drive_stop: str = key("driveStopAnimTrigger", View.text, "")


NO_CLIPS = ActivityClips()


@dataclass(frozen=True, slots=True)
class ActivityConfig:
    id: str
    type: str = key("activityType", View.text, "BehaviorsOnly")
    source: str = ""
    strategy: StrategyConfig = StrategyConfig()
    chooser: ChooserConfig | None = None
    interlude: ChooserConfig | None = key("interludeBehaviorChooser", record(ChooserConfig), None)
    children: tuple[str, ...] = ()
    desired: Mapping[str, str] = field(default_factory=dict, hash=False)
    spark: SparkConfig | None = None
    objectives: tuple[RequiredObjective, ...] = key(
        "requiredObjectives", each(record(RequiredObjective)), ()
    )
    needs_action: str = key("needsActionID", View.text, "")
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
        keys = {name for name, _ in child.entries()}
        if keys & {"activityType", "activityStrategy", "behaviorChooser"}:
            inner += read_activities(child)
        children.append(child.at("activityID").text())
    desired = view.get("desiredActivityNames")
    # The universal chooser counts where there is no other; setup choosers need what is built.
    chooser = view.get("behaviorChooser") or view.get("universalChooser")
    spark = view.read(SparkConfig) if view.text_at("requireSpark") else None
    activity = view.read(
        ActivityConfig,
        id=name,
        source=view.source,
        strategy=_strategy(view.get("activityStrategy") or view.with_value({}), bool(spark)),
        chooser=chooser and chooser.read(ChooserConfig),
        children=tuple(children),
        desired={
            name: found.value
            for name, found in (desired.entries() if desired else ())
            if isinstance(found.value, str)
        },
        spark=spark,
        clips=view.read(ActivityClips),
    )
    return [activity, *inner]


def _strategy(view: View, has_spark: bool) -> StrategyConfig:
    """Return a strategy; its gate may have what it lacks, and a spark ends by its goals."""
    own = view.read(StrategyConfig)
    gate = view.get("wantsToRunStrategyConfig") or view.get("higherPriorityStrategyConfig")
    other = (gate or view.with_value({})).read(StrategyConfig)
    is_endless = has_spark and view.get("activityShouldEndDurationSecs") is None
    return replace(
        own,
        should_end=-1.0 if is_endless else own.should_end,
        need=own.need or other.need,
        bracket=own.bracket or other.bracket,
        need_cooldown=own.need_cooldown or other.need_cooldown,
    )
