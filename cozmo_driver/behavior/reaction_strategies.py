"""When a trigger wants a reaction (spec 12 §4). Times in s; no strategy knows of other triggers.

A strategy is fed with events and checked in every tick: checking changes nothing that a second
check at the same time would see.
"""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ..robot import CubeEvent, OffTreads, Pose2D, RobotEvent
from ..robot import CubeEventType as Cube
from ..robot import RobotEventType as Robot
from .body import Event
from .reaction_map import FrustrationParams, HiccupParams, MappedReaction, ObjectiveParams
from .sight import BLIND, Sight

MOVING_LONG_ENOUGH = 1.0
"""s for which a cube must move."""
AFTER_ITS_END = 3.0
"""s until a posture that did not change is reacted to again."""
MINOR = FrustrationParams(-0.6)
"""Where the map says nothing."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What strategies check; ``confident`` is the emotion, -1 to 1."""

    now: float
    off_treads: OffTreads = OffTreads.ON_TREADS
    confident: float = 0.0
    sight: Sight = BLIND
    pose: Pose2D = Pose2D()


@dataclass(frozen=True, slots=True)
class Candidate:
    """The trigger wants a reaction: why, and with which entry of the map."""

    reason: str
    entry: MappedReaction
    is_by_hand: bool = False


class Strategy:
    """One trigger's own opinion; by itself it waits for a request, or for what it is told."""

    def __init__(self, waits_for: str = "") -> None:
        self._waits_for = waits_for

    def on_event(self, event: Event, now: float) -> None:
        pass

    def check(self, facts: Facts) -> Candidate | str | None:
        return self._waits_for

    def on_fired(self, now: float) -> None:
        """Learn that the reaction it wanted begins."""
        self.clear()

    def clear(self) -> None:
        """Drop events: they are too old, or nobody may react to them."""

    def ended(self, now: float) -> None:
        """Learn that its reaction has ended."""


class Latch(Strategy):
    """Wants a reaction to an event, for as long as the event is fresh."""

    def __init__(
        self,
        entries: Sequence[MappedReaction],
        types: Collection[Robot | Cube],
        window: float,
        *,
        automatic_only: bool,
        not_before: float,
    ) -> None:
        self._entry = entries[0]
        self._types = frozenset(types)
        self._window = window
        self._automatic_only = automatic_only
        self._not_before = not_before
        self._event: Event | None = None
        self._at = -math.inf

    def on_event(self, event: Event, now: float) -> None:
        if event.type not in self._types or now < self._not_before:
            return
        if self._automatic_only and isinstance(event, RobotEvent) and not event.is_automatic:
            return
        self._event, self._at = event, now

    def check(self, facts: Facts) -> Candidate | str | None:
        event = self._event
        if event is None or facts.now - self._at > self._window:
            left = self._not_before - facts.now
            return f"the first {left:.1f} s to pass" if left > 0 else None
        if _is_lifting(event, facts):
            return None
        text = event.text if isinstance(event, CubeEvent) else event.description
        return Candidate(text, self._entry)

    def clear(self) -> None:
        self._event = None


def _is_lifting(event: Event, facts: Facts) -> bool:
    """A standing robot that is lifted sees no ground either: that is no edge."""
    return (
        event.type is Robot.CLIFF_DETECTED
        and isinstance(event, RobotEvent)
        and not event.has_stopped
        and facts.off_treads is not OffTreads.ON_TREADS
    )


class Posture(Strategy):
    def __init__(self, entries: Sequence[MappedReaction], *postures: OffTreads) -> None:
        self._entry = entries[0]
        self._postures = postures
        self._posture = OffTreads.ON_TREADS
        self._rests_until = -math.inf

    def check(self, facts: Facts) -> Candidate | str | None:
        if facts.off_treads is not self._posture:
            self._posture, self._rests_until = facts.off_treads, -math.inf
        if facts.off_treads not in self._postures:
            return None
        left = self._rests_until - facts.now
        if left > 0:
            return f"a change, or {left:.1f} s to pass since the last reaction"
        how = facts.off_treads.name.lower().replace("_", " ")
        return Candidate(f"the robot is {how}", self._entry)

    def ended(self, now: float) -> None:
        self._rests_until = now + AFTER_ITS_END


