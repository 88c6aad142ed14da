"""A robot for as long as a sub-command needs it: arguments, connecting, saying goodbye."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

from ..robot import CameraOptions, CubeOptions, Phase, Robot, RobotOptions
from .errors import CommandError

_TERMINATED = 143


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare where the robot is."""
    group = parser.add_argument_group("the robot")
    add = group.add_argument
    add("--robot", default="172.31.1.1", metavar="ADDRESS", help="default %(default)s")
    add("--port", type=int, default=5551, help="UDP port of the robot (default %(default)s)")
    add("--network-interface", default="", metavar="NAME", help="bind to this network adapter")
    add(
        "--volume",
        type=float,
        default=1.0,
        metavar="SHARE",
        help="loudness of the robot, 0 to 1 (default 1)",
    )


def run_with_robot(
    arguments: argparse.Namespace, do: Callable[[Robot], Coroutine[Any, Any, int]]
) -> int:
    """Connect, do it, say goodbye; return its exit code, or 143 when it was terminated.

    Raises ``CommandError`` when there is no robot or it is lost.
    """
    if not 1 <= arguments.port <= 65535:
        raise CommandError(f"--port {arguments.port}: a port is from 1 to 65535", 2)
    if not 0.0 <= arguments.volume <= 1.0:
        raise CommandError(f"--volume {arguments.volume:g}: it is from 0 to 1", 2)
    try:
        return asyncio.run(_run(arguments, do))
    except asyncio.CancelledError:
        return _TERMINATED


async def _run(
    arguments: argparse.Namespace, do: Callable[[Robot], Coroutine[Any, Any, int]]
) -> int:
    task = asyncio.current_task()
    assert task is not None
    # Ended from outside, the robot is still left at rest.
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    async with _connected(arguments) as robot:
        return await do(robot)


@contextlib.asynccontextmanager
async def _connected(arguments: argparse.Namespace) -> AsyncIterator[Robot]:
    robot = Robot(
        RobotOptions(
            arguments.robot,
            arguments.port,
            arguments.network_interface,
            camera=CameraOptions(enabled=False),
            cubes=CubeOptions(kinds=()),
            volume=arguments.volume,
        )
    )
    answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def follow(state: object) -> None:
        now = robot.session_state
        if now.phase in (Phase.CONNECTED, Phase.WAITING) and not answer.done():
            answer.set_result("" if now.phase is Phase.CONNECTED else now.text)

    robot.on_session.connect(follow)
    await robot.start()
    try:
        problem = await answer
        if problem:
            raise CommandError(f"{arguments.robot}:{arguments.port}: {problem}")
        yield robot
    finally:
        await robot.stop()
