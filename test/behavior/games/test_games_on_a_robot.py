"""Games on an emulated robot with its own cubes and radio, in virtual time."""

from __future__ import annotations

import asyncio
import random

import pytest

from cozmo_driver.behavior.behaviors.game_table import plain
from cozmo_driver.behavior.executor import Request
from cozmo_driver.behavior.games import Phase, Side
from cozmo_driver.protocol import UpAxis

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


class Gentle(Person):
    """Turns its cubes over, or shakes one of them."""

    def __init__(self, world, life, act_on):
        super().__init__(world, life)
        self.act_on = act_on

    def on_game(self, state):
        is_first = state.phase is Phase.WAITING and self.phase is not Phase.WAITING
        self.states.append(state)
        if is_first:
            self.hands = asyncio.ensure_future(self.act_on(self))


async def turn_all_over(person):
    for number in (1, 2, 3):
        await asyncio.sleep(4.0)
        act(person.world, lambda f, n=number: f.handling.flip_cube(n, UpAxis.Z_NEGATIVE))


async def move_one(person):
    await asyncio.sleep(11.0)
    act(person.world, lambda f: f.place.cubes.move(f.place.cubes.of_kind(2)))


@pytest.mark.parametrize(
    ("hands", "winner", "clip"),
    [
        (turn_all_over, Side.PLAYER, "GuardDogPlayerSuccess"),
        (move_one, Side.ROBOT, "GuardDogBusted"),
    ],
)
@with_robot()
async def test_guard_dog_feels_its_cubes_by_radio(world, hands, winner, clip):
    async with Personality(world) as life:
        person = Gentle(world, life, hands)
        await world.until(lambda: len(person.cubes()) == 3, 60)
        await play(world, life, person, "Game_GuardDog")
        assert person.states[-1].winner is winner
        assert life.times_of(f"plays {clip}")
        await world.until(lambda: not any(c.is_streaming for c in world.robot.cubes.all), 5)


class Mindful(Person):
    """Remembers what the cubes show, and taps it."""

    def on_game(self, state):
        self.states.append(state)
        if state.phase is Phase.SHOWING:
            self.pattern, self.shown = [], Watched(self)
        if state.phase is Phase.PLAYER:
            order, self.shown = list(self.pattern), {}
            for number, cube in enumerate(order, 1):
                kind = next(c.kind for c in self.world.robot.cubes.all if c.factory_id == cube)
                self.world.loop.call_later(number * 1.0, self.tap, kind.value)


class Watched(dict):
    """Lights while a pattern is shown."""

    def __init__(self, person):
        super().__init__()
        self.person = person

    def __setitem__(self, cube, lights):
        if lights is not None and lights != plain("dark"):
            self.person.pattern.append(cube)


@with_robot()
async def test_a_mindful_person_beats_the_robot_in_memory_match(world):
    async with Personality(world) as life:
        person = Mindful(world, life)
        await world.until(lambda: len(person.cubes()) == 3, 60)
        taps = iter((3, 1))

        def choose(state):
            if state.phase is Phase.CHOOSING:
                world.loop.call_later(1.0, person.tap, next(taps))
                person.states.append(state)
            else:
                person.on_game(state)

        behavior = life.engine.behaviors["Game_MemoryMatch"]
        values = {"level": 1, "lives": 1}
        await life.engine.serve(Request(behavior, values=values, on_game=choose))
        last = person.states[-1]
        assert (last.phase, last.winner) == (Phase.OVER, Side.PLAYER)
        assert (last.robot_points, last.player_points) == (0, 1)
        assert last.pattern_length > 3
