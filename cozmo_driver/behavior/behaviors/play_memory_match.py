"""Plays Memory Match: it shows a pattern, and both repeat it by turns (spec 17 §3.3)."""

from __future__ import annotations

import asyncio
import contextlib
import math

from ...robot import BackpackLights, Reason, RobotError, steady
from ..behavior import Life, behavior
from ..games import Phase, Side
from ..games.memory_match import (
    COLORS,
    FAST,
    LEVELS,
    LIVES,
    LONGEST,
    Pattern,
    PlayerTurn,
    lit_time,
    recall,
)
from ..triggers import DISABLED_BY, Trigger, file_names
from .clips import clips
from .cube_play import connected
from .game_table import CHOICE_TIME, Table, blinking, level_of, plain, play_on, why_not_play
from .game_table import COLORS as SHADES

_FIRST_BEAT = 1.0
"""s of dark before a pattern is shown."""
_COUNT_TIME = 0.75
"""s of each of the three lights that count down."""
_ECHO_TIME = 0.3
"""s for which a cube answers a tap."""
_BIG, _CENTER = math.radians(35.0), math.radians(12.0)
"""Bearings from which the robot turns far, and below which not at all (spec 17 §3.3)."""
_LONG_TURN = 5
_DIRECTIONS = {2: ("RightSmall", "LeftSmall"), 3: ("RightBig", "Center", "LeftBig")}
"""From the robot's right, where nobody knows where the cubes are."""
_POINTS = tuple(
    f"MemoryMatchPoint{where}{how}"
    for where in ("Center", "LeftSmall", "LeftBig", "RightSmall", "RightBig")
    for how in ("", "Fast")
)
_CLIPS = (
    "MemoryMatchReactToPattern",
    "MemoryMatchReactToPatternSolo",
    *_POINTS,
    "MemoryMatchPlayerWinHand",
    "MemoryMatchPlayerWinHandLong",
    "MemoryMatchPlayerWinHandSolo",
    "MemoryMatchPlayerLoseHand",
    "MemoryMatchPlayerLoseHandSolo",
    "MemoryMatchCozmoWinHand",
    "MemoryMatchCozmoLoseHand",
    "MemoryMatchCozmoWinGame",
    "MemoryMatchPlayerWinGame",
    "MemoryMatchSoloGameOver",
    "MemoryMatchCozmoGetOut",
)
_WINS = {
    Side.ROBOT: ("MemoryMatchCozmoWinGame", "Cozmo wins the game"),
    Side.PLAYER: ("MemoryMatchPlayerWinGame", "you win the game"),
    Side.BOTH: ("", "it is a draw"),
}


@behavior(
    "MemoryMatch",
    triggers=clips(*_CLIPS),
    goals=frozenset({"PlayedGame"}),
    why_not=why_not_play("memory_match"),
    locks=file_names(DISABLED_BY["Games"] | {Trigger.CLIFF_DETECTED}),
    is_resumable=False,
    begins_again=False,
    with_somebody=True,
)
async def memory_match(life: Life) -> None:
    """Plays Memory Match: repeat the pattern of lights."""
    game = _MemoryMatch(life)
    await play_on(game.table, game.play, "MemoryMatchCozmoGetOut")


