"""What a behaviour is: a coroutine with rules, and one configured use of it (spec 12 §5)."""

from __future__ import annotations

import asyncio
import logging
import math
import random
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field
from typing import Any

from ..link import end
from ..resources import ConfigError
from ..robot import CubeEventType, RobotEventType
from .body import Event, Senses
from .config import BehaviorConfig
from .constraints import ConstrainedBody, Constraints
from .games import GameQuestion, GameState
from .inner_state import InnerState
from .reactions import Reaction
from .sight import Sight

_log = logging.getLogger(__name__)

_POLL_PERIOD = 0.05
"""Between two checks of what is waited for, s: the engine's tick (spec 12)."""
RETRY_AFTER = 3.0
"""s before a behaviour whose begin failed is chosen again."""
SEVERE = "Critical"


@dataclass(slots=True)
class Situation:
    """What all behaviours of one robot share. Times in s, monotonic."""

    body: ConstrainedBody
    constraints: Constraints
    inner: InnerState
    rng: random.Random
    on_objective: Callable[[str], object] = lambda _: None
    """Called with the goals that behaviours reach."""
    left_charger_at: float = -math.inf
    on_treads_at: float = -math.inf
    activity_at: float = -math.inf
    """When the current activity was entered."""
    arguments: tuple[str, ...] = ()
    """Animation triggers that came with a request to run a behaviour."""
    on_game: Callable[[GameState], object] = lambda _: None
    """Called with every change of a game that was requested."""
    on_any_game: Callable[[str, GameState], object] = lambda *_: None
    """Called with the class of what plays a game, whoever asked for it, and every change of it."""
    question: GameQuestion | None = None
    """What somebody is asked now."""
    on_question: Callable[[GameQuestion | None], object] = lambda _: None
    is_requested: bool = False
    """Whether a behaviour is requested, running or waiting for a reaction to end."""
    memory: dict[str, dict[str, Any]] = field(default_factory=dict)
    """What behaviours remember from one run to the next, by their ids."""
    places: dict[str, Any] = field(default_factory=dict)
    """What they remember in the frame of the odometry: until the robot is put down elsewhere."""
    out_of_reach: str = ""
    """The object that no path led to last."""

    @property
    def senses(self) -> Senses:
        return self.body.senses

    @property
    def now(self) -> float:
        return asyncio.get_running_loop().time()

    def on_put_down(self) -> None:
        """Take that it stands again, nobody knows where."""
        self.on_treads_at = self.now
        self.places.clear()

    def pause_left(self, behavior_id: str) -> float:
        """Return for how many s more a behaviour pauses (``Life.pause``); <= 0: it does not."""
        again_at: float = self.memory.get(behavior_id, {}).get("again_at", -math.inf)
        return again_at - self.now

    def ask(self, question: GameQuestion | None) -> None:
        """Ask somebody to play, or nobody any more."""
        self.question = question
        self.on_question(question)


