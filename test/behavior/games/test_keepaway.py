"""Keepaway: zones and nerves, and games with people of quick and slow hands."""

from __future__ import annotations

import asyncio
import math
import random
from collections import Counter
from dataclasses import replace

import pytest

from cozmo_driver.behavior.behaviors.play_keepaway import keepaway
from cozmo_driver.behavior.games import Phase, Side
from cozmo_driver.behavior.games.keepaway import (
    CAUGHT_PITCH,
    FRONT,
    HALF_CUBE,
    LEVELS,
    Nerve,
    Pounce,
    Zone,
    Zones,
)
from cozmo_driver.behavior.sight import SeenObject, Sight
from cozmo_driver.behavior.testing import run_behavior
from cozmo_driver.robot import (
    CubeEvent,
    CubeEventType,
    Pose2D,
    Reason,
    RobotError,
    lift_angle,
)
from cozmo_driver.virtual_time import run_in_virtual_time

from ..paper import own_triggers
from .players import CLIP_START, PROMPT, Table


def test_a_cube_leaves_a_zone_farther_out_than_it_comes_in():
    zones = Zones()
    seen = [(0.130, Zone.OUT), (0.118, Zone.IN_PLAY), (0.137, Zone.IN_PLAY), (0.139, Zone.OUT)]
    seen += [(0.068, Zone.REACH), (0.072, Zone.REACH), (0.074, Zone.IN_PLAY), (0.070, Zone.IN_PLAY)]
    seen += [(0.043, Zone.CLOSE), (0.047, Zone.CLOSE), (0.049, Zone.REACH), (math.inf, Zone.OUT)]
    for distance, zone in seen:
        assert zones.update(distance) is zone, distance


@pytest.mark.parametrize("chance", LEVELS)
def test_it_pretends_at_most_twice_and_the_surer_it_pounces_then(chance):
    nerve, fakes, counts = Nerve(random.Random(3), chance), 0, Counter()
    for _ in range(6000):
        if nerve.pounces():
            counts[fakes] += 1
            fakes = 0
        else:
            fakes += 1
    assert max(counts) == 2
    assert counts[0] / counts.total() == pytest.approx(chance, abs=0.03)
    assert counts[1] / (counts[1] + counts[2]) == pytest.approx(chance + 0.15, abs=0.04)


@pytest.mark.parametrize(
    ("pitch", "lift", "winner"),
    [(0.0, 0.030, Side.PLAYER), (0.0, 0.060, Side.ROBOT), (0.10, 0.032, Side.ROBOT)],
)
def test_a_pounce_is_judged_by_pitch_and_lift(pitch, lift, winner):
    judge = Pounce(0.02)
    judge.feel(0.02 + pitch, 0.080)
    judge.feel(0.02, lift)
    assert judge.winner is winner


CATCH_TIME = 0.36
"""From the start of the clip to the lift on the cube, s."""


