"""The robot asks somebody to play, and what they answer (spec 17 §3.1)."""

from __future__ import annotations

from dataclasses import dataclass

ANSWER_TIME = 15.0
"""s for which an answer is waited for."""
_PAUSE, _LONGEST_PAUSE = 300.0, 3600.0
"""s before it asks again after a game, twice as long after each no, at most."""


@dataclass(frozen=True, slots=True)
class GameAnswer:
    """``player_cube`` is the number of the cube that was tapped, 0 for none."""

    is_accepted: bool
    level: int = 1
    player_cube: int = 0


@dataclass(eq=False, slots=True)
class GameQuestion:
    """Whoever answers sets ``answer``."""

    game: str
    text: str
    answer: GameAnswer | None = None


def pause_after(denials: int) -> float:
    """Return how long it does not ask, s, after so many refusals in a row."""
    return float(min(_LONGEST_PAUSE, _PAUSE * 2.0 ** min(denials, 10)))
