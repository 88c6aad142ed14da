"""A personality in an emulated robot, both in virtual time."""

from __future__ import annotations

import asyncio
import functools
import random

from cozmo_driver.animation import Player, load_assets
from cozmo_driver.behavior.constraints import Permissions
from cozmo_driver.behavior.engine import Engine
from cozmo_driver.behavior.robot_body import RobotBody
from cozmo_driver.emulator.world.layout_file import find_world, load_layout
from cozmo_driver.emulator.world.world import World as Place

from ..robot.hands import is_standing
from .paper import own_system

ON_A_TABLE = {"world": lambda: Place(load_layout(find_world("table")), seed=3)}

assets = functools.cache(load_assets)


class Personality:
    """An engine that lives in an emulated robot; with a manipulator it sees and handles objects."""

    def __init__(self, world, manipulator=None, seed=1):
        self.world = world
        rng = random.Random(seed)
        player = Player(world.robot, assets().library, assets().sounds, rng, world.loop.time)
        self.body = RobotBody(world.robot, player, manipulator)
        self.states, self.steps = [], []
        permissions = Permissions(motion=True, leaving_charger=True)
        self.engine = Engine(
            self.body, own_system(), rng=rng, permissions=permissions, on_change=self._take
        )
        self.engine.enable(True)

    def _take(self, seen):
        self.states.append(seen)
        self.steps.append((self.world.loop.time(), seen.step))

    @property
    def now(self):
        return self.engine.snapshot

    def times_of(self, step):
        """When it took a step of that name."""
        return [time for time, text in self.steps if text == step]

    def has_reacted_to(self, trigger):
        return any(seen.reaction == trigger for seen in self.states)

    def resumed(self):
        return [one.chosen for one in self.engine.trace.decisions if one.kind == "resume"]

    async def __aenter__(self):
        self.task = asyncio.ensure_future(self.engine.run())
        return self

    async def __aexit__(self, *_):
        self.task.cancel()
        await asyncio.wait([self.task])
        self.body.close()
        await self.world.until(lambda: is_standing(self.world), 5.0)
