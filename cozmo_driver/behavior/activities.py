"""Activities: which of them is on, when it begins and when it ends (spec 12 §8)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from .behavior import Behavior, Situation
from .behaviors.clips import play_anim
from .choosers import NOTHING_RUNS, Choice, Chooser, Running
from .config import ActivityConfig, BehaviorConfig, StrategyConfig
from .constraints import is_within
from .objectives import Objectives
from .system import BehaviorSystem
from .trace import Rejection

BY_REQUEST = {"VoiceCommand", "Feeding", "MeetCozmo", "Selection"}
"""Types that begin only when they are asked for."""
_NEEDS_VISION = {"BuildPyramid": "a camera that finds cubes"}
_SHORT_RUN, _AFTER_SHORT_RUN = 0.12, 3.0
"""An activity that found nothing to do for two ticks is tried again this soon, s."""
_SEVERE = "Critical"
URGENT = {"LowBattery", "QuietHours", "SevereNeedTransition"}
"""Strategies that do not wait for the end of the activity that is on."""


class Activity:
    """One activity and what became of it."""

    def __init__(
        self, config: ActivityConfig, behaviors: Mapping[str, Behavior], started_at: float
    ) -> None:
        """Use ``behaviors``; ``started_at`` is when the personality came to life, s."""
        self.config = config
        self.chooser = Chooser(config.chooser, behaviors) if config.chooser else None
        self.interlude = Chooser(config.interlude, behaviors) if config.interlude else None
        self.children: tuple[Activity, ...] = ()
        self.began_at = -math.inf
        self.ended_at = -math.inf
        self.runs = 0
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
        """Unique name."""
        return self.config.id

    def why_not(self, situation: Situation, spark: str, features: Mapping[str, bool]) -> str:
        """Say why it does not want to begin now; empty where it does."""
        config, strategy = self.config, self.config.strategy
        if config.type in _NEEDS_VISION:
            return f"waits for {_NEEDS_VISION[config.type]}"
        if config.type in BY_REQUEST:
            return "waits to be asked for"
        if strategy.feature and not features.get(strategy.feature, True):
            return f"the feature {strategy.feature} is off"
        if situation.now < self._cools_until:
            return f"blocked by cooldown {self._cools_until - situation.now:.0f} s"
        if strategy.mood:
            score = sum(one.graph(situation.mood.value(one.emotion)) for one in strategy.mood)
            if score < strategy.least_mood:
                return f"mood {score:.2f} is less than {strategy.least_mood:.2f}"
        if strategy.recent_on_treads > 0.0:
            since = situation.now - situation.on_treads_at
            if since > strategy.recent_on_treads:
                return f"was put down more than {strategy.recent_on_treads:g} s ago"
        if strategy.hours and not is_within(strategy.hours, situation.manners.hour):
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
        """Say why it wants to end; empty where it goes on."""
        strategy, running = self.config.strategy, situation.now - self.began_at
        if running < strategy.can_end:
            return ""
        if strategy.should_end >= 0.0 and running > strategy.should_end:
            return f"it went on for {running:.0f} s"
        if self.config.spark and self.config.spark.name != spark:
            return "its spark is over"
        if self.config.spark and running > self.config.spark.most_time:
            return f"its spark was not done within {self.config.spark.most_time:g} s"
        if self.objectives.are_reached and running >= self._least_time:
            return "its goals are reached"
        if strategy.hours and not is_within(strategy.hours, situation.manners.hour):
            return "its hours are over"
        if strategy.type in ("Needs", "SevereNeedTransition"):
            return _RULES[strategy.type](strategy, situation)
        return ""

    @property
    def _least_time(self) -> float:
        return self.config.spark.least_time if self.config.spark else 0.0

    def begin(self, situation: Situation) -> None:
        """Take that it begins now."""
        self.objectives.begin(situation.rng)
        self.began_at = situation.activity_at = situation.now
        self.runs += 1

    def end(self, situation: Situation) -> None:
        """Take that it ends now; its cooldown begins."""
        strategy, now = self.config.strategy, situation.now
        if now - self.began_at <= _SHORT_RUN:
            self._cools_until = now + _AFTER_SHORT_RUN
        elif strategy.cooldown >= 0.0:
            chance = situation.rng.uniform(0.0, max(0.0, strategy.cooldown_randomness))
            self._cools_until = now + strategy.cooldown + chance
        self.ended_at = now
        if strategy.need_cooldown is not None:
            situation.memory.setdefault(f"need {strategy.need}", {})["at"] = now
        if self.config.needs_action:
            situation.needs.act(self.config.needs_action)

    def choose(self, situation: Situation, running: Running = NOTHING_RUNS) -> Choice:
        """Choose a behaviour; without a chooser there is none."""
        if self.chooser is None:
            return Choice(None, "it has no chooser")
        return self.chooser.choose(situation, running)


def _clip(config: ActivityConfig, trigger: str) -> Behavior | None:
    if not trigger:
        return None
    values = {"animTriggers": [trigger]}
    name = f"{config.id}_{trigger}"
    return Behavior(BehaviorConfig(name, play_anim.name, config.source, values), play_anim)


def _simple(_: StrategyConfig, __: Situation) -> str:
    return ""


def _needs(strategy: StrategyConfig, situation: Situation) -> str:
    if not strategy.need:
        return "it names no need"
    wanted, bracket = strategy.bracket or _SEVERE, situation.needs.bracket(strategy.need)
    return "" if bracket == wanted else f"{strategy.need} is {bracket}, not {wanted}"


def _need_cooldown(strategy: StrategyConfig, situation: Situation) -> str:
    if not strategy.need or strategy.need_cooldown is None:
        return "it names no need or no cooldown"
    pause = strategy.need_cooldown(situation.needs.level(strategy.need))
    left = situation.memory.get(f"need {strategy.need}", {}).get("at", -math.inf) + pause
    return "" if situation.now >= left else f"blocked by cooldown {left - situation.now:.0f} s"


def _game(_: StrategyConfig, __: Situation) -> str:
    return "waits for a request to play"


def _pyramid(_: StrategyConfig, __: Situation) -> str:
    return "waits for a camera that finds cubes"


def _low_battery(_: StrategyConfig, situation: Situation) -> str:
    return "" if situation.manners.is_low else "its battery is full enough"


def _quiet(_: StrategyConfig, situation: Situation) -> str:
    return "" if situation.manners.is_quiet_hour else "it is no quiet hour"


def _on_charger(_: StrategyConfig, situation: Situation) -> str:
    return "" if situation.senses.is_on_charger else "it does not stand on its charger"


_RULES: dict[str, Callable[[StrategyConfig, Situation], str]] = {
    "Simple": _simple,
    "Spark": _simple,
    "Needs": _needs,
    "SevereNeedTransition": _needs,
    "NeedBasedCooldown": _need_cooldown,
    "PlayWithHumans": _game,
    "Pyramid": _pyramid,
    "LowBattery": _low_battery,
    "QuietHours": _quiet,
    "OnCharger": _on_charger,
}


class ActivityTree:
    """The activities below the root: chooses which leaf is on."""

    def __init__(
        self, system: BehaviorSystem, behaviors: Mapping[str, Behavior], now: float
    ) -> None:
        """Make every activity of ``system``."""
        self.all = {
            name: Activity(config, behaviors, now) for name, config in system.activities.items()
        }
        for activity in self.all.values():
            activity.children = tuple(
                self.all[name] for name in activity.config.children if name in self.all
            )
        self.root = self.all[system.root]
        self.features = system.features
        self.spark = ""
        """The spark that was asked for; empty for none."""
        self.sparks = frozenset(a.config.spark.name for a in self.all.values() if a.config.spark)
        self.requested = ""
        """Activity that was asked for by name; empty for none."""

    def pick(
        self,
        situation: Situation,
        barred: str = "",
        desired: str = "",
    ) -> tuple[list[Activity], Choice, tuple[Rejection, ...]]:
        """Return the activities from the root to the leaf, what it would do, and the others.

        ``barred`` is not taken this time; ``desired`` is tried first. Empty where none has
        anything to do.
        """
        rejected: list[Rejection] = []
        asked = self.all.get(self.requested)
        if asked is not None:
            choice = asked.choose(situation)
            if choice.behavior is not None or asked.children:
                found = self._descend(asked, situation, barred, "", rejected, {asked.id})
                if found is not None:
                    return [*found[0]], found[1], tuple(rejected)
            rejected.append(Rejection(asked.id, choice.reason))
        found = self._descend(self.root, situation, barred, desired, rejected, {self.root.id})
        if found is None:
            return [], Choice(None, "nothing to do"), tuple(rejected)
        return found[0], found[1], tuple(rejected)

    def _descend(
        self,
        activity: Activity,
        situation: Situation,
        barred: str,
        desired: str,
        rejected: list[Rejection],
        seen: set[str],
    ) -> tuple[list[Activity], Choice] | None:
        children = sorted(activity.children, key=lambda child: child.id != desired)
        for child in children:
            if child.id in seen:
                continue
            seen.add(child.id)
            if child.id == barred:
                rejected.append(Rejection(child.id, "it found nothing to do just now"))
                continue
            why = child.why_not(situation, self.spark, self.features)
            if why:
                rejected.append(Rejection(child.id, why))
                continue
            found = self._descend(child, situation, barred, "", rejected, seen)
            if found is not None:
                return [activity, *found[0]], found[1]
        choice = activity.choose(situation)
        if choice.behavior is not None:
            return [activity], choice
        if activity.chooser is not None:
            detail = "; ".join(f"{one.name}: {one.reason}" for one in choice.rejected)
            rejected.append(Rejection(activity.id, f"{choice.reason} ({detail})"))
        return None
