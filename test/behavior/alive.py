"""A personality in an emulated robot, both in virtual time."""

from __future__ import annotations

import asyncio
import functools
import random

from cozmo_driver.animation import Player, load_assets
from cozmo_driver.behavior.constraints import Permissions
from cozmo_driver.behavior.engine import Engine
from cozmo_driver.behavior.system import load_behavior_system
from cozmo_driver.emulator.world.layout_file import find_world, load_layout
from cozmo_driver.emulator.world.world import World as Place
from cozmo_driver.resources.locations import find_own_tree

from ..robot.hands import is_standing
from .robot_body import RobotBody

ON_A_TABLE = {"world": lambda: Place(load_layout(find_world("table")), seed=3)}


@functools.cache
def assets():
    return load_assets()


@functools.cache
def system(trees):
    return load_behavior_system(trees)


class Personality:
    """An engine that lives in an emulated robot."""

    def __init__(self, world, permissions, seed, trees):
        self.world = world
        rng = random.Random(seed)
        clock = world.loop.time
        player = Player(world.robot, assets().library, assets().sounds, rng, clock)
        self.body = RobotBody(world.robot, player)
        trees = (*trees, find_own_tree())
        self.states, self.steps = [], []
        self.engine = Engine(
            self.body,
            system(trees),
            rng=rng,
            permissions=permissions,
            on_change=self._take,
        )
        self.inner = self.engine.inner
        self.engine.enable(True)

    def _take(self, seen):
        self.states.append(seen)
        self.steps.append((self.world.loop.time(), seen.step))

    @property
    def now(self):
        return self.engine.snapshot

    def reactions(self):
        """The triggers that it reacted to, in their order."""
        return [
            seen.reaction
            for before, seen in zip((None, *self.states), self.states, strict=False)
            if seen.reaction and (before is None or before.reaction != seen.reaction)
        ]

    def times_of(self, step):
        """When it took a step of that name."""
        return [time for time, text in self.steps if text == step]

    def decisions(self, kind):
        return [one for one in self.engine.trace.decisions if one.kind == kind]

    async def __aenter__(self):
        self.task = asyncio.ensure_future(self.engine.run())
        return self

    async def __aexit__(self, *_):
        self.task.cancel()
        await asyncio.wait([self.task])
        self.body.close()
        await self.world.until(lambda: is_standing(self.world), 5.0)


def alive(world, permissions=None, seed=1, trees=()):
    return Personality(
        world, permissions or Permissions(motion=True, leaving_charger=True), seed, trees
    )
