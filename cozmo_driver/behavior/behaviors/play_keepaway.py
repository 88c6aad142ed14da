"""Plays Keepaway: it pounces on the cube that somebody holds out to it (spec 17 §3.4)."""

from __future__ import annotations

import math

from ...robot import MAX_LIFT_HEIGHT, CubeEventType, Pose2D, Reason, RobotError, lift_height
from ..behavior import Life, behavior
from ..games import Phase, Side
from ..games.keepaway import (
    CREEP,
    CREEP_AFTER,
    CREEP_PAUSE,
    FACING,
    FLINCH_TIME,
    FRONT,
    HALF_CUBE,
    HAND_TIME,
    LEVELS,
    LOST_TIME,
    MOST_HANDS,
    POINTS,
    ROUNDS,
    STILL,
    Nerve,
    Pounce,
    Zone,
    Zones,
)
from ..sight import NAMES, SeenObject
from ..triggers import DISABLED_BY, Trigger, file_names
from .clips import clips
from .cube_play import connected
from .game_table import Table, blinking, level_of, match_of, plain, play_on, why_not_play
from .looking import bearing_to, look_at

_FLASH_TIME = 0.1
_SETTLE_TIME = 0.3
"""s after a pounce until the lift has stopped and its state has come."""
_BACK = 0.050
"""m that it backs away after a pounce."""
_BACK_SPEED = 0.080
_HELD_OUT = FRONT + HALF_CUBE + 0.070
"""m ahead of the drive center; from there to three times as far a cube is in the image then."""
_NAMES = {Side.ROBOT: "Win", Side.PLAYER: "Lose"}
_CLIPS = (
    "CubePounceGetIn",
    "CubePounceGetReady",
    "CubePounceGetUnready",
    "CubePounceFake",
    "CubePouncePounceNormal",
    "CubePouncePounceClose",
    *(f"CubePounce{how}{what}" for how in ("Win", "Lose") for what in ("Hand", "Round", "Session")),
    "CubePounceGetOut",
)


@behavior(
    "Keepaway",
    triggers=clips(*_CLIPS),
    drives=True,
    goals=frozenset({"PlayedGame"}),
    why_not=why_not_play("keepaway"),
    # A cube under the lift tips the robot, and looks like an edge while it does.
    locks=file_names(DISABLED_BY["Games"] | {Trigger.CLIFF_DETECTED}),
    is_resumable=False,
    begins_again=False,
    with_somebody=True,
)
async def keepaway(life: Life) -> None:
    """Plays Keepaway: pull your cube away before the robot pounces on it."""
    game = _Keepaway(life)
    await play_on(game.table, game.play, "CubePounceGetOut")


