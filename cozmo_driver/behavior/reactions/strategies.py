"""When a trigger wants a reaction (spec 12 §4). Times in s; nothing here knows of other triggers.

A strategy takes events, and is looked at in every turn: looking changes nothing that a second look
at the same time would see.
"""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ...robot import CubeEvent, CubeEventType, OffTreads, RobotEvent, RobotEventType
from .reaction_map import FrustrationParams, MappedReaction, ObjectiveParams

Cause = RobotEvent | CubeEvent
MOVING_LONG_ENOUGH = 1.0
"""s for which a cube must move."""
AFTER_ITS_END = 3.0
"""s until a posture that did not change is reacted to again."""
MINOR = FrustrationParams(-0.6)
"""Where the map says nothing."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What strategies look at; ``confident`` is the emotion, -1 to 1.

    ``visible_cubes``: factory ids of cubes that somebody sees: seeing them moved is no surprise.
    """

    now: float
    off_treads: OffTreads = OffTreads.ON_TREADS
    confident: float = 0.0
    visible_cubes: Collection[int] = ()


@dataclass(frozen=True, slots=True)
class Wish:
    """The trigger wants a reaction: why, by which event, with which entry of the map."""

    reason: str
    entry: MappedReaction
    cause: Cause | None = None


class Strategy:
    """One trigger's own opinion; by itself it learns nothing and waits for nothing."""

    def take(self, event: Cause, now: float) -> None:
        """Take an event."""

    def look(self, facts: Facts) -> Wish | str | None:
        """Return what is wanted, or what is waited for, None for nothing."""
        return None

    def fired(self, now: float) -> None:
        """Learn that the reaction it wanted begins."""

    def forget(self) -> None:
        """Drop events: they are too old, or nobody may react to them."""

    def ended(self, now: float) -> None:
        """Learn that its reaction has ended."""


class Latch(Strategy):
    """Wants a reaction to an event, for as long as the event is fresh."""

    def __init__(
        self,
        entries: Sequence[MappedReaction],
        types: Collection[RobotEventType | CubeEventType],
        window: float,
        *,
        automatic_only: bool = False,
        not_before: float = -math.inf,
    ) -> None:
        """Listen for ``types``, of calibrations to those the robot began, after a time."""
        self._entry = entries[0]
        self._types = frozenset(types)
        self._window = window
        self._automatic_only = automatic_only
        self._not_before = not_before
        self._event: Cause | None = None
        self._at = -math.inf

    def take(self, event: Cause, now: float) -> None:
        """Remember the newest event of interest."""
        if event.type not in self._types or now < self._not_before:
            return
        if self._automatic_only and isinstance(event, RobotEvent) and not event.is_automatic:
            return
        self._event, self._at = event, now

    def look(self, facts: Facts) -> Wish | str | None:
        """Want a reaction to a fresh event."""
        event = self._event
        if event is None or facts.now - self._at > self._window:
            left = self._not_before - facts.now
            return f"the first {left:.1f} s to pass" if left > 0 else None
        if _is_lifting(event, facts):
            return None
        text = event.text if isinstance(event, CubeEvent) else event.description
        return Wish(text, self._entry, event)

    def fired(self, now: float) -> None:
        """Drop the event."""
        self._event = None

    def forget(self) -> None:
        """Drop the event."""
        self._event = None


def _is_lifting(event: Cause, facts: Facts) -> bool:
    """A standing robot that is lifted sees no ground either: that is no edge."""
    return (
        event.type is RobotEventType.CLIFF_DETECTED
        and isinstance(event, RobotEvent)
        and not event.has_stopped
        and facts.off_treads is not OffTreads.ON_TREADS
    )


class Posture(Strategy):
    """Wants a reaction while the robot is held or lies in certain ways."""

    def __init__(self, entries: Sequence[MappedReaction], *postures: OffTreads) -> None:
        """Watch for ``postures``."""
        self._entry = entries[0]
        self._postures = postures
        self._posture = OffTreads.ON_TREADS
        self._rests_until = -math.inf

    def look(self, facts: Facts) -> Wish | str | None:
        """Want a reaction now, or later when this posture has just been reacted to."""
        if facts.off_treads is not self._posture:
            self._posture, self._rests_until = facts.off_treads, -math.inf
        if facts.off_treads not in self._postures:
            return None
        left = self._rests_until - facts.now
        if left > 0:
            return f"a change, or {left:.1f} s to pass since the last reaction"
        how = facts.off_treads.name.lower().replace("_", " ")
        return Wish(f"the robot is {how}", self._entry)

    def ended(self, now: float) -> None:
        """Rest a little, as long as nothing changes."""
        self._rests_until = now + AFTER_ITS_END


