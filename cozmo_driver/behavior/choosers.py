"""How an activity chooses among its behaviours (spec 12 §7)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from .behavior import Behavior, Situation
from .config import ChooserConfig, Scoring
from .trace import Rejection

_LEAST_OF_RUNNING = 0.01
_STAYS = 0.1
"""What the running behaviour has ahead of others: it is not left for a trifle."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen, None for nothing, and why; and why not the others."""

    behavior: Behavior | None
    reason: str
    rejected: tuple[Rejection, ...] = ()


@dataclass(frozen=True, slots=True)
class Running:
    """The behaviour that runs, and for how long, s."""

    behavior: Behavior | None = None
    time: float = 0.0


NOTHING_RUNS = Running()


class Chooser:
    """The chooser of one activity."""

    def __init__(self, config: ChooserConfig, behaviors: Mapping[str, Behavior]) -> None:
        """Choose among those of ``behaviors`` that ``config`` names."""
        self.config = config
        self.entries = tuple(
            (behaviors[name], scoring) for name, scoring in config.behaviors if name in behaviors
        )
        self.requested: tuple[Behavior, int] | None = None
        """Of the type Selection: which and how often more, negative for ever."""

    def choose(self, situation: Situation, running: Running = NOTHING_RUNS) -> Choice:
        """Choose what shall run now, which may be what runs."""
        if self.config.type == "StrictPriority":
            return self._first(situation, running)
        if self.config.type == "Selection":
            return self._selected(situation, running)
        if self.config.type in ("Scoring", "Simple"):
            return self._best(situation, running)
        return Choice(None, f"nothing implements the chooser {self.config.type!r}")

    def take_end(self, behavior: Behavior) -> None:
        """Take that a behaviour ran to its end: a requested one counts."""
        if self.requested and self.requested[0] is behavior and self.requested[1] > 0:
            left = self.requested[1] - 1
            self.requested = (behavior, left) if left else None

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

    def _selected(self, situation: Situation, running: Running) -> Choice:
        if self.requested is None:
            return Choice(None, "none is requested")
        behavior, left = self.requested
        why = "" if behavior is running.behavior else behavior.why_not(situation)
        if why:
            return Choice(None, "the requested one cannot run", (Rejection(behavior.id, why),))
        often = "for ever" if left < 0 else f"{left} times more"
        return Choice(behavior, f"requested, {often}")

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
        values = [one.graph(situation.mood.value(one.emotion)) for one in scoring.emotions]
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
    return "no wish for it" if math.isinf(since) else f"it ran {since:.0f} s ago"