class Person(Table):
    """Holds the cube out, and pulls it away when the robot moves."""

    FLINCHES = 0.3

    def __init__(self, seed, reaction):
        super().__init__(own_triggers(), 1, seed, PROMPT)
        self.reaction, self.cube = reaction, self.cubes[0].factory_id
        self.caught, self.flinched = [], []
        self.feel(lift_angle=lift_angle(0.092))
        self.hold()

    def hold(self):
        """Hold the cube out in the robot's reach."""
        ahead = FRONT + HALF_CUBE + self.rng.uniform(0.050, 0.066)
        self.places[self.cube] = self.felt.pose.compose(Pose2D(ahead))
        self.move(False)

    def pull(self):
        self.places[self.cube] = self.felt.pose.compose(Pose2D(0.25))
        self.move(True)
        self.loop.call_later(1.2, self.hold)

    def move(self, is_moving):
        cube = replace(self.cubes[0], is_moving=is_moving)
        self.cubes = (cube,)
        kind = CubeEventType.MOVED if is_moving else CubeEventType.STOPPED
        self.events.add(CubeEvent(self.loop.time(), kind, cube))

    async def play(self, trigger, **flags):
        if trigger.startswith("CubePouncePounce"):
            await asyncio.sleep(self.rng.uniform(*CLIP_START))
            reaction = max(0.15, self.rng.gauss(self.reaction, 0.06))
            self.loop.call_later(reaction, self.pull)
            await asyncio.sleep(CATCH_TIME)
            is_caught = reaction > CATCH_TIME
            self.caught.append(is_caught)
            height = self.rng.uniform(0.053, 0.069) if is_caught else self.rng.uniform(0.027, 0.035)
            self.feel(lift_angle=lift_angle(max(0.0, height)), pitch=0.0)
            if is_caught and self.rng.random() < 0.5:
                self.feel(pitch=CAUGHT_PITCH * 1.5)
            await asyncio.sleep(0.2)
            self.feel(pitch=0.0)
        elif trigger == "CubePounceFake":
            await asyncio.sleep(self.rng.uniform(*CLIP_START))
            is_flinch = self.rng.random() < self.FLINCHES
            self.flinched.append(is_flinch)
            if is_flinch:
                self.loop.call_later(0.3, self.pull)
            await asyncio.sleep(0.4)
        else:
            await super().play(trigger, **flags)

    async def move_lift(self, height):
        await super().move_lift(height)
        self.feel(lift_angle=lift_angle(height))

    async def drive_distance(self, distance, speed=0.0):
        await super().drive_distance(distance, speed)
        if distance < 0.0:
            self.hold()


def play(seed, level, reaction, person=Person, **values):
    states = []

    async def game():
        body = person(seed, reaction)
        await run_behavior(keepaway, body, {"level": level, **values}, states.append, seed)
        return body

    return run_in_virtual_time(game()), states


def points_given(states):
    found = [s.text.split(": ")[1] for s in states if s.phase is Phase.JUDGED]
    return [Side.ROBOT if text.startswith("it has") else Side.PLAYER for text in found]


def play_fairly(seed):
    """Play a game in which whoever catches or pulls in time has the point; level and winner."""
    level = seed % 3 + 1
    body, states = play(seed, level, 0.30 + seed // 3 % 5 * 0.02)
    points = Counter(points_given(states))
    assert points[Side.ROBOT] == sum(body.caught) + sum(body.flinched), seed
    assert points[Side.PLAYER] == body.caught.count(False), seed
    assert states[-1].winner in (Side.ROBOT, Side.PLAYER), seed
    assert body.is_still
    return level, states[-1].winner


@pytest.mark.parametrize("seed", range(4))
def test_who_catches_or_pulls_in_time_has_the_point(seed):
    play_fairly(seed)


class Bored(Person):
    def hold(self):
        self.places.pop(self.cube, None)


def test_it_gives_up_after_three_hands_without_a_cube():
    states = []

    async def game():
        body = Bored(1, 0.3)
        with pytest.raises(RobotError, match="nobody held out the cube for 30 s") as ended:
            await run_behavior(keepaway, body, {}, states.append)
        assert ended.value.reason is Reason.TIMEOUT
        assert body.is_still
        assert body.done("play CubePounceGetOut")

    run_in_virtual_time(game())
    assert states[-1].phase is Phase.OVER


class Hidden(Person):
    """Pulls the cube out of the camera's sight: its old place is all that the robot knows."""

    def hold(self):
        super().hold()
        seen = SeenObject("cube_1", self.places[self.cube], is_visible=False)
        self.seen = Sight(objects={"cube_1": seen})


def test_it_does_not_pounce_where_the_cube_was():
    async def game():
        body = Hidden(1, 0.3)
        with pytest.raises(RobotError, match="nobody held out the cube"):
            await run_behavior(keepaway, body, {})
        assert not body.done("play CubePouncePounce")

    run_in_virtual_time(game())
