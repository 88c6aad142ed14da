"""What the behaviours do, in the robot's loop (spec 17, 21 §8)."""

from __future__ import annotations

import asyncio
import itertools
import logging
import math
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from ...manipulation import knock_over, roll_cube, stack_cubes
from ...perception import Face
from ...robot import MAX_HEAD_ANGLE, Owner, Reason, RobotError
from . import logs

if TYPE_CHECKING:
    from ..engine import Engine

_log = logging.getLogger(__name__)
_LOOK = 0.9
"""s that the robot rests after each turn: images of a robot that turns place nothing."""
_STEP = math.radians(30.0)
_HEAD_LEVEL, _HEAD_LOW = math.radians(2.0), math.radians(-12.0)
_HEAD_UP = (math.radians(25.0), MAX_HEAD_ANGLE - 0.02)
_TURN_SPEED = 1.2
_AGAIN = 0.5
"""s until what was refused is tried again, as while an action of the program drives."""
_POUNCE = 0.08
FREEPLAY = "Freeplay"
"""No behaviour that programs can name."""
_ATTENTION = 2.0
"""s that the robot goes on looking where it saw a face."""


async def perform(name: str, engine: Engine) -> None:
    """Do what a behaviour does; most end only when they are cancelled."""
    from .freeplay import play_freely

    works: dict[str, Callable[[Engine], Awaitable[None]]] = {
        "LookAroundInPlace": look_around,
        "FindFaces": find_faces,
        "RollBlock": _roll,
        "StackBlocks": _stack,
        "KnockOverCubes": _knock_over,
        "PounceOnMotion": _pounce,
        "EnrollFace": _enroll,
        FREEPLAY: play_freely,
    }
    work = works.get(name)
    if work is None:
        logs.note(f"the behaviour {name} does nothing here")
        await asyncio.Event().wait()
        return
    try:
        await work(engine)
    except RobotError as error:
        _log.info("%s ended: %s", name, error)


async def look_around(engine: Engine) -> None:
    """Turn in place, at each stop with the head level and low."""
    engine.look()
    await engine.look_now()
    for number in itertools.count():
        level, low = (_HEAD_LEVEL, _HEAD_LOW) if number % 2 else (_HEAD_LOW, _HEAD_LEVEL)
        for angle in (level, low):
            await _head(engine, angle)
            await asyncio.sleep(_LOOK)
        await _turn(engine, _STEP)


async def find_faces(engine: Engine) -> None:
    """Look up and around; a face that is found is looked at."""
    engine.look_for_faces()
    loop, seen_at = asyncio.get_running_loop(), -math.inf

    def note(faces: list[Face]) -> None:
        nonlocal seen_at
        if faces:
            seen_at = loop.time()

    leave = engine.faces.on_faces.connect(note)
    try:
        for angle in itertools.cycle(_HEAD_UP):
            await _head(engine, angle)
            await asyncio.sleep(_LOOK)
            while loop.time() - seen_at < _ATTENTION:
                await asyncio.sleep(_LOOK)
            await _turn(engine, random.choice((-2, 2, 1)) * _STEP)
    finally:
        leave()


async def _turn(engine: Engine, angle: float) -> None:
    robot = engine.robot
    if robot.motion.wheels.owner not in (Owner.NONE, Owner.TOPIC):
        await asyncio.sleep(_AGAIN)
        return
    try:
        await robot.turns.turn(angle, speed=_TURN_SPEED)
    except RobotError as error:
        if error.reason in (Reason.NOT_CONNECTED, Reason.LINK_LOST, Reason.SHUTDOWN):
            raise
        await asyncio.sleep(_AGAIN)


async def _head(engine: Engine, angle: float) -> None:
    if engine.robot.joints.head.owner is Owner.NONE:
        with suppress(RobotError):
            await engine.robot.joints.move_head(angle)


def cubes_known(engine: Engine) -> int:
    """Return of how many cubes it is known where they stand."""
    objects = engine.manipulator.objects.values()
    return sum(one.name.startswith("cube_") and one.pose is not None for one in objects)


async def _until_seen(engine: Engine, count: int) -> None:
    """Look around until so many cubes are known."""
    await engine.look_now()
    if cubes_known(engine) >= count:
        return
    looking = asyncio.ensure_future(look_around(engine))
    try:
        while cubes_known(engine) < count:
            await engine.on_sight.next()
    finally:
        looking.cancel()
        await asyncio.gather(looking, return_exceptions=True)


async def _roll(engine: Engine) -> None:
    await _until_seen(engine, 1)
    await roll_cube(engine.manipulator)


async def _stack(engine: Engine) -> None:
    await _until_seen(engine, 2)
    await stack_cubes(engine.manipulator)


async def _knock_over(engine: Engine) -> None:
    await _until_seen(engine, 1)
    await knock_over(engine.manipulator)


async def _pounce(engine: Engine) -> None:
    """Drive at a cube that moves before the robot, and drop the lift on it."""
    await _head(engine, _HEAD_LOW)
    events = engine.robot.cubes.on_event
    while True:
        await events.next(lambda event: event.type.name == "MOVED")
        with suppress(RobotError):
            await engine.robot.joints.move_lift(0.07)
            await engine.robot.maneuvers.drive_distance(_POUNCE, speed=0.15)
            await engine.robot.joints.move_lift(0.035)


async def _enroll(engine: Engine) -> None:
    """Look at the nearest face until it is known by the name that it was given."""
    await engine.faces.enroll(engine.name_to_enroll)