class Life:
    """What a running behaviour acts with."""

    def __init__(
        self,
        situation: Situation,
        config: BehaviorConfig,
        reaction: Reaction | None = None,
        on_step: Callable[[str], object] = lambda _: None,
    ) -> None:
        self.situation, self.config, self.reaction = situation, config, reaction
        self.body: ConstrainedBody = situation.body
        self.rng = situation.rng
        self.mood = self.needs = situation.inner
        self.started_at = situation.now
        self._on_step = on_step

    @property
    def senses(self) -> Senses:
        return self.body.senses

    @property
    def sight(self) -> Sight:
        return self.body.sight

    @property
    def now(self) -> float:
        return self.situation.now

    def pause(self, seconds: float) -> None:
        """Keep the behaviour from being chosen for some s, where it asks for ``pause_left``."""
        self.memory["again_at"] = self.now + seconds

    @property
    def memory(self) -> dict[str, Any]:
        return self.situation.memory.setdefault(self.config.id, {})

    def step(self, text: str) -> None:
        self._on_step(text)

    def show_game(self, state: GameState) -> None:
        """Tell how a game stands."""
        self.step(state.text)
        self.situation.on_game(state)
        self.situation.on_any_game(self.config.class_name, state)

    def reach(self, objective: str) -> None:
        """Tell that a goal is reached, by a name of the files: ``PlayedGame``."""
        self.situation.on_objective(objective)

    def must_yield(self) -> bool:
        """Return whether a request waits for this reaction; one that only rests ends then."""
        return self.reaction is not None and self.situation.is_requested

    def may_drive(self) -> bool:
        return not self.situation.constraints.why_not_drive(self.senses)

    async def wait(self, seconds: float) -> None:
        await asyncio.sleep(max(0.0, seconds))

    async def until(self, condition: Callable[[], bool], timeout: float = math.inf) -> bool:
        """Wait until the condition holds; return whether it does, False after ``timeout`` s."""
        deadline = self.now + timeout
        while not condition():
            if self.now >= deadline:
                return False
            await asyncio.sleep(_POLL_PERIOD)
        return True

    def events(self, *types: RobotEventType | CubeEventType, before: float = 0.0) -> list[Any]:
        """Return the events of these types since ``before`` s before it began, oldest first."""
        events = self.body.events.since(self.started_at - before)
        return [event for event in events if event.type in types]

    async def event(
        self, wanted: Callable[[Event], bool], timeout: float = math.inf
    ) -> Event | None:
        """Wait for an event from now on; None after ``timeout`` s."""
        since, deadline = self.now, self.now + timeout
        while True:
            for event in self.body.events.since(since):
                if wanted(event):
                    return event
            if self.now >= deadline:
                return None
            await asyncio.sleep(_POLL_PERIOD)

    async def play(
        self,
        *triggers: str,
        while_: Callable[[], bool] | None = None,
        is_body_still: bool = False,
    ) -> None:
        """Play the clips that triggers have, while ``while_`` holds. Raises ``RobotError``."""
        for trigger in triggers:
            if while_ is not None and not while_():
                return
            if not self.body.has_clip(trigger):
                continue
            self.step(f"plays {trigger}")
            playing = self.body.play(trigger, is_body_still=is_body_still)
            if while_ is None:
                await playing
            else:
                await self.run_while(playing, while_)

    async def run_while(self, action: Awaitable[None], while_: Callable[[], bool]) -> bool:
        """Do something only while a condition holds; return whether it came to its end."""
        task = asyncio.ensure_future(action)
        try:
            while while_():
                if task.done():
                    await task
                    return True
                await asyncio.wait([task], timeout=_POLL_PERIOD)
            return False
        finally:
            if not task.done():
                await end(task)


Run = Callable[[Life], Awaitable[None]]
WhyNot = Callable[[Situation, BehaviorConfig], str]


@dataclass(frozen=True, slots=True)
class BehaviorClass:
    """A kind of behaviour. ``run`` ends by itself, or is cancelled at any moment; lights, face and
    the cubes' streams are given back afterwards.

    ``drives``: it is nothing without the treads. ``locks`` are the reaction triggers that are off
    while it runs (spec 12 §4). ``goals`` are the objectives that it reports by itself.
    """

    name: str
    run: Run
    about: str = ""
    why_not: WhyNot = lambda *_: ""
    triggers: Callable[[BehaviorConfig], tuple[str, ...]] = lambda _: ()
    drives: bool = False
    on_charger: bool = False
    only_on_charger: bool = False
    off_treads: bool = False
    is_resumable: bool = True
    begins_again: bool = True
    """Whether a request for it outlives a reaction that interrupts it; a game does not."""
    with_somebody: bool = False
    """Whether somebody takes part, as in a game: a severe need waits for its end."""
    locks: frozenset[str] = frozenset()
    goals: frozenset[str] = frozenset()


def behavior(name: str, **rules: Any) -> Callable[[Run], BehaviorClass]:
    """Make a ``BehaviorClass`` of a coroutine function; ``rules`` are the class's fields."""

    def decorate(run: Run) -> BehaviorClass:
        return BehaviorClass(name, run, (run.__doc__ or "").strip(), **rules)

    return decorate


