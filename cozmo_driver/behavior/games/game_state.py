"""How a game stands: what everybody who follows one is told, and who has won what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, IntEnum


class Side(IntEnum):
    """Who; values of ``cozmo_interfaces/action/PlayGame.Result.winner``."""

    NOBODY = 0
    ROBOT = 1
    PLAYER = 2
    BOTH = 3
    SECOND_PLAYER = 4

    @property
    def field(self) -> str:
        """What its points and rounds begin with in ``GameState``; of sides that score."""
        return {Side.ROBOT: "robot", Side.PLAYER: "player", Side.SECOND_PLAYER: "second"}[self]


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
    second_points: int = 0
    robot_rounds: int = 0
    player_rounds: int = 0
    second_rounds: int = 0
    pattern_length: int = 0
    winner: Side = Side.NOBODY
    text: str = ""


class Match:
    """Best of an odd number of rounds, each to so many points. Raises ``ValueError``."""

    def __init__(
        self, rounds: int, points: int, sides: Sequence[Side] = (Side.ROBOT, Side.PLAYER)
    ) -> None:
        if rounds < 1 or rounds % 2 == 0:
            raise ValueError(f"a match has an odd number of rounds, not {rounds}")
        self._majority, self._goal = rounds // 2 + 1, points
        self.round = 1
        self.points = dict.fromkeys(sides, 0)
        self.rounds = dict.fromkeys(sides, 0)

    def score(self, *sides: Side) -> Side:
        """Give a point each, to nobody, too; return who wins the round by it.

        Of two who get there at once nobody has won yet.
        """
        for side in self.points.keys() & sides:
            self.points[side] += 1
        best = max(self.points.values())
        leaders = [side for side, points in self.points.items() if points == best]
        if best < self._goal or len(leaders) > 1:
            return Side.NOBODY
        self.rounds[leaders[0]] += 1
        return leaders[0]

    def next_round(self) -> None:
        self.round += 1
        self.points = dict.fromkeys(self.points, 0)

    @property
    def margin(self) -> int:
        """Points between the best and the next."""
        best, second = sorted(self.points.values(), reverse=True)[:2]
        return best - second

    @property
    def winner(self) -> Side:
        """Who has the majority of the rounds."""
        won = (side for side, count in self.rounds.items() if count >= self._majority)
        return next(won, Side.NOBODY)
