"""What tests do to the emulated robot besides sending messages, and how they look at it."""

from __future__ import annotations

import asyncio
import functools
import math
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from cozmo_driver.emulator import Posture
from cozmo_driver.emulator.world import World as Place
from cozmo_driver.emulator.world.layout_file import layout_of
from cozmo_driver.protocol import SendQueueFull, messages
from cozmo_driver.robot import Pose2D, Reason, RobotError
from cozmo_driver.robot.motion.cliff import USUAL

from .virtual import in_virtual_time

_MESSAGES = Path(__file__).parents[2] / "cozmo_interfaces" / "msg"
_HALL = {"name": "hall", "floor": [{"rectangle": [-2.0, -2.0, 3.0, 3.0]}]}


def with_robot(emulator=None, **options):
    """Make a test of ``async def test(world, ...)``, as ``in_virtual_time``, with a known pose."""

    def decorate(scenario):
        @functools.wraps(scenario)
        async def standing(world, **arguments):
            await world.until(lambda: world.robot.odometry)
            await scenario(world, **arguments)

        return in_virtual_time({"calibration_time": 0.0} | (emulator or {}), **options)(standing)

    return decorate


def hall(*, ideal, seed, cubes=(), **options):
    """Return what an emulated robot on a large floor is made of; ``cubes`` as in a layout."""
    place = layout_of(_HALL | {"cubes": list(cubes)}, "hall.yaml")
    world = {"world": lambda: Place(place, seed=seed, ideal=ideal)}
    return {"ideal": ideal, "seed": seed, **world, **options}


def act(world, action):
    """Do something to the emulated robot now: ``act(world, lambda f: f.ground.pick_up())``."""
    world.wire.wake()
    result = action(world.firmware)
    world.wire.wake()
    return result


async def set_on_dark_floor(world, reading=520):
    """Set the robot down where it goes on reporting the edge that it saw in the air."""
    act(world, lambda f: f.ground.set_floor(reading))
    act(world, lambda f: f.handling.put(Posture.HELD))
    await world.until(lambda: act(world, lambda f: f.ground.threshold) == USUAL)
    act(world, lambda f: f.handling.put(Posture.FLAT))
    await world.until(lambda: not world.robot.state.is_off_ground)
    assert world.robot.state.is_cliff_detected


def truth(world) -> Pose2D:
    """Where the robot really is in the emulated world, m and rad."""
    pose = act(world, lambda f: f.body.world_pose)
    return Pose2D(pose.x / 1000, pose.y / 1000, pose.angle)


def is_standing(world) -> bool:
    """Whether the emulated treads stand and shall stand."""
    treads = act(world, lambda f: (f.wheels.left, f.wheels.right))
    return not any(tread.speed or tread.target for tread in treads)


def close(a: Pose2D, b: Pose2D, distance: float = 0.005, angle: float = 0.02) -> bool:
    """Whether two poses are the same within m and rad."""
    return (
        math.hypot(a.x - b.x, a.y - b.y) <= distance
        and abs(math.remainder(a.yaw - b.yaw, 2 * math.pi)) <= angle
    )


async def outcome(task: asyncio.Task) -> BaseException | None:
    """Wait for a task's end; return what it raised."""
    await asyncio.wait([task])
    if task.cancelled():
        return asyncio.CancelledError()
    return task.exception()


def fill_queue(world) -> None:
    """Send until the link refuses; nothing arrives before the wire is whole again."""
    world.wire.is_cut = True
    with suppress(SendQueueFull):
        while True:
            world.robot.session.send(messages.SetAudioVolume(1))


async def keep_commands(world) -> None:
    """Let no command reach the robot, whose states go on coming, until the queue is full."""
    world.wire._reach_robot = lambda datagram: None
    for _ in range(3):  # Some of it is on its way at first.
        with suppress(SendQueueFull):
            while True:
                world.robot.session.send(messages.SetAudioVolume(1))
        await world.pass_time(0.2)


@contextmanager
def fails(reason: Reason, kind: type[RobotError] = RobotError) -> Iterator[None]:
    """Expect an error of the robot layer with this reason."""
    with pytest.raises(kind) as caught:
        yield
    assert caught.value.reason is reason


def constants(message: str) -> dict[str, int]:
    """Return the constants that a message of the interface package declares."""
    text = (_MESSAGES / f"{message}.msg").read_text(encoding="utf-8")
    return {name: int(value) for name, value in re.findall(r"(?m)^uint8 ([A-Z_]+)=(\d+)", text)}
