"""Guard Dog: what wakes the robot, and games with more and less careful people."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from cozmo_driver.behavior.behaviors.play_guard_dog import guard_dog
from cozmo_driver.behavior.games import Phase, Side
from cozmo_driver.behavior.games.guard_dog import LEVELS, PERIOD, Effect, MovementScore, Watch
from cozmo_driver.protocol import UpAxis
from cozmo_driver.robot import CubeEvent, CubeEventType

from ..paper import own_triggers
from .players import PROMPT, Table, play_game

G = 9.80665


def watch_from(start=0.0):
    return Watch((1, 2, 3), LEVELS[0], start, 120.0)


def test_a_cube_at_rest_has_no_score_and_noise_does_not_add_up():
    score = MovementScore(80.0)
    for sample in range(3000):
        score.add(32.0 + (0.6 if sample % 2 else -0.6), False)
    assert score.value == 0.0


def test_a_jerk_is_capped_and_fades():
    score = MovementScore(80.0)
    score.add(320.0, False)
    assert score.value == pytest.approx(4.5)
    for _ in range(60):
        score.add(320.0, False)
    assert score.value == 0.0


def test_a_cube_that_moves_startles_it_once_and_then_wakes_it():
    watch, effects = watch_from(), []
    for sample in range(400):
        now = 20.0 + sample * PERIOD
        effects += watch.feel(1, 32.0 + (8.0 if sample % 2 else -8.0), False, now)
        if Effect.BUSTED in effects:
            break
    assert effects == [Effect.STARTLED, Effect.BUSTED]


def test_in_its_first_ten_seconds_it_cannot_be_woken():
    watch = watch_from()
    for sample in range(280):
        found = watch.feel(1, 32.0 + (8.0 if sample % 2 else -8.0), False, sample * PERIOD)
        assert Effect.BUSTED not in found


def test_every_cube_upside_down_outwits_it_each_counts_once():
    watch = watch_from()
    assert watch.flip(1) == [Effect.FLIPPED]
    assert watch.flip(1) == []
    assert watch.flip(2) == [Effect.FLIPPED]
    assert watch.flip(3) == [Effect.FLIPPED, Effect.OUTWITTED]


def test_it_sleeps_for_two_minutes_or_one_without_movement():
    watch = watch_from()
    assert watch.pass_time(59.9) == []
    assert watch.pass_time(60.0) == [Effect.GUARDED]
    watch.feel(1, 100.0, False, 55.0)
    assert watch.pass_time(74.9) == []
    assert watch.pass_time(75.0) == [Effect.GUARDED]


class Person(Table):
    """Turns one cube after the other over, shaking it by some counts meanwhile."""

    def __init__(self, seed, shaking):
        super().__init__(own_triggers(), 3, seed, PROMPT)
        self.shaking, self.moves, self.is_playing = shaking, [], False
        self.accelerations = {cube.factory_id: G for cube in self.cubes}

    def on_game(self, state):
        if state.phase is Phase.WAITING and not self.is_playing:
            self.is_playing = True
            self.hands = asyncio.ensure_future(self.turn_over())
        if state.phase is Phase.OVER and self.is_playing:
            self.hands.cancel()

    async def turn_over(self):
        await asyncio.sleep(self.rng.uniform(10.0, 14.0))
        for number in (1, 2, 3):
            cube, began = self.number(number), self.loop.time()
            duration = self.rng.uniform(1.5, 2.5)
            self.moves.append((cube, began, began + duration))
            while self.loop.time() < began + duration:
                felt = G * (1.0 + self.rng.gauss(0.0, self.shaking) / 32.0)
                self.accelerations[cube] = felt
                await asyncio.sleep(PERIOD)
            self.accelerations[cube] = G
            self.turn(cube)
            await asyncio.sleep(self.rng.uniform(2.0, 5.0))

    def turn(self, factory_id):
        turned = []
        for cube in self.cubes:
            if cube.factory_id == factory_id:
                cube = replace(cube, up_axis=UpAxis.Z_NEGATIVE)
                now = self.loop.time()
                self.events.add(CubeEvent(now, CubeEventType.UP_AXIS_CHANGED, cube))
            turned.append(cube)
        self.cubes = tuple(turned)


class Nobody(Person):
    async def turn_over(self):
        for cube in self.accelerations:
            self.accelerations[cube] = G * 1.004


class Early(Person):
    """Turns the first cube over while the robot lies down, the others later."""

    def on_game(self, state):
        if state.phase is Phase.COUNTDOWN:
            self.loop.call_later(1.0, self.turn, self.number(1))
        super().on_game(state)

    async def turn_over(self):
        for number in (2, 3):
            await asyncio.sleep(3.0)
            self.turn(self.number(number))


def play(seed, level, shaking, person=Person):
    return play_game(guard_dog, lambda: person(seed, shaking), {"level": level}, seed)


def play_fairly(seed):
    """Play a game in which only who moves a cube is caught; return its level and winner."""
    level = seed % 3 + 1
    body, states = play(seed, level, 1.9 + seed // 3 % 8 * 0.1)
    over_at, last = states[-1]
    assert last.winner in (Side.ROBOT, Side.PLAYER), seed
    if last.winner is Side.ROBOT:
        # While a cube moves, or in the clip after which it looks.
        assert any(began <= over_at <= ended + 2 * PERIOD for _, began, ended in body.moves)
        assert last.player_points < 3
    else:
        assert last.player_points == 3
    assert body.is_still
    return level, last.winner


@pytest.mark.parametrize("seed", [0, 2, 9, 11])
def test_only_who_moves_a_cube_is_caught(seed):
    play_fairly(seed)


@pytest.mark.parametrize("level", [1, 2, 3])
def test_where_nobody_moves_a_cube_nobody_is_caught(level):
    body, states = play(1, level, 0.0, Nobody)
    assert states[-1][1].text == "nobody has taken its cubes"
    assert body.done("play GuardDogTimeoutCubesUntouched")


def test_a_cube_that_was_turned_while_the_robot_lay_down_counts():
    body, states = play(1, 1, 0.0, Early)
    assert (states[-1][1].winner, states[-1][1].player_points) == (Side.PLAYER, 3)
    assert body.is_still
