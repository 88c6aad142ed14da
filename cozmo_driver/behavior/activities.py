"""Activities: how they choose behaviours, when they start and end (spec 12 §7, §8; 11 §8)."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .behavior import Behavior, Situation
from .behaviors.clips import play_anim
from .config import ActivityConfig, BehaviorConfig, ChooserConfig, Scoring, StrategyConfig
from .constraints import is_within
from .trace import Rejection

_WAITING = dict.fromkeys(
    ("VoiceCommand", "Feeding", "MeetCozmo", "Selection"), "waits to be asked for"
) | {"BuildPyramid": "waits for a camera that finds cubes"}
"""Types that do not begin by themselves, and why."""
_SHORT_RUN, _AFTER_SHORT_RUN = 0.12, 3.0
"""An activity that found nothing to do for two ticks is tried again this soon, s."""
_SEVERE = "Critical"
URGENT = {"LowBattery", "QuietHours", "SevereNeedTransition"}
"""Strategies that do not wait for the end of the activity that is on."""
SEVERE_NEEDS = {"SevereNeedTransition"}
"""Those of them that wait for the end of what somebody takes part in."""
_LEAST_OF_RUNNING = 0.01
_STAYS = 0.1
"""What the running behaviour has ahead of others: it is not left for a trifle."""
_OWN = "its behaviours"
"""Stands for the goal of a spark that names none: what it chose came to its end."""


class Objectives:
    def __init__(self, config: ActivityConfig) -> None:
        self._config = config
        self._needed: Counter[str] = Counter()
        self._reached: Counter[str] = Counter()

    def start(self, rng: random.Random) -> None:
        self._needed, self._reached = Counter(), Counter()
        spark = self._config.spark
        if spark is not None:
            self._needed[spark.objective or _OWN] = spark.repetitions
        for one in self._config.objectives:
            if rng.random() < one.probability:
                self._needed[one.name] += rng.randint(one.least, max(one.least, one.most))

    def on_reached(self, name: str) -> None:
        self._reached[name] += 1

    def on_completed(self, *, reports_goals: bool) -> None:
        """A behaviour came to its end; one that reports no goals has reached the spark's."""
        self._reached[_OWN] += 1
        spark = self._config.spark
        if spark is not None and spark.objective and not reports_goals:
            self._reached[spark.objective] += 1

    @property
    def are_reached(self) -> bool:
        return bool(self._needed) and not self._needed - self._reached


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen, None for nothing, and why; and why not the others."""

    behavior: Behavior | None
    reason: str
    rejected: tuple[Rejection, ...] = ()


@dataclass(frozen=True, slots=True)
class Running:
    behavior: Behavior | None = None
    time: float = 0.0


NOTHING_RUNS = Running()


class Chooser:
    def __init__(self, config: ChooserConfig, behaviors: Mapping[str, Behavior]) -> None:
        self.config = config
        self.entries = tuple(
            (behaviors[name], scoring) for name, scoring in config.behaviors if name in behaviors
        )

    def choose(self, situation: Situation, running: Running = NOTHING_RUNS) -> Choice:
        if self.config.type == "StrictPriority":
            return self._first(situation, running)
        if self.config.type in ("Scoring", "Simple"):
            return self._best(situation, running)
        if self.config.type == "Selection":
            return Choice(None, "none is requested")
        return Choice(None, f"nothing implements the chooser {self.config.type!r}")

    def _first(self, situation: Situation, running: Running) -> Choice:
        rejected: list[Rejection] = []
        for behavior, _ in self.entries:
            if behavior is running.behavior:
                return Choice(behavior, "it runs already", tuple(rejected))
            why = behavior.why_not(situation)
            if not why:
                return Choice(behavior, "first that can run", tuple(rejected))
            rejected.append(Rejection(behavior.id, why))
        return Choice(None, "none can run", tuple(rejected))

    def _best(self, situation: Situation, running: Running) -> Choice:
        best, best_score = None, 0.0
        scores: list[tuple[Behavior, float]] = []
        rejected = []
        for behavior, scoring in self.entries:
            is_running = behavior is running.behavior
            why = "" if is_running else behavior.why_not(situation)
            score = 0.0 if why else score_of(behavior, scoring, situation, running)
            if is_running:
                bonus = self.config.current_bonus
                score += _STAYS + (bonus(running.time) if bonus else 0.0)
                score = max(_LEAST_OF_RUNNING, score)
            elif score <= 0.0:
                rejected.append(Rejection(behavior.id, why or _why_zero(behavior, situation)))
                continue
            else:
                score += situation.rng.random()
            scores.append((behavior, score))
            if score > best_score:
                best, best_score = behavior, score
        rejected += [
            Rejection(behavior.id, f"score {score:.2f}")
            for behavior, score in scores
            if behavior is not best
        ]
        reason = "none can run" if best is None else f"score {best_score:.2f}"
        return Choice(best, reason, tuple(rejected))


def score_of(
    behavior: Behavior, scoring: Scoring, situation: Situation, running: Running = NOTHING_RUNS
) -> float:
    """Return the score without bonus and chance: 0 or less is never chosen."""
    if scoring.emotions:
        values = [one.graph(situation.inner.value(one.emotion)) for one in scoring.emotions]
        base = sum(values) / len(values)
    else:
        base = scoring.flat
    if behavior is running.behavior:
        penalty = scoring.running_penalty
        return base * (penalty.fraction(running.time) if penalty else 1.0)
    since = situation.now - behavior.last_run
    if scoring.repetition_penalty is None or math.isinf(since):
        return base
    return base * scoring.repetition_penalty.fraction(since)


def _why_zero(behavior: Behavior, situation: Situation) -> str:
    since = situation.now - behavior.last_run
    return "its score is 0" if math.isinf(since) else f"it ran {since:.0f} s ago"


class Activity:
    def __init__(
        self, config: ActivityConfig, behaviors: Mapping[str, Behavior], started_at: float
    ) -> None:
        self.config = config
        self.chooser = Chooser(config.chooser, behaviors) if config.chooser else None
        self.interlude = Chooser(config.interlude, behaviors) if config.interlude else None
        self.children: tuple[Activity, ...] = ()
        self.entered_at = -math.inf
        self.objectives = Objectives(config)
        spark = config.spark
        self.opening, self.success, self.failure = (
            _clip(config, trigger)
            for trigger in ((spark.opening, spark.success, spark.failure) if spark else ("",) * 3)
        )
        """What it plays when it begins, and when its spark ends well or not."""
        self._cools_until = -math.inf
        if config.strategy.starts_in_cooldown:
            self._cools_until = started_at + max(0.0, config.strategy.cooldown)

    @property
    def id(self) -> str:
        return self.config.id

    def why_not(self, situation: Situation, spark: str, features: Mapping[str, bool]) -> str:
        """Say why it does not want to begin now; empty where it does."""
        config, strategy = self.config, self.config.strategy
        if config.type in _WAITING:
            return _WAITING[config.type]
        if strategy.feature and not features.get(strategy.feature, True):
            return f"the feature {strategy.feature} is off"
        if situation.now < self._cools_until:
            return f"blocked by cooldown {self._cools_until - situation.now:.0f} s"
        if strategy.mood:
            score = sum(one.graph(situation.inner.value(one.emotion)) for one in strategy.mood)
            if score < strategy.least_mood:
                return f"mood {score:.2f} is less than {strategy.least_mood:.2f}"
        if strategy.recent_on_treads > 0.0:
            since = situation.now - situation.on_treads_at
            if since > strategy.recent_on_treads:
                return f"was put down more than {strategy.recent_on_treads:g} s ago"
        if strategy.hours and not is_within(strategy.hours, situation.constraints.hour):
            return f"it is not between {strategy.hours[0]:g} and {strategy.hours[1]:g} o'clock"
        rule = _RULES.get(strategy.type)
        if rule is None:
            return f"nothing implements the strategy {strategy.type!r}"
        why = rule(strategy, situation)
        if why:
            return why
        if config.spark and config.spark.name != spark:
            return f"waits for the spark {config.spark.name}"
        if strategy.type == "Spark" and not config.spark:
            return "it names no spark"
        return ""

    def wants_to_end(self, situation: Situation, spark: str) -> str:
        strategy, running = self.config.strategy, situation.now - self.entered_at
        if running < strategy.can_end:
            return ""
        if strategy.should_end >= 0.0 and running > strategy.should_end:
            return f"it went on for {running:.0f} s"
        if self.config.spark and self.config.spark.name != spark:
            return "its spark is over"
        if self.config.spark and running > self.config.spark.most_time:
            return f"its spark was not done within {self.config.spark.most_time:g} s"
        least_time = self.config.spark.least_time if self.config.spark else 0.0
        if self.objectives.are_reached and running >= least_time:
            return "its goals are reached"
        if strategy.hours and not is_within(strategy.hours, situation.constraints.hour):
            return "its hours are over"
        if strategy.type in ("LowBattery", "Needs", "SevereNeedTransition"):
            return _RULES[strategy.type](strategy, situation)
        return ""

    def start(self, situation: Situation) -> None:
        self.objectives.start(situation.rng)
        self.entered_at = situation.activity_at = situation.now

    def end(self, situation: Situation) -> None:
        strategy, now = self.config.strategy, situation.now
        if now - self.entered_at <= _SHORT_RUN:
            self._cools_until = now + _AFTER_SHORT_RUN
        elif strategy.cooldown >= 0.0:
            chance = situation.rng.uniform(0.0, max(0.0, strategy.cooldown_randomness))
            self._cools_until = now + strategy.cooldown + chance
        if strategy.need_cooldown is not None:
            situation.memory.setdefault(f"need {strategy.need}", {})["at"] = now
        if self.config.needs_action:
            situation.inner.act(self.config.needs_action)

    def choose(self, situation: Situation, running: Running = NOTHING_RUNS) -> Choice:
        if self.chooser is None:
            return Choice(None, "it has no chooser")
        return self.chooser.choose(situation, running)


def _clip(config: ActivityConfig, trigger: str) -> Behavior | None:
    if not trigger:
        return None
    values = {"animTriggers": [trigger]}
    name = f"{config.id}_{trigger}"
    return Behavior(BehaviorConfig(name, play_anim.name, config.source, values), play_anim)


def _needs(strategy: StrategyConfig, situation: Situation) -> str:
    if not strategy.need:
        return "it names no need"
    wanted, bracket = strategy.bracket or _SEVERE, situation.inner.bracket(strategy.need)
    return "" if bracket == wanted else f"{strategy.need} is {bracket}, not {wanted}"


def _need_cooldown(strategy: StrategyConfig, situation: Situation) -> str:
    if not strategy.need or strategy.need_cooldown is None:
        return "it names no need or no cooldown"
    pause = strategy.need_cooldown(situation.inner.level(strategy.need))
    left = situation.memory.get(f"need {strategy.need}", {}).get("at", -math.inf) + pause
    return "" if situation.now >= left else f"blocked by cooldown {left - situation.now:.0f} s"


def _low_battery(_: StrategyConfig, situation: Situation) -> str:
    if situation.constraints.is_quiet_hour:
        return "it is a quiet hour: nobody hears it, and it may not go home"
    return "" if situation.constraints.is_low else "its battery is full enough"


_RULES: dict[str, Callable[[StrategyConfig, Situation], str]] = {
    "Simple": lambda _, __: "",
    "Spark": lambda _, __: "",
    "Needs": _needs,
    "SevereNeedTransition": _needs,
    "NeedBasedCooldown": _need_cooldown,
    "PlayWithHumans": lambda _, __: "waits for a request to play",
    "Pyramid": lambda _, __: "waits for a camera that finds cubes",
    "LowBattery": _low_battery,
    "QuietHours": lambda _, here: "" if here.constraints.is_quiet_hour else "it is no quiet hour",
    "OnCharger": lambda _, here: (
        "" if here.senses.is_on_charger else "it does not stand on its charger"
    ),
}
"""Why an activity with this type of strategy does not start; empty where it may."""
