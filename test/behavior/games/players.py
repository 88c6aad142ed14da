"""A person who plays with an emulated robot or one on paper: sees lights, taps and grabs cubes."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass

from cozmo_driver.behavior.testing import FakeBody, connected_cube, run_behavior
from cozmo_driver.robot import CubeEvent, CubeEventType, CubeKind
from cozmo_driver.virtual_time import run_in_virtual_time

TAPS = 0.8
"""Share of taps that a cube feels: 8 of 10 to 11 (spec 17 §3.2)."""
CLIP_START, TAP_CLIP = (0.3, 0.5), 0.2
"""s from asking for a clip to its start, which is 0.4 late on the robot; then to the lift's hit."""


def cubes(count: int = 3):
    kinds = (CubeKind.CUBE_1, CubeKind.CUBE_2, CubeKind.CUBE_3)
    return [connected_cube(kind, 0xC1000011 + kind.value, kind.value) for kind in kinds[:count]]


@dataclass(frozen=True)
class Radio:
    """How late the cubes' messages come, s; each by another time, so that they change order."""

    late: tuple[float, float] = (0.08, 0.12)


PROMPT = Radio()


class Table(FakeBody):
    """A body on paper with cubes that feel taps, of which the messages come late."""

    def __init__(self, triggers, count, seed, radio=PROMPT):
        super().__init__(triggers, cubes(count))
        self.rng, self.radio = random.Random(seed), radio
        self.loop = asyncio.get_running_loop()
        self.truth = []
        """Taps that a cube felt: its factory id, when."""

    def tap(self, factory_id, *, is_sure=False):
        """Tap a cube now; return whether it felt it."""
        if not is_sure and self.rng.random() > TAPS:
            return False
        now = self.loop.time()
        self.truth.append((factory_id, now))
        times = [now] if self.rng.random() < 0.85 else [now, now + self.rng.uniform(0.07, 0.16)]
        cube = next(one for one in self.cubes if one.factory_id == factory_id)
        for time in times:
            event = CubeEvent(time, CubeEventType.TAPPED, cube, 80)
            at = time + self.rng.uniform(*self.radio.late)
            self.loop.call_at(at, lambda event=event, at=at: self.events.add(event, at))
        return True

    def number(self, number):
        return next(one.factory_id for one in self.cubes if one.kind.value == number)


def play_game(behavior, person, values, seed):
    """Play a game with whom ``person`` makes; return that one, and each state with its time."""
    states = []

    async def game():
        body = person()

        def on_game(state):
            states.append((body.loop.time(), state))
            body.on_game(state)

        await run_behavior(behavior, body, values, on_game, seed)
        return body

    return run_in_virtual_time(game()), states