class _Keepaway:
    def __init__(self, life: Life) -> None:
        self._life, self._match = life, match_of(life, ROUNDS, POINTS)
        self._nerve = Nerve(life.rng, level_of(life, LEVELS))
        wanted = int(life.config.number("playerCube", 0))
        cubes = connected(life.situation)
        named = [cube for cube in cubes if cube.kind.value == wanted]
        seen = [one for one in cubes if life.body.place_of(one.factory_id) is not None]
        self.table = Table(life, (named or seen or cubes)[:1])
        self._cube = self.table.cubes[0]
        self._name = next(NAMES[one.kind] for one in cubes if one.factory_id == self._cube)
        self._zones = Zones()
        self._seen_at = life.now
        self._place: Pose2D | None = None
        self._boring_hands = 0

    async def play(self) -> None:
        table, match = self.table, self._match
        await table.play("CubePounceGetIn", is_body_still=True)
        while match.winner is Side.NOBODY:
            winner = match.score(await self._play_hand())
            if winner is Side.NOBODY:
                continue
            is_over = match.winner is not Side.NOBODY
            self._tell(Phase.ROUND_OVER, f"round {match.round} is over")
            await table.play(f"CubePounce{_NAMES[winner]}{'Session' if is_over else 'Round'}")
            if not is_over:
                match.next_round()
        self._tell(Phase.OVER, "the game is over", match.winner)
        self._life.reach("PlayedGame")
        self._life.needs.act("KeepawayWin" if match.winner is Side.ROBOT else "KeepawayLose")

    async def _play_hand(self) -> Side:
        """Play until somebody has a point."""
        table, nerve = self.table, self._nerve
        while True:
            await self._until_in_reach()
            self._tell(Phase.PLAYER, "pull the cube away when it pounces")
            pounce_at = table.now + nerve.wait_time()
            while self._zone() is Zone.REACH and table.now < pounce_at:
                await table.tick()
            zone = self._zone()
            if zone < Zone.REACH or not self._is_facing():
                continue
            # On a cube that is so close it cannot miss for waiting: it pounces at once.
            is_close = zone is Zone.CLOSE
            is_pounce = is_close or nerve.pounces()
            winner = await (self._pounce(is_close=is_close) if is_pounce else self._fake())
            if winner is not Side.NOBODY:
                await self._show(winner)
                return winner

    async def _until_in_reach(self) -> None:
        """Face the cube until somebody holds it near; creep up to one that lies still."""
        table, rng = self.table, self._life.rng
        self._tell(Phase.WAITING, "hold the cube out to the robot")
        is_ready = False
        hand_ends, creep_at = table.now + HAND_TIME, table.now + CREEP_AFTER
        lay_at = self._place
        while (zone := self._zone()) < Zone.REACH or not self._is_facing():
            self._check_bored(hand_ends)
            if table.now > hand_ends:
                hand_ends = table.now + HAND_TIME
            if (zone >= Zone.IN_PLAY) is not is_ready:
                is_ready = zone >= Zone.IN_PLAY
                table.light(self._cube, plain("green") if is_ready else blinking("green", 1.0))
                await table.play(f"CubePounceGet{'Ready' if is_ready else 'Unready'}")
            place = self._place
            if place is None or lay_at is None or _apart(place, lay_at) > STILL:
                lay_at, creep_at = place, table.now + CREEP_AFTER
            await self._look()
            if zone < Zone.REACH and place is not None and table.now >= creep_at:
                await table.during(self._life.body.drive_distance(rng.uniform(*CREEP), _BACK_SPEED))
                creep_at = table.now + rng.uniform(*CREEP_PAUSE)
            await table.tick()
        self._boring_hands = 0
        if not is_ready:
            await table.during(self._life.body.move_lift(MAX_LIFT_HEIGHT))
        table.light(self._cube, plain("green"))

    async def _look(self) -> None:
        """Face the cube; the head never so high that one which is held out would not be seen."""
        here, away = self._life.senses.pose, _HELD_OUT
        if self._place is not None:
            away = min(away, _apart(self._place, here))
        ahead = here.compose(Pose2D(yaw=self._bearing())).compose(Pose2D(away))
        await self.table.during(look_at(self._life, (ahead.x, ahead.y, HALF_CUBE)))

    def _check_bored(self, hand_ends: float) -> None:
        """Raise once nobody has held out the cube for some hands. A lost one counts too."""
        if self.table.now <= hand_ends:
            return
        self._boring_hands += 1
        if self._boring_hands >= MOST_HANDS:
            text = f"nobody held out the cube for {HAND_TIME * MOST_HANDS:.0f} s"
            raise RobotError(Reason.TIMEOUT, text)

    async def _pounce(self, *, is_close: bool) -> Side:
        table, senses = self.table, self._life.senses
        judge = Pounce(senses.pitch)
        clip = f"CubePouncePounce{'Close' if is_close else 'Normal'}"
        async with table.while_doing(self._life.play(clip)) as pouncing:
            while not pouncing.done():
                await table.tick()
                judge.feel(self._life.senses.pitch, lift_height(self._life.senses.lift_angle))
        settled_at = table.now + _SETTLE_TIME
        while table.now < settled_at:
            await table.tick()
            judge.feel(self._life.senses.pitch, lift_height(self._life.senses.lift_angle))
        return judge.winner

    async def _fake(self) -> Side:
        """Pretend to pounce; the point is the robot's if the cube is pulled away."""
        table = self.table
        table.take_events()
        began_at = table.now
        await table.play("CubePounceFake")
        ended_at = table.now
        await table.until(ended_at + FLINCH_TIME)
        moves = [
            event.time
            for event in table.take_events()
            if event.type is CubeEventType.MOVED and began_at <= event.time <= ended_at
        ]
        cube = next(one for one in self._life.body.cubes if one.factory_id == self._cube)
        return Side.ROBOT if moves and cube.is_moving else Side.NOBODY

    async def _show(self, winner: Side) -> None:
        table, match = self.table, self._match
        text = "it has the point" if winner is Side.ROBOT else "you have the point"
        self._tell(Phase.JUDGED, f"round {match.round}: {text}")
        table.light(self._cube, plain("red" if winner is Side.ROBOT else "green"))
        await table.until(table.now + _FLASH_TIME)
        table.light(self._cube, plain("dark"))
        await table.during(self._life.body.move_lift(MAX_LIFT_HEIGHT))
        await table.during(self._life.body.drive_distance(-_BACK, _BACK_SPEED))
        await table.play(f"CubePounce{_NAMES[winner]}Hand")

    # -- where the cube is

    def _zone(self) -> Zone:
        """Return the cube's zone; out of all once it has not been seen for a while."""
        seen, now = self._seen(), self.table.now
        if seen is not None:
            self._seen_at, self._place = now, seen.place
            self._zones.update(_apart(seen.place, self._life.senses.pose) - FRONT - HALF_CUBE)
        elif now - self._seen_at > LOST_TIME:
            self._place = None
            self._zones.update(math.inf)
        return self._zones.zone

    def _seen(self) -> SeenObject | None:
        """Return the cube while it is in sight: where it was before is no place to pounce."""
        seen = self._life.sight.objects.get(self._name)
        return seen if seen is not None and seen.is_visible else None

    def _bearing(self) -> float:
        if self._place is None:
            return 0.0
        return bearing_to(self._life, self._place.x, self._place.y)

    def _is_facing(self) -> bool:
        return abs(self._bearing()) <= FACING

    def _tell(self, phase: Phase, text: str, winner: Side = Side.NOBODY) -> None:
        self.table.show_match(self._match, phase, text, winner)


def _apart(one: Pose2D, other: Pose2D) -> float:
    return math.dist((one.x, one.y), (other.x, other.y))
