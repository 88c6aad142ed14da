"""What the robot does by itself between ``start_`` and ``stop_freeplay_behaviors``."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from ...link import with_timeout
from ...manipulation import knock_over, pick_up_cube, place_here, roll_cube, stack_cubes
from ...robot import Reason, RobotError
from .behaviors import cubes_known, find_faces, greet, look_around

if TYPE_CHECKING:
    from ..engine import Engine

_log = logging.getLogger(__name__)
_GONE = (Reason.NOT_CONNECTED, Reason.LINK_LOST, Reason.SHUTDOWN)
_LOOK, _PEOPLE = (8.0, 16.0), 8.0
"""s."""
_WAY = (0.04, 0.10)
"""m: as far as an edge that was not seen from here is unlikely to matter."""
_SPEED = 0.06
_MOODS = ("Curiosity", "Joy", "Thinking", "Idle", "NothingToDoBoredEvent")
_PAUSE = 0.5


async def play_freely(engine: Engine) -> None:
    """Look around, wander, handle cubes, look for people and show moods; for ever."""
    engine.look_for_faces()
    await engine.look_now()
    await _look(engine)
    while True:
        try:
            await random.choice(_possible(engine))(engine)
        except RobotError as error:
            if error.reason in _GONE:
                raise
            # As when a cube was taken away, or a hand holds the robot.
            _log.info("freeplay went on: %s", error)
        await asyncio.sleep(_PAUSE)


def _possible(engine: Engine) -> list[Callable[[Engine], Awaitable[None]]]:
    """Return what can be done now; what is there more than once is done more often."""
    cubes = cubes_known(engine)
    alone = [_look, _look, _wander, _mood, _people]
    return alone + [_carry, _roll, _tip] * (cubes >= 1) + [_stack] * 2 * (cubes >= 2)


async def _look(engine: Engine) -> None:
    with suppress(TimeoutError):
        await with_timeout(random.uniform(*_LOOK), look_around(engine))


async def _wander(engine: Engine) -> None:
    await engine.robot.turns.turn(random.uniform(-1.2, 1.2))
    await engine.robot.maneuvers.drive_distance(random.uniform(*_WAY), speed=_SPEED)


async def _mood(engine: Engine) -> None:
    await engine.player.play(random.choice(_MOODS))


async def _people(engine: Engine) -> None:
    """Look for somebody; greet who is found."""
    with suppress(TimeoutError):
        await with_timeout(_PEOPLE, find_faces(engine))
    await greet(engine)


async def _carry(engine: Engine) -> None:
    await pick_up_cube(engine.manipulator)
    await engine.player.play("Success")
    await engine.robot.turns.turn(random.uniform(-1.0, 1.0))
    await place_here(engine.manipulator)


async def _roll(engine: Engine) -> None:
    await roll_cube(engine.manipulator)
    await engine.player.play("RollBlockSuccess")


async def _tip(engine: Engine) -> None:
    await knock_over(engine.manipulator)


async def _stack(engine: Engine) -> None:
    await stack_cubes(engine.manipulator)
    await engine.player.play("StackBlocksSuccess")
