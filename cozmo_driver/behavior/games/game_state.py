"""How a game stands: what everybody who follows one is told, and who has won what."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum


class Side(IntEnum):
    """Who; values of ``cozmo_interfaces/action/PlayGame.Result.winner``."""

    NOBODY = 0
    ROBOT = 1
    PLAYER = 2
    BOTH = 3

    @property
    def other(self) -> Side:
        return Side.PLAYER if self is Side.ROBOT else Side.ROBOT


class Phase(Enum):
    """What a game is at; the value is ``PlayGame.Feedback.phase``."""

    CHOOSING = "choosing"
    PLACING = "placing"
    COUNTDOWN = "countdown"
    WAITING = "waiting"
    SHOWING = "showing"
    ROBOT = "robot"
    PLAYER = "player"
    JUDGED = "judged"
    ROUND_OVER = "round_over"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class GameState:
    """``text`` tells people what to do now; points are those of this round."""

    phase: Phase = Phase.CHOOSING
    round: int = 1
    robot_points: int = 0
    player_points: int = 0
    robot_rounds: int = 0
    player_rounds: int = 0
    pattern_length: int = 0
    winner: Side = Side.NOBODY
    text: str = ""


class Match:
    """Best of an odd number of rounds, each to so many points. Raises ``ValueError``."""

    def __init__(self, rounds: int, points: int) -> None:
        if rounds < 1 or rounds % 2 == 0:
            raise ValueError(f"a match has an odd number of rounds, not {rounds}")
        self._majority, self._goal = rounds // 2 + 1, points
        self.round = 1
        self.points = {Side.ROBOT: 0, Side.PLAYER: 0}
        self.rounds = {Side.ROBOT: 0, Side.PLAYER: 0}

    def score(self, side: Side) -> Side:
        """Give a point, to nobody, too; return who wins the round by it."""
        if side not in self.points:
            return Side.NOBODY
        self.points[side] += 1
        if self.points[side] < self._goal:
            return Side.NOBODY
        self.rounds[side] += 1
        return side

    def next_round(self) -> None:
        self.round += 1
        self.points = {Side.ROBOT: 0, Side.PLAYER: 0}

    @property
    def margin(self) -> int:
        return abs(self.points[Side.ROBOT] - self.points[Side.PLAYER])

    @property
    def winner(self) -> Side:
        """Who has the majority of the rounds."""
        won = (side for side, count in self.rounds.items() if count >= self._majority)
        return next(won, Side.NOBODY)
