"""A robot for as long as a sub-command needs it: arguments, connecting, saying goodbye."""

from __future__ import annotations

import argparse
import asyncio
import signal
from collections.abc import Callable, Coroutine
from typing import Any

from ..protocol import ConnectionLost, NotConnected
from ..robot import (
    CameraOptions,
    ConnectFailed,
    CubeOptions,
    Phase,
    Robot,
    RobotOptions,
    SessionState,
    connected,
)
from .errors import CommandError
from .robot_address import add_address, check_port

_SIGNALLED = 128


def add_arguments(parser: argparse.ArgumentParser, *, with_volume: bool = True) -> None:
    """Declare where the robot is."""
    group = parser.add_argument_group("the robot")
    add_address(group)
    if not with_volume:
        parser.set_defaults(volume=1.0)
        return
    group.add_argument(
        "--volume",
        type=float,
        default=1.0,
        metavar="SHARE",
        help="loudness of the robot, 0 to 1 (default 1)",
    )


def is_connected(state: SessionState) -> bool:
    """Tell whether the robot takes commands."""
    return state.phase is Phase.CONNECTED


def run_with_robot(
    arguments: argparse.Namespace,
    do: Callable[[Robot], Coroutine[Any, Any, int]],
    *,
    is_usable: Callable[[SessionState], bool] = is_connected,
    may_end: Callable[[], bool] = lambda: True,
    **options: Any,
) -> int:
    """Connect, do it, say goodbye; return its exit code, or 130 or 143 when it was ended.

    ``is_usable`` tells from when on the robot can be worked with, ``may_end`` whether SIGINT or
    SIGTERM shall end the work now; ``options`` are fields of ``RobotOptions``. Raises
    ``CommandError`` when there is no robot or it is lost.
    """
    check_port(arguments.port)
    if not 0.0 <= arguments.volume <= 1.0:
        raise CommandError(f"--volume {arguments.volume:g}: it is from 0 to 1", 2)
    chosen = {"camera": CameraOptions(enabled=False), "cubes": CubeOptions(kinds=()), **options}
    robot = RobotOptions(
        arguments.robot,
        arguments.port,
        arguments.network_interface,
        volume=arguments.volume,
        **chosen,
    )
    ended_by: list[int] = []
    try:
        return asyncio.run(_run(robot, do, is_usable, may_end, ended_by))
    except asyncio.CancelledError:
        return _SIGNALLED + ended_by[0]
    except ConnectFailed as error:
        raise CommandError(str(error)) from error
    except (ConnectionLost, NotConnected) as error:
        raise CommandError(f"the robot is gone: {error}") from error


async def _run(
    options: RobotOptions,
    do: Callable[[Robot], Coroutine[Any, Any, int]],
    is_usable: Callable[[SessionState], bool],
    may_end: Callable[[], bool],
    ended_by: list[int],
) -> int:
    task = asyncio.current_task()
    assert task is not None

    def end(number: int) -> None:
        # Ended from outside, the robot is still left at rest: a second signal changes nothing.
        if not ended_by and may_end():
            ended_by.append(number)
            task.cancel()

    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, end, number)
    async with connected(options, lambda robot: is_usable(robot.session_state)) as robot:
        return await do(robot)
