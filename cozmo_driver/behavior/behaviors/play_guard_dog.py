"""Sleeps beside its cubes, and catches who turns them over too roughly (spec 17 §5.4)."""

from __future__ import annotations

import math

from ...protocol import UpAxis
from ..behavior import Life, Situation, behavior
from ..config import BehaviorConfig
from ..games import Phase, Side
from ..games.guard_dog import DURATION, ENDS, LEVELS, PERIOD, Effect, Watch
from ..triggers import DISABLED_BY, file_names
from .clips import clips, light_cubes, try_light
from .cube_play import connected
from .game_table import Table, level_of, play_on

_COUNT = 9.80665 / 32
"""m/s^2 of one count of a cube's accelerometer."""
_REST = 32.0
"""Counts of a cube that lies still."""
_CLIPS = (
    "GuardDogPulse",
    "GuardDogSettle",
    "GuardDogSleepLoop",
    "GuardDogFakeout",
    "GuardDogBusted",
    "GuardDogPlayerSuccess",
    "GuardDogTimeoutCubesTouched",
    "GuardDogTimeoutCubesUntouched",
    "GuardDogCubeDisconnect",
)
_OPPOSITE = {
    UpAxis.X_NEGATIVE: UpAxis.X_POSITIVE,
    UpAxis.Y_NEGATIVE: UpAxis.Y_POSITIVE,
    UpAxis.Z_NEGATIVE: UpAxis.Z_POSITIVE,
}
_OPPOSITE |= {other: one for one, other in _OPPOSITE.items()}
_SNORE_PAUSE = 2.0


def _why_not(situation: Situation, config: BehaviorConfig) -> str:
    lacking = int(config.number("cubes", 3)) - len(connected(situation))
    return f"connect {lacking} more cube{'s' * (lacking > 1)}" if lacking > 0 else ""


@behavior(
    "GuardDog",
    triggers=clips(*_CLIPS),
    why_not=_why_not,
    locks=file_names(DISABLED_BY["GuardDog"]),
    on_charger=True,
    is_resumable=False,
    begins_again=False,
    with_somebody=True,
)
async def guard_dog(life: Life) -> None:
    """Sleeps beside its cubes; turn each of them upside down without waking it."""
    game = _GuardDog(life)
    await play_on(game.table, game.play, "GuardDogCubeDisconnect")


class _GuardDog:
    def __init__(self, life: Life) -> None:
        self._life, self._level = life, level_of(life, LEVELS)
        self._duration = life.config.number("duration_s", DURATION)
        self.table = Table(life, connected(life.situation)[:3])
        cubes = {cube.factory_id: cube for cube in life.body.cubes}
        self._upside_down = {
            cube: _OPPOSITE.get(cubes[cube].up_axis, UpAxis.Z_NEGATIVE) for cube in self.table.cubes
        }

    async def play(self) -> None:
        table, life = self.table, self._life
        for cube in table.cubes:
            life.body.stream_acceleration(cube, True)
            try_light(life, cube, "Interacting")
        table.show(Phase.COUNTDOWN, "the robot lies down beside its cubes")
        await table.play("GuardDogPulse", "GuardDogSettle", is_body_still=True)
        light_cubes(life, "Sleeping")
        watch = Watch(table.cubes, self._level, table.now, self._duration)
        self._tell(Phase.WAITING, "turn every cube upside down; do not wake the robot", watch)
        effect = await self._sleep(watch)
        await self._wake(effect, watch)

    async def _sleep(self, watch: Watch) -> Effect:
        """Sleep until it ends; return why."""
        table = self.table
        while True:
            async with table.while_doing(self._snore()) as snoring:
                effects: list[Effect] = []
                while not effects and not snoring.done():
                    await table.until(table.now + PERIOD)
                    effects = self._feel(watch)
            for effect in effects:
                if effect in ENDS:
                    return effect
                if effect is Effect.STARTLED:
                    self._tell(Phase.JUDGED, "it heard something", watch)
                    async with table.while_doing(self._life.play("GuardDogFakeout")) as playing:
                        while not playing.done() and not ENDS & set(effects):
                            await table.until(table.now + PERIOD)
                            effects += self._feel(watch)
                elif effect is Effect.FLIPPED:
                    self._tell(Phase.JUDGED, "a cube is upside down", watch)

    async def _snore(self) -> None:
        while True:
            await self._life.play("GuardDogSleepLoop", is_body_still=True)
            await self._life.wait(_SNORE_PAUSE)

    def _feel(self, watch: Watch) -> list[Effect]:
        """Return what the cubes' movements of one period effect."""
        table, life = self.table, self._life
        found: list[Effect] = []
        moving = {cube.factory_id for cube in life.body.cubes if cube.is_moving}
        # Also those that were turned while the robot lay down.
        turned = {
            cube.factory_id
            for cube in life.body.cubes
            if cube.up_axis is self._upside_down.get(cube.factory_id)
        }
        for cube in table.cubes:
            if cube in turned and cube not in watch.flipped:
                try_light(life, cube, "Success")
                found += watch.flip(cube)
            felt = life.body.cube_acceleration(cube)
            counts = _REST if math.isnan(felt) else felt / _COUNT
            effects = watch.feel(cube, counts, cube in moving, table.now)
            if Effect.STARTLED in effects:
                try_light(life, cube, "Moved")
            found += effects
        return found + watch.pass_time(table.now)

    async def _wake(self, effect: Effect, watch: Watch) -> None:
        table, life = self.table, self._life
        if effect is Effect.BUSTED:
            light_cubes(life, "Failure")
            self._tell(Phase.OVER, "it has caught you", watch, Side.ROBOT)
            life.mood.feel("GuardDogBusted")
            await table.play("GuardDogBusted", is_body_still=True)
        elif effect is Effect.OUTWITTED:
            light_cubes(life, "Success")
            self._tell(Phase.OVER, "every cube is upside down: you win", watch, Side.PLAYER)
            await table.play("GuardDogPlayerSuccess", is_body_still=True)
        else:
            light_cubes(life, "Success")
            self._tell(Phase.OVER, "nobody has taken its cubes", watch)
            life.mood.feel("GuardDogTimeout")
            how = "Touched" if watch.was_touched else "Untouched"
            await table.play(f"GuardDogTimeoutCubes{how}", is_body_still=True)

    def _tell(self, phase: Phase, text: str, watch: Watch, winner: Side = Side.NOBODY) -> None:
        self.table.show(phase, text, winner=winner, player_points=len(watch.flipped))
