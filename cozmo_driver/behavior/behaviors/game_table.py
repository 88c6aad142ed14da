"""What games are played with: cubes, lights and taps; and what ends a game before its time."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Container, Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from ...link import end
from ...robot import (
    Color,
    Cube,
    CubeEvent,
    CubeEventType,
    CubeLights,
    LightState,
    Reason,
    RobotError,
    steady,
    uniform_lights,
)
from ..behavior import Life, Situation, WhyNot
from ..body import STARTING
from ..games import GAMES, GameRules, GameState, Match, Phase, Side, Tap
from .cube_play import connected, kept

_Level = TypeVar("_Level")
_T = TypeVar("_T")

TICK = 0.02
"""s between two looks at what happens."""
PATIENCE = 60.0
"""A player who does nothing for so long has left, s (spec 17 §3.3)."""
CHOICE_TIME = 30.0
"""s in which somebody takes a cube."""
_PLACING_TIME, _REST_TIME = 30.0, 2.0
"""How long the robot's cube is waited for, and how long it lies still then, s."""
_TAPS = frozenset({CubeEventType.TAPPED, CubeEventType.DOUBLE_TAPPED, CubeEventType.WEAKER_TAP})
COLORS = {
    "red": Color(0.38, 0.0, 0.0),
    "yellow": Color(0.2, 0.24, 0.0),
    "green": Color(0.0, 0.26, 0.0),
    "blue": Color(0.0, 0.0, 0.55),
    "magenta": Color(0.2, 0.0, 0.42),
    "white": Color(0.13, 0.16, 0.25),
    "dark": Color(),
}
"""As bright as a cube's battery carries on all four lights (spec 14)."""


def pattern_lights(pattern: Iterable[str]) -> CubeLights:
    """Return steady lights of four colours by name."""
    first, second, third, fourth = (steady(COLORS[name]) for name in pattern)
    return CubeLights((first, second, third, fourth))


def plain(color: str) -> CubeLights:
    return uniform_lights(steady(COLORS[color]))


def blinking(color: str, period: float = 0.5) -> CubeLights:
    """Return lights that blink; the period in s."""
    half = period / 2
    return uniform_lights(LightState(COLORS[color], COLORS["dark"], half, half))


class Table:
    """The cubes of one game. Everything here raises ``RobotError`` once the game cannot go on."""

    def __init__(self, life: Life, cubes: Iterable[Cube]) -> None:
        self.life, self.state = life, GameState()
        self.cubes = tuple(cube.factory_id for cube in cubes)
        self._names = {cube.factory_id: cube.kind.value for cube in life.body.cubes}
        self._seen = life.body.events.total
        self._touched_at = life.now

    @property
    def now(self) -> float:
        return self.life.now

    def name_of(self, cube: int) -> str:
        return f"cube {self._names.get(cube, '?')}"

    def number_of(self, cube: int) -> int:
        return self._names.get(cube, 0)

    # -- what is told and shown

    def show(self, phase: Phase, text: str, **changes: object) -> None:
        self.state = replace(self.state, phase=phase, text=text, **changes)  # type: ignore[arg-type]
        self.life.show_game(self.state)

    def show_match(self, match: Match, phase: Phase, text: str, winner: Side = Side.NOBODY) -> None:
        points = {f"{side.field}_points": count for side, count in match.points.items()}
        rounds = {f"{side.field}_rounds": count for side, count in match.rounds.items()}
        self.show(phase, text, winner=winner, round=match.round, **points, **rounds)

    def light(self, cube: int, lights: CubeLights) -> None:
        self.life.body.light_cube(cube, lights)

    def light_all(self, color: str) -> None:
        for cube in self.cubes:
            self.light(cube, plain(color))

    # -- what happens

    def take_events(self) -> list[CubeEvent]:
        """Return what happened to the game's cubes since the last look, as it came."""
        self._seen, events = self.life.body.events.newer_than(self._seen)
        return [
            event
            for event in events
            if isinstance(event, CubeEvent) and event.cube.factory_id in self.cubes
        ]

    def take_taps(self, *, with_weaker: bool = True) -> list[Tap]:
        """Return the taps since the last look, with repeats, as they came.

        Those that were weaker than one on another cube may be its echo through the table.
        """
        kinds = _TAPS if with_weaker else _TAPS - {CubeEventType.WEAKER_TAP}
        return [
            Tap(event.cube.factory_id, event.time)
            for event in self.take_events()
            if event.type in kinds
        ]

    def on_player(self) -> None:
        """Take that the player is there."""
        self._touched_at = self.now

    def check(self, *, needs_player: bool = False) -> None:
        """Raise what ends the game: a robot or cube that is gone, a player who has left."""
        senses = self.life.senses
        if not senses.is_connected:
            raise RobotError(Reason.LINK_LOST, "the robot was lost in the middle of the game")
        if senses.is_off_ground:
            raise RobotError(Reason.PICKED_UP, "the robot was lifted; put it down to play again")
        there = {cube.factory_id for cube in kept(self.life.situation)}
        for cube in self.cubes:
            if cube not in there:
                text = f"{self.name_of(cube)} was lost in the middle of the game; connect it again"
                raise RobotError(Reason.NOT_FOUND, text)
        if needs_player and self.now - self._touched_at > PATIENCE:
            raise RobotError(Reason.TIMEOUT, f"the player did nothing for {PATIENCE:.0f} s")

    async def tick(self, *, needs_player: bool = False) -> None:
        self.check(needs_player=needs_player)
        await asyncio.sleep(TICK)

    async def until(self, time: float) -> None:
        """Wait until ``time``, s."""
        while (left := time - self.now) > 0.0:
            self.check()
            await asyncio.sleep(min(TICK, left))

    async def during(self, action: Awaitable[None]) -> None:
        """Await what the robot does; it ends with the game."""
        async with self.while_doing(action) as task:
            while not task.done():
                self.check()
                await asyncio.wait([task], timeout=TICK)

    @contextlib.asynccontextmanager
    async def while_doing(self, action: Awaitable[_T]) -> AsyncIterator[asyncio.Future[_T]]:
        """Do something meanwhile; at the end it is ended or its error raised."""
        task = asyncio.ensure_future(action)
        try:
            yield task
            if task.done():
                await task
        finally:
            if not task.done():
                await end(task)

    async def play(self, *triggers: str, is_body_still: bool = False) -> None:
        """Play the clips that there are."""
        await self.during(self.life.play(*triggers, is_body_still=is_body_still))

    # -- who plays with what

    async def choose(self, wanted: int, taken: Container[int] = ()) -> int:
        """Return a player's cube: the one with the number ``wanted``, else the one they tap.

        Not one that is ``taken``.
        """
        free = [cube for cube in self.cubes if cube not in taken]
        for cube in free:
            if self.number_of(cube) == wanted:
                return cube
        for cube in free:
            self.light(cube, blinking("white", 1.0))
        who = "the second player: " if len(free) < len(self.cubes) else ""
        self.show(Phase.CHOOSING, f"{who}tap the cube that you take")
        self.take_taps()
        ends_at = self.now + CHOICE_TIME
        while not (taps := [tap for tap in self.take_taps() if tap.factory_id in free]):
            if self.now > ends_at:
                raise RobotError(Reason.TIMEOUT, f"nobody took a cube within {CHOICE_TIME:.0f} s")
            await self.tick()
        self.on_player()
        return min(taps, key=lambda tap: tap.time).factory_id

    async def until_placed(self, cube: int, text: str) -> None:
        """Wait until somebody has put a cube down where it shall be."""
        self.show(Phase.PLACING, text)
        started_at = rests_since = self.now
        while self.now - rests_since < _REST_TIME:
            if self.now - started_at > _PLACING_TIME:
                raise RobotError(Reason.TIMEOUT, f"{self.name_of(cube)} does not come to rest")
            await self.tick()
            is_moved = any(event.cube.factory_id == cube for event in self.take_events())
            found = next((one for one in self.life.body.cubes if one.factory_id == cube), None)
            if is_moved or (found is not None and found.is_moving):
                rests_since = self.now
        self.on_player()


