"""Decides what to react to now (spec 12 §4). Time and randomness are parameters; times in s.

Give it every event, call ``evaluate`` in every tick, and report what became of the reaction: it
``began`` to act, and it ``ended``.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from ..resources import quoted
from .body import Event
from .reaction_map import Entries, MappedReaction, ReactionMap
from .reaction_strategies import Candidate, Facts, Hiccups, Objective, Strategy
from .strategy_table import strategy_for
from .triggers import (
    REACTION_LOCKS,
    RULES,
    Interrupts,
    Locks,
    Trigger,
    UnknownTrigger,
    trigger_named,
)

RAISED_WINDOW = 3.0
"""s for which a trigger raised by hand waits for its turn."""
FAILED_COOLDOWN = 3.0
"""s until a trigger whose reaction could not begin is tried again."""
CLIFF_RESUMES = 2
CLIFF_RESUME_WINDOW = 15.0
"""How often what a cliff interrupted goes on within this time, s."""
_REACTION = "the reaction"


@dataclass(frozen=True, slots=True)
class Reaction:
    """A reaction to begin: stop the motors and what runs, then start the behaviour."""

    trigger: Trigger
    behavior: str
    reason: str


class Reactions:
    """The robot's reflexes: at most one reaction runs at a time."""

    def __init__(
        self,
        reaction_map: ReactionMap,
        now: float,
        rng: random.Random,
        *,
        is_known: Callable[[str], bool] = lambda _: True,
    ) -> None:
        """``is_known``: whether a behaviour of that id is there and usable; asked once."""
        self.locks = Locks()
        self.current: Reaction | None = None
        """The reaction that runs or is about to."""
        self.warnings: list[str] = []
        """Behaviours that the map names but nobody can use, reported once."""
        self._rng = rng
        self._entries = self._known_entries(reaction_map, is_known)
        self._strategies: dict[Trigger, Strategy] = {}
        self._raised: dict[Trigger, float] = {}
        self._free_at: dict[Trigger, float] = {}
        self._has_begun = False
        self._interrupted = ""
        self._chain: list[MappedReaction] = []
        self._cliff_resumes: deque[float] = deque(maxlen=CLIFF_RESUMES)
        self.restart(now)

    @property
    def is_hiccuping(self) -> bool:
        hiccups = self._strategies.get(Trigger.HICCUP)
        return isinstance(hiccups, Hiccups) and hiccups.is_hiccuping

    @property
    def answered(self) -> tuple[Trigger, ...]:
        """The triggers that a behaviour answers, in the order of evaluation."""
        return tuple(self._entries)

    def restart(self, now: float) -> None:
        """Reset for a new robot."""
        self._strategies = {
            trigger: strategy_for(trigger, entries, now, self._rng)
            for trigger, entries in self._entries.items()
        }
        self._raised.clear()
        self._free_at.clear()
        self.cancel()

    def on_event(self, event: Event, now: float) -> None:
        for strategy in self._strategies.values():
            strategy.on_event(event, now)

    def on_objective(self, objective: str, now: float) -> None:
        for strategy in self._strategies.values():
            if isinstance(strategy, Objective):
                strategy.on_objective(objective, now)

    def request_reaction(self, name: str, now: float) -> None:
        """Want a reaction for the next 3 s; locks still count. Raises ``UnknownTrigger``."""
        trigger = trigger_named(name)
        if trigger not in self._entries:
            raise UnknownTrigger(f"no behaviour answers the trigger {name!r}")
        self._raised[trigger] = now + RAISED_WINDOW

    def clear(self) -> None:
        """Drop what is waiting: somebody else was in charge meanwhile."""
        self._raised.clear()
        for strategy in self._strategies.values():
            strategy.clear()

    def evaluate(self, facts: Facts, running: str = "") -> Reaction | None:
        """Return the reaction to start now; ``running`` can go on afterwards, empty for none."""
        for trigger, strategy in self._strategies.items():
            # Twenty times a second, mostly for nothing.
            if trigger in self._raised:
                candidate = self._candidate(trigger, facts)
            else:
                candidate = strategy.check(facts)
            if not isinstance(candidate, Candidate):
                continue
            if not self._obstacle(trigger, candidate, facts.now):
                return self._fire(trigger, candidate, facts.now, running)
            is_running = self.current is not None and self.current.trigger is trigger
            if is_running or self.locks.owner_of(trigger):
                # What is disabled, or a part of what is reacted to, does not come later either.
                strategy.clear()
                self._raised.pop(trigger, None)
        return None

    def why_not(self, trigger: Trigger, facts: Facts) -> str:
        """Say why an answered trigger does not fire now, empty where it does; changes nothing."""
        candidate = self._candidate(trigger, facts)
        if not isinstance(candidate, Candidate):
            return f"it waits for {candidate}" if candidate else "it has no reason"
        obstacle = self._obstacle(trigger, candidate, facts.now)
        return f"it is blocked by {obstacle}" if obstacle else ""

    def began(self) -> None:
        self._has_begun = True

    def ended(self, now: float, *, has_failed: bool = False) -> str:
        """It has ended, or could not begin; return the behaviour to go on with, empty for none."""
        if self.current is None:
            return ""
        trigger = self.current.trigger
        self._strategies[trigger].ended(now)
        if has_failed:
            self._free_at[trigger] = max(self._free_at.get(trigger, now), now + FAILED_COOLDOWN)
        resumed = self._interrupted if all(one.resumes for one in self._chain) else ""
        if resumed and any(one.trigger is Trigger.CLIFF_DETECTED for one in self._chain):
            resumed = resumed if self._may_resume_after_cliff(now) else ""
        self.cancel()
        return resumed

    # -- one trigger

    def _candidate(self, trigger: Trigger, facts: Facts) -> Candidate | str | None:
        until = self._raised.get(trigger)
        if until is not None and facts.now <= until:
            entry = self._entries[trigger][0]
            return Candidate("somebody asked for it", entry, is_by_hand=True)
        return self._strategies[trigger].check(facts)

    def _obstacle(self, trigger: Trigger, candidate: Candidate, now: float) -> str:
        """Return what keeps a trigger from firing, empty for nothing."""
        owner = self.locks.owner_of(trigger)
        if owner:
            return f"a lock of {owner}"
        current = self.current
        if current is not None:
            if current.trigger is trigger:
                return "its own reaction, which runs"
            if not self._may_interrupt(trigger, candidate.entry):
                state = "runs" if self._has_begun else "is about to begin"
                return f"{current.behavior}, which {state}"
        left = self._free_at.get(trigger, now) - now
        if left > 0 and not candidate.is_by_hand:
            return f"its cooldown of {left:.1f} s more"
        return ""

    def _may_interrupt(self, trigger: Trigger, entry: MappedReaction) -> bool:
        interrupts = RULES[trigger].interrupts
        if interrupts is Interrupts.SAFETY:
            return True
        if not self._has_begun or interrupts is Interrupts.NEVER:
            return False
        return interrupts is Interrupts.ALWAYS or entry.may_interrupt

    # -- one reaction

    def _fire(self, trigger: Trigger, candidate: Candidate, now: float, running: str) -> Reaction:
        if self.current is None:
            self._interrupted = running
        else:
            self._strategies[self.current.trigger].ended(now)
        self._chain.append(candidate.entry)
        self._has_begun = False
        if not candidate.is_by_hand:
            self._strategies[trigger].on_fired(now)
        self._raised.pop(trigger, None)
        self._free_at[trigger] = now + candidate.entry.cooldown
        self.locks.hold(_REACTION, REACTION_LOCKS.get(trigger, ()))
        self.current = Reaction(trigger, candidate.entry.behavior, candidate.reason)
        return self.current

    def cancel(self) -> None:
        self.current = None
        self._has_begun = False
        self._interrupted = ""
        self._chain = []
        self.locks.release(_REACTION)

    def _may_resume_after_cliff(self, now: float) -> bool:
        recent = [at for at in self._cliff_resumes if now - at < CLIFF_RESUME_WINDOW]
        if len(recent) >= CLIFF_RESUMES:
            return False
        self._cliff_resumes.append(now)
        return True

    def _known_entries(
        self, reaction_map: ReactionMap, is_known: Callable[[str], bool]
    ) -> dict[Trigger, Entries]:
        """In the order of evaluation, which is that of the numbers."""
        found = {}
        for trigger in Trigger:
            missing = []
            for entries in reaction_map.reactions.get(trigger, ()):
                known = tuple(entry for entry in entries if is_known(entry.behavior))
                missing += [entry.behavior for entry in entries if entry not in known]
                if known:
                    found[trigger] = known
                    break
            if missing:
                instead = f", {found[trigger][0].behavior} answers" if trigger in found else ""
                text = f"{trigger.file_name}: {quoted(missing)} cannot be used{instead}"
                self.warnings.append(text)
        return found
