"""Quick Tap: whoever taps first when both cubes shine alike (spec 17 §3.2)."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field

from .game_state import Side
from .taps import Tap, without_repeats

POINTS, ROUNDS = 5, 3
DARK_TIME = (1.0, 3.0)
"""From the end of a hand to the lights of the next, s."""
CLIP_LEAD = 0.4
"""From asking for the clip that taps to the tap, s."""
TAP_DISTANCE = 0.062
"""From the drive center to the middle of the cube that it taps, m: 42 mm from the robot's origin
(spec 17 §3.2), which is 20 mm ahead."""
SLID = 0.005
"""How far the cube may slide, m."""
EARLIEST_TAP = 0.1
"""A tap sooner after the lights was no answer to them: people's shortest reaction time, s (the
rule of false starts in athletics)."""
FAIR_WAIT = 0.1
"""How long an earlier tap is waited for once one has come, s."""
LATE_RADIO = 0.3
"""How old the first tap is at least when it is judged, s: the driver's filter takes 0.075 of it."""
APPEAL_TIME = 1.0
"""How long after its end a hand is judged again if an earlier tap comes, at least, s."""
PLAIN_RED = ("red",) * 4
_COLORS = ("yellow", "green", "blue", "magenta")
_EQUAL, _EQUAL_MORE = 0.4, 0.15
_RED = 1 / 3

Pattern = tuple[str, ...]
"""Colours of a cube's four lights by name."""


@dataclass(frozen=True, slots=True)
class Level:
    """How well the robot plays. Times in s; colours in a pattern."""

    delay: tuple[float, float]
    mistake: float
    fake: float
    colors: int
    lit: float


LEVELS = (
    Level((0.7, 1.2), 0.15, 0.15, 1, 2.0),
    Level((0.5, 0.9), 0.10, 0.25, 2, 1.6),
    Level((0.35, 0.7), 0.06, 0.35, 3, 1.3),
    Level((0.25, 0.5), 0.03, 0.45, 4, 1.0),
)


@dataclass(frozen=True, slots=True)
class Deal:
    robot: Pattern
    player: Pattern
    second: Pattern | None = None
    """Of a second player, if there is one."""

    @property
    def patterns(self) -> dict[Side, Pattern]:
        dealt = {Side.ROBOT: self.robot, Side.PLAYER: self.player}
        return dealt if self.second is None else {**dealt, Side.SECOND_PLAYER: self.second}

    @property
    def is_equal(self) -> bool:
        """Whether to tap: never on red."""
        return set(self.patterns.values()) == {self.robot} and self.robot != PLAIN_RED


@dataclass(frozen=True, slots=True)
class Plan:
    """What the robot will do: ``clip`` is empty for nothing, ``delay`` s after the lights."""

    clip: str = ""
    delay: float = math.inf

    @property
    def is_tap(self) -> bool:
        return self.clip == TAP


TAP, FAKE = "OnSpeedtapTap", "OnSpeedtapFakeout"


class Dealer:
    """Deals patterns; the longer they differ the sooner they are equal."""

    def __init__(self, rng: random.Random, level: Level, players: int = 1) -> None:
        self._rng, self._level, self._players = rng, level, players
        self._mismatches = 0

    def deal(self) -> Deal:
        rng = self._rng
        if rng.random() < _EQUAL + _EQUAL_MORE * self._mismatches:
            self._mismatches = 0
            pattern = self._pattern()
            return self._deal(pattern, pattern)
        self._mismatches += 1
        if rng.random() < _RED:
            return self._deal(PLAIN_RED, PLAIN_RED)
        robot = player = self._pattern()
        while player == robot:
            player = self._pattern()
        return self._deal(robot, player)

    def _deal(self, robot: Pattern, player: Pattern) -> Deal:
        """Let a second player's cube be like one of the others."""
        second = self._rng.choice((robot, player)) if self._players > 1 else None
        return Deal(robot, player, second)

    def plan(self, deal: Deal) -> Plan:
        rng, level = self._rng, self._level
        delay = rng.uniform(*level.delay)
        is_wrong = rng.random() < level.mistake
        if deal.is_equal is not is_wrong:
            return Plan(TAP, delay)
        if not deal.is_equal and rng.random() < level.fake:
            return Plan(FAKE, delay)
        return Plan()

    def _pattern(self) -> Pattern:
        count = self._level.colors
        colors = self._rng.sample(_COLORS, min(2, count))
        if count <= 2:
            return tuple(colors[place % len(colors)] for place in range(4))
        return tuple(self._rng.choices(_COLORS[:count], k=4))


@dataclass(slots=True)
class Hand:
    """One showing of lights: takes the taps in any order, and judges by their stamps, s."""

    deal: Deal
    lit_at: float
    lit_for: float
    _taps: list[Tap] = field(default_factory=list)
    _came_at: float = math.inf
    """When the first tap came that may count."""

    def tap(self, side: Side, time: float, now: float) -> None:
        """Take a tap of ``time`` that comes at ``now``."""
        self._taps.append(Tap(side, time))
        if self._is_answer(time):
            self._came_at = min(self._came_at, now)

    def first(self, side: Side) -> float:
        """Return when a side tapped first, s; infinite where it did not."""
        times = (tap.time for tap in without_repeats(self._taps) if tap.factory_id == side)
        return min(filter(self._is_answer, times), default=math.inf)

    def _is_answer(self, time: float) -> bool:
        return EARLIEST_TAP <= time - self.lit_at <= self.lit_for

    def is_decided(self, now: float) -> bool:
        """Whether no earlier tap is to be expected any more."""
        first = min(map(self.first, self.deal.patterns))
        if math.isinf(first):
            return now >= self.lit_at + self.lit_for + LATE_RADIO
        return now >= max(self._came_at + FAIR_WAIT, first + LATE_RADIO)

    @property
    def winners(self) -> tuple[Side, ...]:
        """Who gets a point by what has come until now; of equal stamps people's count."""
        times = {side: self.first(side) for side in self.deal.patterns}
        earliest = min(times.values())
        if math.isinf(earliest):
            return ()
        fastest = {side for side, time in times.items() if time == earliest}
        if self.deal.is_equal:
            fastest = fastest - {Side.ROBOT} or fastest
            return tuple(side for side in times if side in fastest)
        losers = {Side.ROBOT} if Side.ROBOT in fastest else fastest
        return tuple(side for side in times if side not in losers)
