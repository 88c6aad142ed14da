"""How needs grow and are served (spec 12 §3). Time and randomness are parameters; s."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from .needs_config import Bracket, Decay, Need, NeedsConfig

LONGEST_ABSENCE = 30 * 86400.0
"""A longer time away counts as this, s: by then everything is at its least."""


@dataclass(frozen=True, slots=True)
class BracketChange:
    need: Need
    before: Bracket
    after: Bracket


@dataclass(frozen=True, slots=True)
class NeedsSnapshot:
    """What is kept over restarts: levels, 0 to 1, and s for which a full need will not decay."""

    levels: Mapping[Need, float]
    hold: Mapping[Need, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ActionOutcome:
    """What an action did to the levels, or why nothing: ``refusal`` is empty where it counted."""

    deltas: Mapping[Need, float] = field(default_factory=dict)
    changes: tuple[BracketChange, ...] = ()
    refusal: str = ""


class Needs:
    """Levels of the needs: 1 is nothing wanted, the least level everything."""

    def __init__(
        self,
        config: NeedsConfig,
        now: float,
        rng: random.Random,
        saved: NeedsSnapshot | None = None,
        away: float = 0.0,
    ) -> None:
        """Start with what was ``saved`` ``away`` seconds ago, else with the file's levels.

        Meanwhile the needs have grown as the files say for a robot without a connection.
        """
        self.config = config
        self.is_connected = True
        """Which of the files' rates count."""
        self.unknown_actions: Counter[str] = Counter()
        """Names nobody knows, and how often they came."""
        self.earned_sparks = 0.0
        """What actions have earned since the last reward."""
        self._rng = rng
        self._decayed_at = now
        self._applied: dict[str, float] = {}
        given = saved.levels if saved else config.initial
        self._levels = {need: self._clamped(given.get(need, config.most)) for need in Need}
        self._hold_until = {need: now + self._hold_of(need, saved) for need in Need}
        if saved and away > 0:
            self._live_through(min(away, LONGEST_ABSENCE), now)
        self._notified = self.brackets

    @property
    def levels(self) -> Mapping[Need, float]:
        return dict(self._levels)

    @property
    def brackets(self) -> dict[Need, Bracket]:
        return {need: self.config.bracket_of(need, self._levels[need]) for need in Need}

    def level(self, need: Need) -> float:
        return self._levels[need]

    def snapshot(self, now: float) -> NeedsSnapshot:
        hold = {need: max(0.0, self._hold_until[need] - now) for need in Need}
        return NeedsSnapshot(dict(self._levels), hold)

    def update(self, now: float) -> tuple[BracketChange, ...]:
        """Let time pass; return what became more urgent since the last call."""
        decay = self.config.connected if self.is_connected else self.config.unconnected
        if now - self._decayed_at > LONGEST_ABSENCE:
            self._decayed_at = now - LONGEST_ABSENCE
        if now - self._decayed_at < self.config.period:
            return ()
        while now - self._decayed_at >= self.config.period:
            self._decayed_at += self.config.period
            self._decay_once(decay, self._decayed_at)
        return self._changes()

    def apply(self, action: str, now: float) -> ActionOutcome:
        """Let an action of the files serve the needs."""
        known = self.config.actions.get(action)
        if known is None:
            self.unknown_actions[action] += 1
            return ActionOutcome(refusal=f"there is no action {action!r}")
        free_at = self._applied.get(action, -math.inf) + known.cooldown
        if now < free_at:
            return ActionOutcome(refusal=f"{action} counts again in {free_at - now:.0f} s")
        self._applied[action] = now
        before = dict(self._levels)
        for need, (delta, spread) in known.deltas.items():
            self._move(need, delta + self._rng.uniform(-spread, spread), now)
        self.earned_sparks += known.sparks
        deltas = {need: self._levels[need] - before[need] for need in known.deltas}
        return ActionOutcome(deltas, self._changes())

    def set_level(self, need: Need, level: float, now: float) -> tuple[BracketChange, ...]:
        """Put a need at a level; what is no number is ignored."""
        if not math.isnan(level):
            self._move(need, level - self._levels[need], now)
        return self._changes()

    def _move(self, need: Need, delta: float, now: float) -> None:
        was_full = self.config.bracket_of(need, self._levels[need]) is Bracket.FULL
        self._levels[need] = self._clamped(self._levels[need] + delta)
        is_full = self.config.bracket_of(need, self._levels[need]) is Bracket.FULL
        if is_full and not was_full:
            self._hold_until[need] = now + self.config.full_hold[need]

    def _decay_once(self, decay: Decay, at: float) -> None:
        """All needs by the levels they had before this period."""
        factors = self._factors(decay)
        losses = {}
        for need in Need:
            if at < self._hold_until[need]:
                continue
            level = self._levels[need]
            rate = next((r for least, r in decay.rates.get(need, ()) if level >= least), 0.0)
            losses[need] = rate * self.config.period / 60.0 * factors[need]
        for need, loss in losses.items():
            self._levels[need] = self._clamped(self._levels[need] - loss)

    def _factors(self, decay: Decay) -> dict[Need, float]:
        factors = dict.fromkeys(Need, 1.0)
        for need, modifiers in decay.modifiers.items():
            level = self._levels[need]
            others = next((others for least, others in modifiers if level >= least), {})
            for other, factor in others.items():
                factors[other] *= factor
        return factors

    def _live_through(self, away: float, now: float) -> None:
        """Catch up with the time away as if it were before ``now``."""
        for need in Need:
            self._hold_until[need] -= away
        at = now - away
        while at + self.config.period <= now:
            at += self.config.period
            self._decay_once(self.config.unconnected, at)

    def _hold_of(self, need: Need, saved: NeedsSnapshot | None) -> float:
        longest = self.config.full_hold[need]
        if saved is not None:
            return min(longest, max(0.0, saved.hold.get(need, 0.0)))
        is_full = self.config.bracket_of(need, self._levels[need]) is Bracket.FULL
        return longest if is_full else 0.0

    def _changes(self) -> tuple[BracketChange, ...]:
        before, self._notified = self._notified, self.brackets
        return tuple(
            BracketChange(need, before[need], after)
            for need, after in self._notified.items()
            if after is not before[need]
        )

    def _clamped(self, level: float) -> float:
        return min(self.config.most, max(self.config.least, level))