class CubeMotion(Strategy):
    """Wants a reaction when a cube that nobody sees has been moved for some time."""

    def __init__(self, entries: Sequence[MappedReaction]) -> None:
        """Start with cubes at rest."""
        self._entry = entries[0]
        self._moving: dict[int, tuple[float, CubeEvent]] = {}

    def take(self, event: Cause, now: float) -> None:
        """Follow what moves."""
        if not isinstance(event, CubeEvent):
            return
        if event.type is CubeEventType.MOVED:
            self._moving.setdefault(event.cube.factory_id, (now, event))
        elif event.type in (CubeEventType.STOPPED, CubeEventType.DISCONNECTED):
            self._moving.pop(event.cube.factory_id, None)

    def look(self, facts: Facts) -> Wish | str | None:
        """Want a reaction to the cube that has moved longest."""
        unseen = [
            (since, event)
            for factory_id, (since, event) in self._moving.items()
            if factory_id not in facts.visible_cubes
        ]
        if not unseen:
            return None
        since, event = min(unseen, key=lambda one: one[0])
        left = since + MOVING_LONG_ENOUGH - facts.now
        if left > 0:
            return f"the cube to move for {left:.1f} s more"
        return Wish(event.text, self._entry, event)

    def fired(self, now: float) -> None:
        """Wait for the next time a cube begins to move."""
        self._moving.clear()

    def forget(self) -> None:
        """Wait for the next time a cube begins to move."""
        self._moving.clear()


class Frustration(Strategy):
    """Wants a reaction to low confidence, the severest first."""

    def __init__(self, entries: Sequence[MappedReaction]) -> None:
        """Order the entries by severity."""
        self._entries = sorted(
            ((entry.frustration or MINOR, entry) for entry in entries),
            key=lambda one: one[0].max_confidence,
        )
        self._free_at = [-math.inf] * len(self._entries)
        self._wanted: int | None = None

    def look(self, facts: Facts) -> Wish | str | None:
        """Want the reaction to the severest frustration there is."""
        self._wanted = None
        for index, (params, entry) in enumerate(self._entries):
            if not facts.confident < params.max_confidence:
                continue
            left = self._free_at[index] - facts.now
            if left > 0:
                return f"its cooldown of {left:.1f} s more"
            self._wanted = index
            return Wish(f"its confidence is {facts.confident:.2f}", entry)
        return None

    def fired(self, now: float) -> None:
        """Let this one and all milder ones cool down."""
        if self._wanted is not None:
            for index in range(self._wanted, len(self._entries)):
                self._free_at[index] = now + self._entries[index][0].cooldown
            self._wanted = None


class Objective(Strategy):
    """Wants a reaction, sometimes, when a behaviour reports that it reached a goal."""

    def __init__(self, entries: Sequence[MappedReaction], rng: random.Random) -> None:
        """Draw with ``rng``."""
        self._entry = entries[0]
        self._rng = rng
        self._free_at: dict[str, float] = {}
        self._pending: tuple[str, float] | None = None

    def reached(self, objective: str, now: float) -> None:
        """Take a goal that was reached."""
        params = self._params(objective)
        if params is None or now < self._free_at.get(objective, -math.inf):
            return
        if self._rng.random() < params.probability:
            self._pending = (objective, now + params.expiration)

    def look(self, facts: Facts) -> Wish | str | None:
        """Want a reaction until the goal is too long ago."""
        if self._pending is None or facts.now > self._pending[1]:
            return None
        return Wish(f"{self._pending[0]} was reached", self._entry)

    def fired(self, now: float) -> None:
        """Let the goal cool down."""
        if self._pending is not None:
            params = self._params(self._pending[0])
            self._free_at[self._pending[0]] = now + (params.cooldown if params else 0.0)
            self._pending = None

    def forget(self) -> None:
        """Drop the goal."""
        self._pending = None

    def _params(self, objective: str) -> ObjectiveParams | None:
        return next((one for one in self._entry.objectives if one.objective == objective), None)


class OnRequest(Strategy):
    """Never wants anything by itself."""

    def __init__(self, waits_for: str) -> None:
        """Say what would have to be there."""
        self._waits_for = waits_for

    def look(self, facts: Facts) -> Wish | str | None:
        """Wait."""
        return self._waits_for