class Frustration(Strategy):
    """Wants a reaction to low confidence, the severest first."""

    def __init__(self, entries: Sequence[MappedReaction]) -> None:
        self._entries = sorted(
            ((entry.frustration or MINOR, entry) for entry in entries),
            key=lambda one: one[0].max_confidence,
        )
        self._free_at = [-math.inf] * len(self._entries)
        self._wanted: int | None = None

    def check(self, facts: Facts) -> Candidate | str | None:
        self._wanted = None
        for index, (params, entry) in enumerate(self._entries):
            if not facts.confident < params.max_confidence:
                continue
            left = self._free_at[index] - facts.now
            if left > 0:
                return f"its cooldown of {left:.1f} s more"
            self._wanted = index
            return Candidate(f"its confidence is {facts.confident:.2f}", entry)
        return None

    def on_fired(self, now: float) -> None:
        if self._wanted is not None:
            for index in range(self._wanted, len(self._entries)):
                self._free_at[index] = now + self._entries[index][0].cooldown
            self._wanted = None


class Objective(Strategy):
    """Wants a reaction, sometimes, when a behaviour reports that it reached a goal."""

    def __init__(self, entries: Sequence[MappedReaction], rng: random.Random) -> None:
        self._entry = entries[0]
        self._rng = rng
        self._free_at: dict[str, float] = {}
        self._pending: tuple[str, float] | None = None

    def on_objective(self, objective: str, now: float) -> None:
        params = self._params(objective)
        if params is None or now < self._free_at.get(objective, -math.inf):
            return
        if self._rng.random() < params.probability:
            self._pending = (objective, now + params.expiration)

    def check(self, facts: Facts) -> Candidate | str | None:
        if self._pending is None or facts.now > self._pending[1]:
            return None
        return Candidate(f"{self._pending[0]} was reached", self._entry)

    def on_fired(self, now: float) -> None:
        if self._pending is not None:
            params = self._params(self._pending[0])
            self._free_at[self._pending[0]] = now + (params.cooldown if params else 0.0)
            self._pending = None

    def clear(self) -> None:
        self._pending = None

    def _params(self, objective: str) -> ObjectiveParams | None:
        return next((one for one in self._entry.objectives if one.objective == objective), None)


_TURNED_OVER = (OffTreads.ON_BACK, OffTreads.ON_FACE)


class Hiccups(Strategy):
    """Wants a reaction for each hiccup of a bout. Times in s."""

    def __init__(
        self, entries: Sequence[MappedReaction], rng: random.Random, started_at: float
    ) -> None:
        self._entry = entries[0]
        self._params = entries[0].hiccup or HiccupParams()
        self._rng = rng
        self._left = 0
        self._next_at = started_at + rng.uniform(*self._params.every)

    @property
    def is_hiccuping(self) -> bool:
        return self._left > 0

    def on_event(self, event: Event, now: float) -> None:
        if not isinstance(event, RobotEvent) or not self.is_hiccuping:
            return
        turned = event.type is Robot.OFF_TREADS_CHANGED and event.off_treads in _TURNED_OVER
        if turned or event.type is Robot.SHAKEN_STARTED:
            self._end_bout(now, self._params.immunity)

    def check(self, facts: Facts) -> Candidate | str | None:
        left = self._next_at - facts.now
        if left > 0:
            return f"the next {'hiccup' if self._left else 'bout'} in {left:.1f} s"
        if not self._left:
            self._left = self._rng.randint(*self._params.count)
        return Candidate(f"{self._left} hiccups to go", self._entry)

    def on_fired(self, now: float) -> None:
        self._left -= 1
        if self._left > 0:
            self._next_at = now + self._rng.uniform(*self._params.spacing)
        else:
            self._end_bout(now, 0.0)

    def _end_bout(self, now: float, immunity: float) -> None:
        self._left = 0
        self._next_at = now + max(immunity, self._rng.uniform(*self._params.every))
