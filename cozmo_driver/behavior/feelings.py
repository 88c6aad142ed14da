"""What behaviours, choosers and the engine need of mood, needs and reactions."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

from .body import Senses


class Mood(Protocol):
    """Emotions, each from -1 to 1."""

    def value(self, emotion: str) -> float:
        """Return an emotion's value; 0 for names that are none."""
        ...

    def feel(self, event: str) -> None:
        """Let an emotion event happen."""
        ...

    def take_result(self, action: str, result: str) -> None:
        """Feel how an action ended: ``DriveStraight``, ``DriveToPose``, ``TurnInPlace``."""
        ...


class Needs(Protocol):
    """Repair, Energy and Play."""

    def level(self, need: str) -> float:
        """Return the level, 0 to 1."""
        ...

    def bracket(self, need: str) -> str:
        """Return Full, Normal, Warning or Critical."""
        ...

    def act(self, action: str) -> None:
        """Let a need action happen."""
        ...

    @property
    def earned_sparks(self) -> float:
        """What its doings have earned since it was last rewarded; 1 is a reward."""
        ...

    def take_reward(self) -> None:
        """Be rewarded for what it has earned."""
        ...


@dataclass(frozen=True, slots=True)
class Reaction:
    """A reaction that shall begin now: which trigger, which behaviour, and why."""

    trigger: str
    behavior_id: str
    explanation: str = ""


class Reactions(Protocol):
    """Watches for what the robot reacts to. At most one reaction runs at a time."""

    @property
    def is_hiccuping(self) -> bool:
        """Tell whether a bout of hiccups goes on: some reactions look different then."""
        ...

    def update(
        self, senses: Senses, running: str, can_resume: bool, locked: Collection[str]
    ) -> Reaction | None:
        """Return the reaction that shall begin now, in place of what runs.

        Called on every tick. ``running`` is the behaviour that runs and is no reaction, empty for
        none; ``locked`` are the triggers that are switched off for now.
        """
        ...

    def began(self) -> None:
        """Learn that the reaction's first action has started."""
        ...

    def ended(self, has_failed: bool) -> bool:
        """Learn that the reaction ended; return whether what it interrupted goes on."""
        ...

    def forget(self) -> None:
        """Drop the reaction that runs and what is waiting: somebody else is in charge."""
        ...

    def raise_by_hand(self, trigger: str) -> None:
        """Want a reaction now. Raises ``UnknownTrigger``."""
        ...

    def reached(self, objective: str) -> None:
        """Learn that a behaviour has reached one of its goals."""
        ...


class Even:
    """A mood and needs that never change: for a life without them, and for tests."""

    def value(self, emotion: str) -> float:
        """See ``Mood``."""
        return 0.0

    def feel(self, event: str) -> None:
        """See ``Mood``."""

    def take_result(self, action: str, result: str) -> None:
        """See ``Mood``."""

    def level(self, need: str) -> float:
        """See ``Needs``."""
        return 1.0

    def bracket(self, need: str) -> str:
        """See ``Needs``."""
        return "Full"

    def act(self, action: str) -> None:
        """See ``Needs``."""

    earned_sparks = 0.0

    def take_reward(self) -> None:
        """See ``Needs``."""


class Unmoved:
    """Reacts to nothing."""

    is_hiccuping = False

    def update(
        self, senses: Senses, running: str, can_resume: bool, locked: Collection[str]
    ) -> Reaction | None:
        """See ``Reactions``."""
        return None

    def began(self) -> None:
        """See ``Reactions``."""

    def ended(self, has_failed: bool) -> bool:
        """See ``Reactions``."""
        return False

    def forget(self) -> None:
        """See ``Reactions``."""

    def raise_by_hand(self, trigger: str) -> None:
        """See ``Reactions``."""

    def reached(self, objective: str) -> None:
        """See ``Reactions``."""
