"""Mood, needs and reflexes as the engine uses them, on one robot's time."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from .body import Happenings, Senses
from .feelings import Reaction
from .mood.causes import emotion_event_of
from .mood.config import load_mood_config
from .mood.emotions import EMOTIONS
from .mood.mood import Mood
from .needs.config import load_needs_config
from .needs.needs import Needs, NeedsSnapshot
from .needs.values import BRACKETS, Need
from .reactions import Facts, Reactions, Running, Trigger, load_reaction_map

_NAMES = {bracket: name for name, bracket in BRACKETS.items()}
_OWNER = "the behaviour that runs"


class InnerLife:
    """What the robot feels, lacks and starts at: ``Mood``, ``Needs`` and ``Reactions`` in one."""

    def __init__(
        self,
        trees: Sequence[Path],
        happenings: Happenings,
        clock: Callable[[], float],
        rng: random.Random,
        *,
        is_known: Callable[[str], bool] = lambda _: True,
        saved: NeedsSnapshot | None = None,
        away: float = 0.0,
    ) -> None:
        """Read the trees; ``is_known`` tells of which ids there are behaviours that can run."""
        now = clock()
        self._clock, self._happenings = clock, happenings
        self._taken = happenings.total
        self.mood = Mood(load_mood_config(trees), now)
        self.needs = Needs(load_needs_config(trees), now, rng, saved, away)
        self.reactions = Reactions(load_reaction_map(trees), now, rng, is_known=is_known)

    # -- mood and needs

    def value(self, emotion: str) -> float:
        """See ``feelings.Mood``."""
        known = EMOTIONS.get(emotion)
        return 0.0 if known is None else self.mood.value(known)

    def feel(self, event: str) -> None:
        """See ``feelings.Mood``."""
        self.mood.event(event, self._clock())

    def level(self, need: str) -> float:
        """See ``feelings.Needs``; 1 for what is no need."""
        known = _need(need)
        return 1.0 if known is None else self.needs.level(known)

    def bracket(self, need: str) -> str:
        """See ``feelings.Needs``; empty for what is no need."""
        known = _need(need)
        return "" if known is None else _NAMES[self.needs.brackets[known]]

    def act(self, action: str) -> None:
        """See ``feelings.Needs``."""
        self.needs.apply(action, self._clock())

    # -- reflexes

    def update(
        self, senses: Senses, running: str, can_resume: bool, locked: Collection[str]
    ) -> Reaction | None:
        """See ``feelings.Reactions``."""
        now = self._clock()
        self.mood.update(now)
        self.needs.update(now)
        self._taken, events = self._happenings.newer_than(self._taken)
        for event in events:
            self.reactions.take(event, now)
            name = emotion_event_of(event)
            if name:
                self.mood.event(name, now)
        held = [trigger for trigger in Trigger if trigger.file_name in locked]
        self.reactions.locks.hold(_OWNER, held)
        facts = Facts(now, senses.off_treads, self.value("Confident"))
        fired = self.reactions.evaluate(
            facts, Running(running, can_resume) if running else None
        ).fired
        if fired is None:
            return None
        return Reaction(fired.trigger.file_name, fired.behavior, str(fired.reason))

    def began(self) -> None:
        """See ``feelings.Reactions``."""
        self.reactions.began()

    def ended(self, has_failed: bool) -> bool:
        """See ``feelings.Reactions``."""
        return bool(self.reactions.ended(self._clock(), has_failed=has_failed))

    def forget(self) -> None:
        """See ``feelings.Reactions``."""
        self._taken = self._happenings.total
        self.reactions.cancel()
        self.reactions.forget()

    def raise_by_hand(self, trigger: str) -> None:
        """Want a reaction now. Raises ``UnknownTrigger``."""
        self.reactions.raise_by_hand(trigger, self._clock())


def _need(name: str) -> Need | None:
    return next((need for need in Need if need.value == name), None)