class _MemoryMatch:
    def __init__(self, life: Life) -> None:
        self._life, self._level = life, level_of(life, LEVELS)
        self.table = Table(life, connected(life.situation)[:3])
        self._is_solo = life.config.flag("solo")
        lives = max(1, int(life.config.number("lives", LIVES)))
        self._lives = {Side.ROBOT: lives, Side.PLAYER: lives}
        self._places: list[int] = []
        """Factory ids from the robot's right to its left."""
        self._turn = self._longest = 0

    async def play(self) -> None:
        table, life = self.table, self._life
        self._places = await self._find_places()
        pattern = Pattern(life.rng, len(self._places))
        await self._count_down()
        while min(self._lives.values()) > 0 and pattern.length <= LONGEST:
            is_right = await self._play_turn(pattern)
            if is_right:
                self._longest = pattern.length
                if pattern.length == LONGEST:
                    break
                pattern.extend()
            self._turn += 1
        await self._end(pattern)
        table.light_all("dark")

    async def _play_turn(self, pattern: Pattern) -> bool:
        """Show the pattern, let the player repeat it, then the robot; return the player's luck."""
        table, solo = self.table, "Solo" if self._is_solo else ""
        await self._show(pattern)
        # Who taps at once has not to wait for the robot.
        reaction = self._life.play(f"MemoryMatchReactToPattern{solo}", is_body_still=True)
        async with table.while_doing(reaction) as reacting:
            is_right = await self._let_player(pattern, reacting)
        if is_right:
            is_long = self._turn >= _LONG_TURN and not solo
            await table.play(f"MemoryMatchPlayerWinHand{'Long' if is_long else solo}")
        else:
            self._lives[Side.PLAYER] -= 1
            self._tell(Phase.JUDGED, "that was wrong", pattern)
            await table.play(f"MemoryMatchPlayerLoseHand{solo}")
        if not self._is_solo:
            await self._repeat(pattern)
        return is_right

    async def _show(self, pattern: Pattern) -> None:
        table = self.table
        table.light_all("dark")
        self._tell(Phase.SHOWING, "watch the pattern", pattern)
        await table.until(table.now + _FIRST_BEAT)
        lit, gap = lit_time(pattern.length)
        for place in pattern.steps:
            self._shine(place)
            await table.until(table.now + lit)
            self._dark(place)
            await table.until(table.now + gap)

    async def _let_player(self, pattern: Pattern, reacting: asyncio.Future[None]) -> bool:
        """Judge the player's taps; their time begins with the end of the robot's reaction."""
        table = self.table
        table.take_events()
        turn = PlayerTurn(pattern, self._places, table.now)
        self._tell(Phase.PLAYER, f"repeat the pattern of {pattern.length}", pattern)
        echo, dark_at = -1, math.inf
        while not turn.is_over:
            # Whoever does nothing loses a life in each turn; the robot's own may take a minute.
            await table.tick()
            if reacting.done():
                reacting.result()  # what failed ends the game
            else:
                turn.wait(table.now)
            for tap in table.take_taps(with_weaker=False):
                table.on_player()
                turn.tap(tap)
            for step in turn.judge(table.now):
                if echo >= 0:
                    self._dark(echo)
                echo, dark_at = step.place, table.now + _ECHO_TIME
                if step.is_right:
                    self._shine(step.place)
                else:
                    table.light(self._places[step.place], blinking("white", 0.15))
            if table.now >= dark_at:
                self._dark(echo)
                dark_at = math.inf
        await table.until(table.now + _ECHO_TIME)
        table.light_all("dark")
        self._life.body.light_backpack("")
        return turn.is_right

    async def _repeat(self, pattern: Pattern) -> None:
        """Point to what the robot remembers; a mistake costs one of its lives."""
        table, life = self.table, self._life
        self._tell(Phase.ROBOT, "now the robot repeats it", pattern)
        shown = recall(life.rng, pattern, self._turn, len(self._places), self._level)
        is_right = shown == pattern.steps
        for number, place in enumerate(shown):
            self._shine(place)
            await table.play(self._clip_of(place, pattern.length))
            if number == len(shown) - 1 and not is_right:
                table.light(self._places[place], blinking("white", 0.15))
                await table.until(table.now + _ECHO_TIME)
            self._dark(place)
        if not is_right:
            self._lives[Side.ROBOT] -= 1
        text = "the robot was right" if is_right else "the robot was wrong"
        self._tell(Phase.JUDGED, text, pattern)
        await table.play(f"MemoryMatchCozmo{'Win' if is_right else 'Lose'}Hand")

    async def _end(self, pattern: Pattern) -> None:
        lives = self._lives
        if self._is_solo:
            text = f"the longest pattern was {self._longest}"
            self._tell(Phase.OVER, text, pattern, Side.PLAYER)
            await self.table.play("MemoryMatchSoloGameOver")
        else:
            winner = Side.BOTH
            if lives[Side.ROBOT] != lives[Side.PLAYER]:
                winner = max(lives, key=lambda side: lives[side])
            clip, text = _WINS[winner]
            self._tell(Phase.OVER, text, pattern, winner)
            if clip:
                await self.table.play(clip)
            if winner is not Side.BOTH:
                self._life.needs.act(
                    "MemoryMatchWin" if winner is Side.ROBOT else "MemoryMatchLose"
                )
        self._life.reach("PlayedGame")

    # -- the cubes

    async def _find_places(self) -> list[int]:
        """Return the cubes from the robot's right: where they are seen, else as they are tapped."""
        table, life = self.table, self._life
        bearings = {cube: self._bearing(cube) for cube in table.cubes}
        if not any(map(math.isnan, bearings.values())):
            return sorted(table.cubes, key=lambda cube: bearings[cube])
        for cube in table.cubes:
            table.light(cube, blinking("white", 1.0))
        found: list[int] = []
        table.take_events()
        tapped_at = life.now
        while len(found) < len(table.cubes):
            if len(found) == len(table.cubes) - 1:
                found += [cube for cube in table.cubes if cube not in found]
                continue
            where = "right" if not found else "middle"
            table.show(Phase.CHOOSING, f"tap the cube on the robot's {where}")
            while not (taps := [t for t in table.take_taps() if t.factory_id not in found]):
                if table.now > tapped_at + CHOICE_TIME:
                    text = f"nobody tapped a cube within {CHOICE_TIME:.0f} s"
                    raise RobotError(Reason.TIMEOUT, text)
                await table.tick()
            found.append(min(taps, key=lambda tap: tap.time).factory_id)
            tapped_at = table.now
            table.light(found[-1], plain(COLORS[len(found) - 1]))
        table.on_player()
        return found

    def _bearing(self, cube: int) -> float:
        """Return where a cube is from the robot, rad to the left, NaN where nobody knows."""
        place, here = self._life.body.place_of(cube), self._life.senses.pose
        if place is None:
            return math.nan
        return math.remainder(
            math.atan2(place.y - here.y, place.x - here.x) - here.yaw, 2 * math.pi
        )

    def _clip_of(self, place: int, length: int) -> str:
        bearing = self._bearing(self._places[place])
        if math.isnan(bearing):
            where = _DIRECTIONS[len(self._places)][place]
        elif abs(bearing) < _CENTER:
            where = "Center"
        else:
            side = "Left" if bearing > 0.0 else "Right"
            where = side + ("Big" if abs(bearing) >= _BIG else "Small")
        return f"MemoryMatchPoint{where}{'Fast' if length >= FAST else ''}"

    async def _count_down(self) -> None:
        self._tell(Phase.COUNTDOWN, "remember the pattern", None)
        self.table.light_all("dark")
        for place in range(len(self._places)):
            self._shine(place)
            await self.table.until(self.table.now + _COUNT_TIME)

    def _shine(self, place: int) -> None:
        color = COLORS[place]
        self.table.light(self._places[place], plain(color))
        light = steady(SHADES[color])
        with contextlib.suppress(RobotError):
            self._life.body.light_backpack(BackpackLights(light, light, light))

    def _dark(self, place: int) -> None:
        self.table.light(self._places[place], plain("dark"))
        self._life.body.light_backpack("")

    def _tell(
        self, phase: Phase, text: str, pattern: Pattern | None, winner: Side = Side.NOBODY
    ) -> None:
        lives = self._lives
        self.table.show(
            phase,
            text,
            winner=winner,
            round=self._turn + 1,
            robot_points=0 if self._is_solo else lives[Side.ROBOT],
            player_points=self._longest if self._is_solo else lives[Side.PLAYER],
            pattern_length=pattern.length if pattern else 0,
        )