class Behavior:
    """One configured behaviour and what became of it."""

    def __init__(self, config: BehaviorConfig, kind: BehaviorClass | None) -> None:
        self.config, self.kind = config, kind
        self.missing = _why_never(config, kind)
        """Why it is never chosen; empty where it may be."""
        self.last_run = -math.inf
        """When it ended last, s."""
        self.runs = 0
        self.retry_at = -math.inf

    @property
    def id(self) -> str:
        return self.config.id

    @property
    def triggers(self) -> tuple[str, ...]:
        return () if self.kind is None or self.missing else self.kind.triggers(self.config)

    @property
    def reports_goals(self) -> bool:
        """Tell whether its file or its class says which goals it reaches."""
        named = self.config.text("behaviorObjective")
        return bool(named or (self.kind is not None and self.kind.goals))

    @property
    def locks(self) -> Collection[str]:
        return frozenset() if self.kind is None else self.kind.locks

    def why_not(self, situation: Situation, *, is_reaction: bool = False) -> str:
        if self.kind is None or self.missing:
            return self.missing
        now, senses = situation.now, situation.senses
        left = self.retry_at - now
        # A reaction that failed is due again when its trigger is; only a broken one is not.
        if left > (RETRY_AFTER if is_reaction else 0.0):
            return f"it failed; again in {left:.0f} s"
        if why := senses.why_unusable:
            return why
        if senses.is_emergency_stopped:
            return "the emergency stop is latched"
        if not is_reaction and not self.kind.off_treads and senses.is_off_ground:
            return "the robot is off the ground"
        if self.kind.only_on_charger and not senses.is_on_charger:
            return "it does not stand on its charger"
        if senses.is_on_charger and not (is_reaction or self.kind.on_charger):
            return "it stands on its charger"
        if self.kind.drives and not self.kind.only_on_charger:
            why = situation.constraints.why_not_drive(senses)
            if why:
                return why
        return self._why_not_by_file(situation) or self._why_not_by_class(self.kind, situation)

    def _why_not_by_class(self, kind: BehaviorClass, situation: Situation) -> str:
        """Ask the class; what breaks at a value of a file or in a user's code is left out."""
        try:
            return str(kind.why_not(situation, self.config) or "")
        except Exception as error:  # whatever it is, it concerns this behaviour only
            self.missing = _broke(self.id, error)
            return self.missing

    def _why_not_by_file(self, situation: Situation) -> str:
        values, now = self.config, situation.now
        for key, at, what in (
            ("requiredRecentDriveOffCharger_sec", situation.left_charger_at, "left its charger"),
            ("requiredRecentSwitchToParent_sec", situation.activity_at, "began the activity"),
        ):
            window = values.number(key, -1.0)
            if window >= 0.0 and now - at > window:
                return f"it {what} more than {window:g} s ago"
        severe = values.text("requiredSevereNeedsState")
        if severe not in ("", "Count") and situation.inner.bracket(severe) != SEVERE:
            return f"its need {severe} is not severe"
        gate = values.values.get("wantsToRunStrategyConfig")
        if isinstance(gate, dict) and gate.get("strategyType") == "InNeedsBracket":
            need, bracket = str(gate.get("need", "")), str(gate.get("needBracket", ""))
            if situation.inner.bracket(need) != bracket:
                return f"its need {need} is not {bracket}"
        return ""


_GATES = {"InNeedsBracket", "AlwaysRun"}
_TEXTS = ("requiredSevereNeedsState", "needsActionID", "emotionEvent", "behaviorObjective")
_NUMBERS = ("requiredRecentDriveOffCharger_sec", "requiredRecentSwitchToParent_sec")


def _why_never(config: BehaviorConfig, kind: BehaviorClass | None) -> str:
    if kind is None:
        return f"nothing implements the class {config.class_name!r}"
    gate = config.values.get("wantsToRunStrategyConfig")
    if gate is not None:
        strategy = gate.get("strategyType") if isinstance(gate, dict) else None
        if strategy not in _GATES:
            return f"nothing implements the strategy {strategy!r}"
    try:
        kind.triggers(config)
        for key in _TEXTS:
            config.text(key)
        for key in _NUMBERS:
            config.number(key, 0.0)
    except ConfigError as error:
        return str(error)
    except Exception as error:  # whatever the triggers of a user's class raise
        return _broke(config.id, error)
    return ""


def _broke(behavior_id: str, error: Exception) -> str:
    """Log what broke; return why the behaviour never runs."""
    _log.error("%s broke and is left out", behavior_id, exc_info=error)
    return f"broke: {error!r}"