def missing(situation: Situation, rules: GameRules, players: int = 1) -> list[str]:
    """Return what a game lacks now, for people."""
    senses, cubes = situation.senses, connected(situation)
    lacking = rules.cubes + players - 1 - len(cubes)
    is_unseen = rules.needs_sight and all(
        situation.body.place_of(cube.factory_id) is None for cube in cubes
    )
    obstacles = (
        (senses.is_gone, "there is no robot: connect one"),
        (senses.is_starting, STARTING),
        (senses.is_emergency_stopped, "the emergency stop is latched: release it"),
        (senses.is_off_ground, "the robot is off the ground: put it on a flat table"),
        (senses.is_on_charger, "the robot stands on its charger: take it off"),
        (lacking > 0, f"connect {lacking} more cube{'s' * (lacking > 1)}"),
        (is_unseen, "the robot does not know where a cube is: let its camera see one"),
    )
    found = [text for is_there, text in obstacles if is_there]
    if rules.drives and not senses.is_off_ground and not senses.is_on_charger:
        why = situation.constraints.why_not_drive(senses)
        found += [why] if why and senses.is_connected and not senses.is_emergency_stopped else []
    return found


def check_begin(situation: Situation, rules: GameRules, players: int = 1) -> None:
    """Raise what a game lacks now: a cube may have been lost since it was asked for."""
    if lacks := missing(situation, rules, players):
        raise RobotError(Reason.NOT_ALLOWED, f"{rules.name} cannot begin: {'; '.join(lacks)}")


def why_not_play(name: str) -> WhyNot:
    """Return a function that says the first thing that a game lacks."""
    rules = GAMES[name]
    return lambda situation, config: next(
        iter(missing(situation, rules, int(config.number("players", 1)))), ""
    )


def level_of(life: Life, levels: Sequence[_Level]) -> _Level:
    """Return what the file or the request says. Raises ``RobotError``."""
    number = life.config.number("level", 1)
    if number not in range(1, len(levels) + 1):
        text = f"there is no level {number:g}; there are 1 to {len(levels)}"
        raise RobotError(Reason.INVALID, text)
    return levels[int(number) - 1]


def match_of(
    life: Life, rounds: int, points: int, sides: Sequence[Side] = (Side.ROBOT, Side.PLAYER)
) -> Match:
    """Return a match as the file or the request says. Raises ``RobotError``."""
    try:
        number = life.config.number
        return Match(int(number("rounds", rounds)), int(number("points", points)), sides)
    except ValueError as error:
        raise RobotError(Reason.INVALID, str(error)) from error


async def play_on(table: Table, game: Callable[[], Awaitable[None]], get_out: str) -> None:
    """Play; where the game ends before its time the robot says goodbye if it can."""
    try:
        await game()
    except RobotError as error:
        table.show(Phase.OVER, str(error))
        if error.reason in (Reason.TIMEOUT, Reason.NOT_FOUND):
            for cube in table.cubes:
                table.life.body.light_cube(cube, "")
            with contextlib.suppress(RobotError):
                await table.life.play(get_out)
        raise
