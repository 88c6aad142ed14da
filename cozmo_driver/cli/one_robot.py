"""A robot for as long as a sub-command needs it: arguments, connecting, disconnecting."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Coroutine
from typing import Any

from ..protocol import ConnectionLost, NotConnected
from ..robot import (
    CameraOptions,
    Phase,
    Robot,
    RobotError,
    RobotOptions,
    SessionState,
    connected,
)
from .common import CommandError, add_address, add_number, as_command_error
from .signals import run_until_signalled


def add_arguments(parser: argparse.ArgumentParser, *, with_volume: bool = True) -> None:
    group = parser.add_argument_group("the robot")
    add_address(group)
    parser.set_defaults(volume=1.0)
    if with_volume:
        text = "loudness of the robot, 0 to 1"
        add_number(group, "--volume", 1.0, text, "SHARE", low=0.0, high=1.0)


def run_with_robot(
    arguments: argparse.Namespace,
    do: Callable[[Robot], Coroutine[Any, Any, int]],
    *,
    is_usable: Callable[[SessionState], bool] = lambda state: state.phase is Phase.CONNECTED,
    may_end: Callable[[], bool] = lambda: True,
    **options: Any,
) -> int:
    """Connect, do it, disconnect; return its exit code.

    ``is_usable`` returns whether the robot can be used yet, ``may_end`` whether SIGINT or
    SIGTERM shall end the work now; ``options`` are fields of ``RobotOptions``. Raises
    ``CommandError`` when there is no robot or it is lost.
    """
    robot_options = RobotOptions(
        arguments.robot,
        arguments.port,
        arguments.network_interface,
        volume=arguments.volume,
        **{"camera": CameraOptions(enabled=False), "cubes": (), **options},
    )

    async def work() -> int:
        async with connected(robot_options, lambda robot: is_usable(robot.session_state)) as robot:
            return await do(robot)

    try:
        with as_command_error(RobotError):
            return run_until_signalled(work(), may_end)
    except (ConnectionLost, NotConnected) as error:
        raise CommandError(f"the robot is gone: {error}") from error
