"""Games on an emulated robot with its own cubes and radio, in virtual time."""

from __future__ import annotations

import asyncio
import random

import pytest

from cozmo_driver.behavior.behaviors.game_table import plain
from cozmo_driver.behavior.executor import Request, RequestEnded
from cozmo_driver.behavior.games import Phase, Side
from cozmo_driver.robot import Reason

from ...robot.hands import act, with_robot
from ..alive import Personality


class Person:
    """Taps the cube 1 when it shines as the cube 2 does, mostly."""

    def __init__(self, world, life, reaction=0.55):
        self.world, self.life, self.reaction = world, life, reaction
        self.rng = random.Random(5)
        self.states = []
        self.shown = {}
        show = life.body._lights._show_cube

        def look(cube, lights):
            self.shown[cube] = lights
            show(cube, lights)

        life.body._lights._show_cube = look

    def tap(self, number=1):
        act(self.world, lambda f: f.handling.tap(number))

    def on_game(self, state):
        self.states.append(state)
        loop = self.world.loop
        if state.phase is Phase.CHOOSING:
            loop.call_later(1.0, self.tap)
        if state.phase is Phase.PLAYER:
            mine, robots = (self.shown.get(cube) for cube in self.cubes()[:2])
            if mine == robots and mine != plain("red"):
                loop.call_later(max(0.2, self.rng.gauss(self.reaction, 0.1)), self.tap)

    def cubes(self):
        found = sorted(self.world.robot.cubes.all, key=lambda cube: cube.kind.value)
        return [cube.factory_id for cube in found if cube.is_connected]

    @property
    def phase(self):
        return self.states[-1].phase if self.states else None


async def play(world, life, person, game="Game_QuickTap", **values):
    await world.until(lambda: len(person.cubes()) >= 2 and life.now.state.value, 60)
    behavior = life.engine.behaviors[game]
    return await life.engine.serve(Request(behavior, values=values, on_game=person.on_game))


def lit(world):
    return [cube for cube, shown in world.robot.cubes.lights.items() if shown]


@pytest.mark.parametrize(("level", "winner"), [(1, Side.PLAYER), (4, Side.ROBOT)])
@with_robot()
async def test_a_person_plays_quick_tap_with_the_robot_to_the_end(world, level, winner):
    async with Personality(world) as life:
        person = Person(world, life)
        await play(world, life, person, level=level, rounds=1)
        last = person.states[-1]
        assert (last.phase, last.winner) == (Phase.OVER, winner)
        assert max(last.robot_points, last.player_points) == 5
        assert not life.body._lights._shown


@pytest.mark.parametrize(
    ("disturb", "reason"),
    [
        (lambda f: f.handling.pick_up(), Reason.PICKED_UP),
        (lambda f: f.place.cubes.take_away(f.place.cubes.of_kind(1)), Reason.NOT_FOUND),
    ],
)
@with_robot()
async def test_a_disturbed_game_ends_with_its_reason(world, disturb, reason):
    async with Personality(world) as life:
        person = Person(world, life)
        game = asyncio.ensure_future(play(world, life, person, level=1))
        await world.until(lambda: person.phase is Phase.PLAYER, 120)
        act(world, disturb)
        await world.until(game.done, 30)
        with pytest.raises(RequestEnded) as ended:
            await game
        assert ended.value.reason is reason
        assert not life.body._lights._shown
        await world.until(lambda: life.now.behavior_id != "Game_QuickTap", 5)


@with_robot()
async def test_a_player_who_leaves_ends_the_game(world):
    async with Personality(world) as life:
        person = Person(world, life)
        game = asyncio.ensure_future(play(world, life, person, level=1))
        await world.until(lambda: person.phase is Phase.PLAYER, 120)
        person.tap = lambda number=1: None
        await world.until(game.done, 120)
        with pytest.raises(RequestEnded, match="did nothing for 60 s"):
            await game
        assert life.times_of("plays OnSpeedtapGetOut")
