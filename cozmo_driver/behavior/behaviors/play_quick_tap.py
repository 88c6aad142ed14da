"""Plays Quick Tap with a person: a cube for each, a third one counts down (spec 17 §3.2)."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from ...robot import MAX_LIFT_HEIGHT, Cube
from ..behavior import Life, behavior
from ..games import GAMES, Phase, Side
from ..games.quick_tap import (
    APPEAL_TIME,
    CLIP_LEAD,
    DARK_TIME,
    FAKE,
    LEVELS,
    POINTS,
    ROUNDS,
    SLID,
    TAP,
    TAP_DISTANCE,
    Dealer,
    Hand,
    Plan,
)
from ..triggers import DISABLED_BY, file_names
from .clips import clips
from .cube_play import approach, connected
from .game_table import (
    TICK,
    Table,
    blinking,
    check_begin,
    level_of,
    match_of,
    pattern_lights,
    plain,
    play_on,
    why_not_play,
)

_COUNT_TIME = 0.5
"""s for which the third cube shows each number."""
_PLACE_SPEED = 0.040
"""m/s at which it comes near its cube."""
_HIGH = 3
"""A margin of points from which it is a great victory (spec 17 §3.2)."""
_CLIPS = (
    "OnSpeedtapCozmoConfirm",
    TAP,
    FAKE,
    "OnSpeedtapHandCozmoWin",
    "OnSpeedtapHandPlayerWin",
    *(
        f"OnSpeedtap{what}{who}Win{how}Intensity"
        for what in ("Round", "Game")
        for who in ("Cozmo", "Player")
        for how in ("Low", "High")
    ),
    "OnSpeedtapGetOut",
)


@behavior(
    "QuickTap",
    triggers=clips(*_CLIPS),
    goals=frozenset({"PlayedGame"}),
    why_not=why_not_play("quick_tap"),
    locks=file_names(DISABLED_BY["Games"]),
    is_resumable=False,
    begins_again=False,
    with_somebody=True,
)
async def quick_tap(life: Life) -> None:
    """Plays Quick Tap: whoever taps first when all cubes shine alike."""
    check_begin(life.situation, GAMES["quick_tap"], int(life.config.number("players", 1)))
    cubes = connected(life.situation)[:3]
    game = _QuickTap(life, cubes)
    await play_on(game.table, game.play, "OnSpeedtapGetOut")


class _QuickTap:
    def __init__(self, life: Life, cubes: list[Cube]) -> None:
        number = life.config.number
        level = level_of(life, LEVELS)
        players = int(number("players", 1))
        sides = (Side.ROBOT, Side.PLAYER, Side.SECOND_PLAYER)[: players + 1]
        self._life, self._match = life, match_of(life, ROUNDS, POINTS, sides)
        self._level, self._dealer = level, Dealer(life.rng, level, players)
        self._wanted = int(number("playerCube", 0))
        self.table = Table(life, cubes)
        self._cubes: dict[Side, int] = {}
        """Factory ids."""
        self._acting_since = math.inf
        """When it began to tap or to pretend to, s."""

    async def play(self) -> None:
        table, match = self.table, self._match
        await self._prepare()
        while match.winner is Side.NOBODY:
            await self._count_down()
            while (winner := match.score(*await self._play_hand())) is Side.NOBODY:
                self._tell(Phase.WAITING, "watch the lights")
            how = "High" if match.margin >= _HIGH else "Low"
            self._tell(Phase.ROUND_OVER, f"round {match.round}: {self._name(winner)} wins")
            what = "Round" if match.winner is Side.NOBODY else "Game"
            self._show_winners((winner,))
            await table.play(f"OnSpeedtap{what}{_clip_name(winner)}Win{how}Intensity")
            if match.winner is Side.NOBODY:
                match.next_round()
        self._tell(Phase.OVER, f"{self._name(match.winner)} wins the game", winner=match.winner)
        self._life.reach("PlayedGame")
        self._life.needs.act("QuickTapWin" if match.winner is Side.ROBOT else "QuickTapLose")
        self._life.mood.feel("PlayedTapGame")

    async def _prepare(self) -> None:
        table, life = self.table, self._life
        cubes = self._cubes
        for side in self._people:
            wanted = self._wanted if side is Side.PLAYER else 0
            cubes[side] = await table.choose(wanted, cubes.values())
        robots = next(cube for cube in table.cubes if cube not in cubes.values())
        table.light_all("dark")
        for cube in cubes.values():
            table.light(cube, plain("white"))
        cubes[Side.ROBOT] = robots
        await table.play("OnSpeedtapCozmoConfirm", is_body_still=True)
        await table.during(life.body.move_lift(MAX_LIFT_HEIGHT))
        table.light(robots, blinking("green", 1.0))
        if not await self._take_place():
            text = f"put {table.name_of(robots)} right before the robot"
            await table.until_placed(robots, text)

    @property
    def _people(self) -> list[Side]:
        return [side for side in self._match.points if side is not Side.ROBOT]

    async def _take_place(self) -> bool:
        """Drive to before its cube, if it knows where that is; return whether it is there."""
        life, table, robots = self._life, self.table, self._cubes[Side.ROBOT]
        cube = next(one for one in life.body.cubes if one.factory_id == robots)
        place = life.body.place_of(robots)
        if place is None or not life.may_drive():
            return False
        self._tell(Phase.PLACING, "the robot goes to its cube")
        async with table.while_doing(approach(life, cube)) as going:
            while not going.done():
                await table.tick()
        if not going.result():
            return False
        here = life.senses.pose
        too_far = math.dist((here.x, here.y), (place.x, place.y)) - TAP_DISTANCE
        if abs(too_far) > SLID:
            await table.during(life.body.drive_distance(too_far, _PLACE_SPEED))
        return True

    async def _count_down(self) -> None:
        table = self.table
        await self._take_place()
        await table.during(self._life.body.move_lift(MAX_LIFT_HEIGHT))
        table.light_all("dark")
        others = [cube for cube in table.cubes if cube not in self._cubes.values()]
        self._tell(Phase.COUNTDOWN, f"round {self._match.round} begins")
        for count in range(4, -1, -1):
            for cube in others:
                table.light(cube, pattern_lights(["green"] * count + ["dark"] * (4 - count)))
            if others:
                await table.until(table.now + _COUNT_TIME)

    async def _play_hand(self) -> tuple[Side, ...]:
        """Play one hand; return who gets a point."""
        table, dealer = self.table, self._dealer
        deal = dealer.deal()
        plan = dealer.plan(deal)
        table.light_all("dark")
        lit_at = table.now + self._life.rng.uniform(*DARK_TIME)
        hand = Hand(deal, lit_at, self._level.lit)
        self._acting_since = math.inf
        async with table.while_doing(self._act(plan, hand)) as acting:
            await table.until(lit_at)
            hand.lit_at = table.now
            for side, pattern in deal.patterns.items():
                table.light(self._cubes[side], pattern_lights(pattern))
            self._tell(Phase.PLAYER, f"tap if {self._all} cubes shine alike")
            while not hand.is_decided(table.now):
                await table.tick(needs_player=True)
                self._take_taps(hand)
                if hand.lit_at + hand.lit_for < table.now <= hand.lit_at + hand.lit_for + 2 * TICK:
                    table.light_all("dark")
            while self._acting_since < math.inf and not acting.done():
                await table.tick()
        return await self._judge(hand)

    async def _act(self, plan: Plan, hand: Hand) -> None:
        """Tap, or pretend to; a hand that was decided before needs neither."""
        if not plan.clip:
            return
        await self._life.wait(hand.lit_at + plan.delay - CLIP_LEAD - self.table.now)
        self._acting_since = self.table.now
        await self._life.body.play(plan.clip)
        now = self.table.now
        if plan.is_tap and math.isinf(hand.first(Side.ROBOT)):
            # The clip ends with the lift down: it has tapped, also where the cube did not feel it.
            hand.tap(Side.ROBOT, now, now)

    def _take_taps(self, hand: Hand) -> None:
        now = self.table.now
        whose = {cube: side for side, cube in self._cubes.items()}
        for tap in self.table.take_taps():
            side = whose.get(tap.factory_id, Side.NOBODY)
            if side in self._people:
                self.table.on_player()
                hand.tap(side, tap.time, now)
            elif side is Side.ROBOT and tap.time >= self._acting_since:
                # Before, somebody else tapped the robot's cube, or the table shook.
                hand.tap(side, tap.time, now)

    async def _judge(self, hand: Hand) -> tuple[Side, ...]:
        """Show who has won; an earlier tap that comes meanwhile still counts."""
        table, winners = self.table, hand.winners
        ends_at = table.now + APPEAL_TIME
        self._tell(Phase.JUDGED, self._points_text(winners))
        self._show_winners(winners)
        if winners:
            await table.play(f"OnSpeedtapHand{_clip_name(winners[-1])}Win")
        if self._acting_since < math.inf:
            await table.during(self._life.body.move_lift(MAX_LIFT_HEIGHT))
        await table.until(ends_at)
        self._take_taps(hand)
        if hand.winners != winners:
            text = f"an earlier tap came late: {self._points_text(hand.winners)}"
            self._tell(Phase.JUDGED, text)
            self._show_winners(hand.winners)
        return hand.winners

    def _show_winners(self, winners: Collection[Side]) -> None:
        self.table.light_all("dark")
        for side in winners:
            self.table.light(self._cubes[side], blinking("green", 0.3))

    @property
    def _all(self) -> str:
        return "all" if len(self._people) > 1 else "both"

    def _name(self, side: Side) -> str:
        """Return who it is, for people: of two by the cube."""
        if side is Side.ROBOT:
            return "the robot"
        whose = self.table.name_of(self._cubes[side])
        return f"the player of {whose}" if len(self._people) > 1 else "the player"

    def _points_text(self, winners: Sequence[Side]) -> str:
        names = " and ".join(map(self._name, winners))
        return f"a point for {names}" if winners else "nobody tapped: no point"

    def _tell(self, phase: Phase, text: str, winner: Side = Side.NOBODY) -> None:
        self.table.show_match(self._match, phase, text, winner)


def _clip_name(side: Side) -> str:
    return "Cozmo" if side is Side.ROBOT else "Player"
