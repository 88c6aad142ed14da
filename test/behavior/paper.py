"""A life on paper: the engine with a body that keeps a diary, in virtual time."""

from __future__ import annotations

import asyncio
import functools
import inspect
import random

from cozmo_driver.behavior.constraints import Permissions
from cozmo_driver.behavior.engine import Engine
from cozmo_driver.behavior.system import load_behavior_system
from cozmo_driver.behavior.testing import FakeBody
from cozmo_driver.resources.library import load_library
from cozmo_driver.robot import RobotEvent

from ..robot.virtual import VirtualLoop
from .trees import OWN

EVERYTHING = Permissions(motion=True, leaving_charger=True, going_home=True)


def in_virtual_time(scenario):
    """Run an async test in a loop whose time jumps."""

    @functools.wraps(scenario)
    def test(**arguments):
        loop = VirtualLoop()
        try:
            loop.run_until_complete(scenario(**arguments))
        finally:
            loop.close()

    return test


@functools.cache
def own_triggers():
    return frozenset(load_library().triggers)


@functools.cache
def own_system():
    return load_behavior_system([OWN])


class Home:
    """An engine that lives in the background."""

    def __init__(self, *, system=None, permissions=EVERYTHING, cubes=(), seed=1, hour=lambda: 12.0):
        self.loop = asyncio.get_running_loop()
        self.body = FakeBody(own_triggers(), cubes)
        rng = random.Random(seed)
        self.engine = Engine(
            self.body, system or own_system(), rng=rng, permissions=permissions, hour=hour
        )
        self.inner = self.engine.inner
        self.engine.enable(True)

    async def __aenter__(self):
        self.task = asyncio.ensure_future(self.engine.run())
        return self

    async def __aexit__(self, *_):
        self.task.cancel()
        await asyncio.wait([self.task])
        assert self.task.cancelled(), self.task.exception()

    @property
    def now(self):
        return self.engine.snapshot

    async def until(self, condition, timeout=600.0):
        deadline = self.loop.time() + timeout
        while not (result := condition()):
            assert not self.task.done(), self.task
            if self.loop.time() > deadline:
                trace = "\n".join(map(str, list(self.engine.trace.decisions)[-8:]))
                raise TimeoutError(f"{inspect.getsource(condition).strip()}\n{self.now}\n{trace}")
            await asyncio.sleep(0.01)
        return result

    def chosen(self, kind):
        return [one.chosen for one in self.engine.trace.decisions if one.kind == kind]


def happen(home, kind, **fields):
    home.body.events.add(RobotEvent(kind, "", home.loop.time(), **fields))
