"""A robot for as long as a program needs it (sessions: spec 01 §8)."""

from __future__ import annotations

import asyncio
import sys
from argparse import ArgumentParser
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from ..protocol import ConnectionLost, NotConnected
from ..signals import cancel_on_first_signal
from .data import Phase
from .errors import Reason, RobotError
from .robot import Robot, RobotOptions

DEFAULT_ADDRESS = "172.31.1.1"


@asynccontextmanager
async def connect(address: str = DEFAULT_ADDRESS, **options: Any) -> AsyncIterator[Robot]:
    """Be connected to a robot during an ``async with`` block, which begins with its first state.

    ``address`` may end in a port, as ``127.0.0.1:5551``; ``options`` are fields of
    ``RobotOptions``. A link that is lost meanwhile comes back by itself. At the end the robot is
    left at rest. Raises ``RobotError``, and ``ValueError`` for what makes no address.
    """
    host, _, port = address.partition(":")
    if port:
        if not port.isdecimal():
            raise ValueError(f"'{address}' is no address of a robot; one is {DEFAULT_ADDRESS}:5551")
        options["port"] = int(port)

    def is_ready(robot: Robot) -> bool:
        return robot.session.is_ready and robot.state is not None

    async with connected(RobotOptions(host, **options), is_ready) as robot:
        yield robot


@asynccontextmanager
async def connected(
    options: RobotOptions, is_usable: Callable[[Robot], bool]
) -> AsyncIterator[Robot]:
    """Be connected during an ``async with`` block, which begins when the robot is usable.

    Raises ``RobotError`` when the first attempt fails.
    """
    robot = Robot(options)
    answer: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def check(_: object) -> None:
        if answer.done():
            return
        if is_usable(robot):
            answer.set_result(None)
        elif robot.session_state.phase is Phase.WAITING:
            text = f"{options.address}:{options.port}: {robot.session_state.text}"
            answer.set_exception(RobotError(Reason.NOT_CONNECTED, text))

    leave = [robot.on_session.connect(check), robot.on_state.connect(check)]
    await robot.start()
    try:
        try:
            await answer
        finally:
            for disconnect in leave:
                disconnect()
        yield robot
    finally:
        await robot.stop()


def run_program(
    main: Callable[..., Coroutine[Any, Any, object]],
    parser: ArgumentParser | None = None,
    **options: Any,
) -> None:
    """Run ``await main(robot)`` with the robot that the command line names, then end.

    Arguments that ``parser`` declares are given to ``main`` by name; ``options`` are fields of
    ``RobotOptions``. A signal that ends programs cancels ``main`` and leaves the robot at rest.
    Raises ``SystemExit`` with what went wrong, if something did, for people.
    """
    parser = parser or ArgumentParser(description=main.__doc__)
    parser.add_argument(
        "--robot",
        default=DEFAULT_ADDRESS,
        metavar="ADDRESS[:PORT]",
        help="where the robot is (default %(default)s)",
    )
    arguments = vars(parser.parse_args())
    address = arguments.pop("robot")

    async def run() -> None:
        cancel_on_first_signal()
        async with connect(address, **options) as robot:
            await main(robot, **arguments)

    try:
        asyncio.run(run())
    except asyncio.CancelledError:
        pass
    except (ConnectionLost, NotConnected, RobotError) as error:
        sys.exit(f"{parser.prog}: {error}")
