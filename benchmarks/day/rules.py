"""Watches that the treads never turn while a rule forbids it."""

from __future__ import annotations

from dataclasses import dataclass, field

GRACE = 0.25
"""s within which the personality notices that a rule begins: some turns of its loop."""

_ALLOWED = {("on its charger", "undock"), ("its battery is low", "go_home")}


@dataclass(slots=True)
class Rules:
    """Which rules hold since when, and each time that something moved against one."""

    broken: list[str] = field(default_factory=list)
    moves: int = 0
    _since: dict[str, float] = field(default_factory=dict)
    history: list[tuple[str, float, float]] = field(default_factory=list)
    """Which rule held from when to when, s."""

    def set(self, rule: str, on: bool, now: float) -> None:
        """Take that a rule begins or ends."""
        if on:
            self._since.setdefault(rule, now)
        elif rule in self._since:
            self.history.append((rule, self._since.pop(rule), now))

    def took(self, what: str, began: float, ended: float) -> None:
        """Take that the treads were commanded from one time to another."""
        self.moves += 1
        lasting = [(rule, since, ended) for rule, since in self._since.items()]
        for rule, since, until in (*self.history[-20:], *lasting):
            if (rule, what) in _ALLOWED:
                continue
            overlap = min(ended, until) - max(began, since)
            if overlap > GRACE or (since + GRACE < began < until):
                self.broken.append(f"{began:.2f} s: {what} while {rule}")
