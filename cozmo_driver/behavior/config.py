"""The files of a life: behaviours, activities, choosers, as the app has them (spec 11 §7, §8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .config_view import Graph, read_graph

_SHOULD_END = 60.0
_CLIPS = (
    "idleAnimTrigger",
    "driveStartAnimTrigger",
    "driveLoopAnimTrigger",
    "driveStopAnimTrigger",
)


class ConfigError(ValueError):
    """A file says something that makes no sense; the text names the thing and the key."""


@dataclass(frozen=True, slots=True)
class BehaviorConfig:
    """One behaviour of the files: its id, what does it, and everything else the file says."""

    id: str
    class_name: str
    source: str = ""
    values: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def number(self, key: str, default: float) -> float:
        """Return a number of the file or of its ``params``. Raises ``ConfigError``."""
        value = self._value(key, default)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise ConfigError(f"{self.id}: {key!r} is no number")
        return float(value)

    def text(self, key: str, default: str = "") -> str:
        """Return a text of the file or of its ``params``. Raises ``ConfigError``."""
        value = self._value(key, default)
        if not isinstance(value, str):
            raise ConfigError(f"{self.id}: {key!r} is no text")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        value = self._value(key, [])
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise ConfigError(f"{self.id}: {key!r} is no list of texts")
        return tuple(value)

    def flag(self, key: str, default: bool = False) -> bool:
        value = self._value(key, default)
        if not isinstance(value, bool):
            raise ConfigError(f"{self.id}: {key!r} is neither true nor false")
        return value

    def graph(self, key: str) -> Graph | None:
        try:
            return read_graph(self._value(key, None), f"{self.id}: {key!r}")
        except ValueError as error:
            raise ConfigError(str(error)) from None

    def _value(self, key: str, default: Any) -> Any:
        params = self.values.get("params")
        nested = params if isinstance(params, Mapping) else {}
        return self.values.get(key, nested.get(key, default))


@dataclass(frozen=True, slots=True)
class EmotionScorer:
    """What an emotion contributes; with ``tracks_delta`` its change counts, not its value."""

    emotion: str
    graph: Graph
    tracks_delta: bool = False


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


def read_behavior(content: Any, source: str) -> BehaviorConfig:
    """Return a behaviour of a parsed file. Raises ``ConfigError``."""
    values = _object(content, source)
    name = _text(values, "behaviorID", source)
    return BehaviorConfig(name, _text(values, "behaviorClass", name), source, values)


def read_activities(content: Any, source: str) -> list[ActivityConfig]:
    """Return an activity of a parsed file and those written inside it. Raises ``ConfigError``."""
    values = _object(content, source)
    name = values.get("activityID") or values.get("highLevelID")
    if not isinstance(name, str):
        raise ConfigError(f"{source}: an activity has no 'activityID'")
    children, inner = [], []
    delegate = values.get("subActivityDelegate")
    delegates = [] if delegate is None else [delegate]
    for child in (*delegates, *_list(values, "subActivities", name)):
        if isinstance(child, str):
            children.append(child)
            continue
        child = _object(child, name)
        if set(child) & {"activityType", "activityStrategy", "behaviorChooser"}:
            inner += read_activities(child, source)
        children.append(_text(child, "activityID", name))
    desired = values.get("desiredActivityNames", {})
    # The universal chooser counts where there is no other; setup choosers need what is built.
    chooser = values.get("behaviorChooser", values.get("universalChooser"))
    spark = _spark(values, name)
    activity = ActivityConfig(
        id=name,
        type=_text(values, "activityType", name, "BehaviorsOnly"),
        source=source,
        strategy=_strategy(
            values.get("activityStrategy", {}), name, -1.0 if spark else _SHOULD_END
        ),
        chooser=None if chooser is None else _chooser(chooser, name),
        interlude=_optional_chooser(values, "interludeBehaviorChooser", name),
        children=tuple(children),
        desired={k: v for k, v in _object(desired, name).items() if isinstance(v, str)},
        spark=spark,
        objectives=tuple(
            _objective(one, name) for one in _list(values, "requiredObjectives", name)
        ),
        needs_action=_text(values, "needsActionID", name, ""),
        clips=ActivityClips(*(_text(values, key, name, "") for key in _CLIPS)),
    )
    return [activity, *inner]


# -- parts


def _optional_chooser(values: Mapping[str, Any], key: str, name: str) -> ChooserConfig | None:
    return None if values.get(key) is None else _chooser(values[key], name)


def _chooser(content: Any, name: str) -> ChooserConfig:
    values = _object(content, name)
    kind = _text(values, "type", name, "Scoring")
    behaviors = []
    for one in _list(values, "behaviors", name):
        if isinstance(one, str):
            behaviors.append((one, Scoring(flat=1.0)))
            continue
        one = _object(one, name)
        scoring = _scoring(one["scoring"], name) if "scoring" in one else Scoring(flat=1.0)
        behaviors.append((_text(one, "behaviorID", name), scoring))
    bonus = _graph(values, "scoreBonusForCurrentBehavior", name)
    return ChooserConfig(kind, tuple(behaviors), bonus)


def _scoring(content: Any, name: str) -> Scoring:
    values = _object(content, name)
    return Scoring(
        _number(values, "flatScore", name, 0.0),
        tuple(_scorer(one, name) for one in _list(values, "emotionScorers", name)),
        _graph(values, "repetitionPenalty", name),
        _graph(values, "runningPenalty", name),
        _text(values, "considerThisHasRunForBehaviorObjective", name, ""),
    )


def _spark(values: Mapping[str, Any], name: str) -> SparkConfig | None:
    spark = _text(values, "requireSpark", name, "")
    if not spark:
        return None
    known = SparkConfig(spark)
    return SparkConfig(
        spark,
        _number(values, "minTimeSecs", name, known.least_time),
        _number(values, "maxTimeSecs", name, known.most_time),
        max(1, int(_number(values, "numberOfRepetitions", name, known.repetitions))),
        _text(values, "behaviorObjective", name, ""),
        _text(values, "softSparkTrigger", name, ""),
        _text(values, "sparksSuccessTrigger", name, ""),
        _text(values, "sparksFailTrigger", name, ""),
    )


def _objective(content: Any, name: str) -> RequiredObjective:
    values = _object(content, name)
    least = int(_number(values, "randomCompletionsNeededMin", name, 1))
    return RequiredObjective(
        _text(values, "objective", name),
        _number(values, "probabilityToRequireObjective", name, 1.0),
        least,
        max(least, int(_number(values, "randomCompletionsNeededMax", name, least))),
    )


def _scorer(content: Any, name: str) -> EmotionScorer:
    values = _object(content, name)
    graph = _graph(values, "scoreGraph", name)
    if graph is None:
        raise ConfigError(f"{name}: a scorer of an emotion has no 'scoreGraph'")
    emotion = _text(values, "emotionType", name)
    return EmotionScorer(emotion, graph, values.get("trackDelta") is True)


def _strategy(content: Any, name: str, should_end: float) -> StrategyConfig:
    values = _object(content, name)
    gate = values.get("wantsToRunStrategyConfig", values.get("higherPriorityStrategyConfig", {}))
    need = {**_object(gate, name), **values}
    hours = values.get("hours")
    if hours is not None and not (
        isinstance(hours, list)
        and len(hours) == 2
        and all(isinstance(h, (int, float)) and 0 <= h <= 24 for h in hours)
    ):
        raise ConfigError(f"{name}: 'hours' are two numbers from 0 to 24")
    return StrategyConfig(
        type=_text(values, "type", name, "Simple"),
        can_end=_number(values, "activityCanEndDurationSecs", name, -1.0),
        should_end=_number(values, "activityShouldEndDurationSecs", name, should_end),
        cooldown=_number(values, "cooldownBaseSecs", name, -1.0),
        cooldown_randomness=_number(values, "cooldownRandomnessSecs", name, 0.0),
        starts_in_cooldown=values.get("startInCooldown") is True,
        least_mood=_number(values, "requiredMinStartMoodScore", name, 0.0),
        mood=tuple(_scorer(one, name) for one in _list(values, "startMoodScorer", name)),
        recent_on_treads=_number(values, "requiredRecentOnTreadsEventSecs", name, 0.0),
        feature=_text(values, "featureGate", name, ""),
        need=_text(need, "need", name, ""),
        bracket=_text(need, "needBracket", name, ""),
        need_cooldown=_graph(need, "cooldown", name),
        hours=None if hours is None else (float(hours[0]), float(hours[1])),
    )


def _object(content: Any, where: str) -> dict[str, Any]:
    if not isinstance(content, dict):
        raise ConfigError(f"{where}: an object is expected, not {type(content).__name__}")
    return content


def _list(values: Mapping[str, Any], key: str, where: str) -> list[Any]:
    value = values.get(key, [])
    if not isinstance(value, list):
        raise ConfigError(f"{where}: {key!r} is no list")
    return value


def _text(values: Mapping[str, Any], key: str, where: str, default: str | None = None) -> str:
    value = values.get(key, default)
    if not isinstance(value, str) or (default is None and not value):
        raise ConfigError(f"{where}: {key!r} is missing or no text")
    return value


def _number(values: Mapping[str, Any], key: str, where: str, default: float) -> float:
    value = values.get(key, default)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ConfigError(f"{where}: {key!r} is no number")
    return float(value)


def _graph(values: Mapping[str, Any], key: str, where: str) -> Graph | None:
    try:
        return read_graph(values.get(key), f"{where}: {key!r}")
    except ValueError as error:
        raise ConfigError(str(error)) from None
