"""Mood, needs and reactions as the engine uses them, on one robot's clock."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from ..robot import HARD_IMPACT, CubeEvent, CubeEventType, OffTreads, RobotEvent, RobotEventType
from .body import Event, EventLog, Senses
from .mood import Mood
from .mood_config import EMOTIONS, load_mood_config
from .needs import ActionOutcome, BracketChange, Needs
from .needs_config import Bracket, Need, load_needs_config
from .reaction_map import load_reaction_map
from .reaction_strategies import Facts
from .reactions import Reaction, Reactions
from .sight import BLIND, Sight
from .triggers import Trigger

_ROBOT = {
    RobotEventType.POKED: "Poked",
    RobotEventType.BUTTON_PRESSED: "ButtonPressed",
    RobotEventType.PICKED_UP: "PickedUp",
    RobotEventType.PUT_DOWN: "PutDown",
    RobotEventType.SHAKEN_STARTED: "Shaken",
    RobotEventType.PLACED_ON_SLOPE: "PlacedOnSlope",
    RobotEventType.PLACED_ON_CHARGER: "PlacedOnCharger",
    RobotEventType.FALLING_STARTED: "Falling",
    RobotEventType.MOTOR_STALLED: "MotorStalled",
    RobotEventType.BATTERY_LOW: "BatteryLow",
}
_CUBE = {
    CubeEventType.TAPPED: "CubeTapped",
    CubeEventType.DOUBLE_TAPPED: "CubeTapped",
    CubeEventType.MOVED: "CubeMoved",
    CubeEventType.CONNECTED: "CubeConnected",
    CubeEventType.DISCONNECTED: "CubeLost",
}
_POSTURES = {OffTreads.ON_BACK: "LaidOnBack"}
LYING = (OffTreads.ON_BACK, OffTreads.ON_FACE, OffTreads.ON_LEFT_SIDE, OffTreads.ON_RIGHT_SIDE)
NAMES = frozenset(
    {*_ROBOT.values(), *_CUBE.values(), *_POSTURES.values(), "HardImpact", "TurnedUpright"}
)
"""Every emotion event that may happen."""
_NEED_ACTIONS = {
    RobotEventType.FALLING_STARTED: "Fell",
    RobotEventType.SHAKEN_STARTED: "Shaken",
    RobotEventType.MOTOR_STALLED: "MotorStalled",
}


_OWNER = "the behaviour that runs"
_NEGLECTED_AGAIN = 600.0
"""s after which a need that nobody serves is felt again."""
_CHARGING_COUNTS = 60.0
"""s of charging that count as one action."""
_UPDATE_PERIOD = 0.25
"""s between two updates of mood and needs: they change in seconds."""


def emotion_event_of(event: Event, *, has_lain: bool = False) -> str:
    """Return the name of the emotion event, empty for what leaves the robot cold.

    ``has_lain``: since it last stood on its treads it lay on back, face or a side.
    """
    if isinstance(event, CubeEvent):
        return _CUBE.get(event.type, "")
    if event.type is RobotEventType.OFF_TREADS_CHANGED:
        if event.off_treads is OffTreads.ON_TREADS and has_lain:
            return "TurnedUpright"
        return _POSTURES.get(event.off_treads, "")
    if event.type is RobotEventType.FALLING_STOPPED:
        return "HardImpact" if event.impact > HARD_IMPACT else ""
    return _ROBOT.get(event.type, "")


def need_action_of(event: Event) -> str:
    """Return the name of the need action, empty for what changes no need."""
    if isinstance(event, CubeEvent):
        return ""
    if event.type is RobotEventType.FALLING_STOPPED:
        return "HardImpact" if event.impact > HARD_IMPACT else ""
    return _NEED_ACTIONS.get(event.type, "")


class InnerState:
    """Mood, needs and reactions of one robot, by the names that files use. Times in s."""

    def __init__(
        self,
        trees: Sequence[Path],
        events: EventLog,
        clock: Callable[[], float],
        rng: random.Random,
        *,
        is_known: Callable[[str], bool] = lambda _: True,
    ) -> None:
        """Read the trees; ``is_known``: whether a behaviour of that id is there and can run."""
        now = clock()
        self._clock, self._events = clock, events
        self._seen = events.total
        self._update_at = -math.inf
        self.mood = Mood(load_mood_config(trees), now)
        self.needs = Needs(load_needs_config(trees), now, rng)
        self.reactions = Reactions(load_reaction_map(trees), now, rng, is_known=is_known)
        self._has_lain = False
        self._fed_at = now
        self._neglect_at = now

    # -- mood and needs

    def value(self, emotion: str) -> float:
        """Return an emotion's value, -1 to 1; 0 for what is no emotion."""
        known = EMOTIONS.get(emotion)
        return 0.0 if known is None else self.mood.value(known)

    def feel(self, event: str) -> None:
        self.mood.event(event, self._clock())

    def on_result(self, action: str, result: str) -> None:
        """Feel how an action ended: ``DriveStraight``, ``DriveToPose``, ``TurnInPlace``."""
        self.mood.action_result(action, result, self._clock())

    def level(self, need: str) -> float:
        known = _need(need)
        return 1.0 if known is None else self.needs.level(known)

    def bracket(self, need: str) -> str:
        """Return Full, Normal, Warning or Critical; empty for what is no need."""
        known = _need(need)
        return "" if known is None else self.needs.brackets[known].file_name

    def act(self, action: str) -> ActionOutcome:
        outcome = self.needs.apply(action, self._clock())
        self._on_changes(outcome.changes)
        return outcome

    # -- reactions

    def update(
        self,
        senses: Senses,
        resumable: str = "",
        locked: Collection[str] = (),
        sight: Sight = BLIND,
    ) -> Reaction | None:
        """Return the reaction to start now, in place of what runs; called in every tick.

        ``resumable``: the behaviour that runs and can go on afterwards; ``locked``: the triggers
        that are off for now.
        """
        now = self._clock()
        self._pass_time(now)
        self._charge(senses, now)
        self._seen, events = self._events.newer_than(self._seen)
        for event in events:
            self.reactions.on_event(event, now)
            self._on_event(event, now)
        held = [one for one in Trigger if one.file_name in locked] if locked else []
        self.reactions.locks.hold(_OWNER, held)
        facts = Facts(now, senses.off_treads, self.value("Confident"), sight, senses.pose)
        reaction = self.reactions.evaluate(facts, resumable)
        if reaction is not None and reaction.trigger is Trigger.HICCUP:
            self.mood.event("Hiccup", now)
        return reaction

    def ended(self, has_failed: bool) -> bool:
        """The reaction has ended; return whether what it interrupted goes on."""
        return bool(self.reactions.ended(self._clock(), has_failed=has_failed))

    def clear(self) -> None:
        """Drop the reaction that runs and what is waiting: somebody else is in command."""
        self._pass_time(self._clock())
        self._seen = self._events.total
        self.reactions.cancel()
        self.reactions.clear()

    def request_reaction(self, trigger: str) -> None:
        """React as if the trigger had happened. Raises ``UnknownTrigger``."""
        self.reactions.request_reaction(trigger, self._clock())

    def on_objective(self, objective: str) -> None:
        self.reactions.on_objective(objective, self._clock())

    # -- what time and events do

    def _pass_time(self, now: float) -> None:
        if now < self._update_at:
            return
        self._update_at = now + _UPDATE_PERIOD
        self.mood.update(now)
        self._on_changes(self.needs.update(now))
        if Bracket.CRITICAL not in self.needs.brackets.values():
            self._neglect_at = now
        elif now >= self._neglect_at:
            self._neglect_at = now + _NEGLECTED_AGAIN
            self.mood.event("NeedsNeglected", now)

    def _charge(self, senses: Senses, now: float) -> None:
        """Serve its energy while its battery is charged, minute by minute."""
        if not senses.is_charging:
            self._fed_at = now
        elif now >= self._fed_at + _CHARGING_COUNTS:
            self._fed_at = now
            self.act("Charging")

    def _on_event(self, event: Event, now: float) -> None:
        name = emotion_event_of(event, has_lain=self._has_lain)
        if name:
            self.mood.event(name, now)
        action = need_action_of(event)
        if action:
            self.act(action)
        if isinstance(event, RobotEvent) and event.type is RobotEventType.OFF_TREADS_CHANGED:
            stands = event.off_treads is OffTreads.ON_TREADS
            self._has_lain = not stands and (self._has_lain or event.off_treads in LYING)

    def _on_changes(self, changes: Collection[BracketChange]) -> None:
        if not changes:
            return
        now = self._clock()
        for change in changes:
            if change.after is Bracket.CRITICAL:
                self._neglect_at = now
            elif change.after < change.before:
                self.mood.event("NeedsSatisfied", now)


def _need(name: str) -> Need | None:
    return next((need for need in Need if need.value == name), None)
