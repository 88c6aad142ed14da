"""``cozmo replay``: a recorded session again, its engine's side to a robot or its robot's side."""

from __future__ import annotations

import argparse
import asyncio
import ipaddress
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial

from ..protocol import EncodeError
from ..signals import cancel_on_first_signal
from ..traffic import ROBOT_PORT, Endpoint, TrafficError
from ..traffic.live import EngineReplay, RobotReplay, TimedMessage, timeline
from .common import CommandError, add_examples, add_network_interface, add_number, as_command_error
from .traffic_input import endpoint, reading

_INTERRUPTED = 130


def configure(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("file", metavar="FILE", help="pcap or pcapng, or a recording as text")
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument(
        "--engine-to",
        metavar="ADDRESS[:PORT]",
        help="say to this robot what the recorded engine said; the robot moves as it did",
    )
    which.add_argument(
        "--serve",
        nargs="?",
        const=f"127.0.0.1:{ROBOT_PORT}",
        metavar="ADDRESS[:PORT]",
        help="be the recorded robot here (default %(const)s)",
    )
    add("--session", type=int, metavar="NUMBER", help="of the file (default: the first)")
    add_number(parser, "--speed", 1.0, "0.1 to 100", "FACTOR", low=0.1, high=100.0)
    add("--loop", action="store_true", help="begin again at the end")
    add_network_interface(parser)
    add("--yes", action="store_true", help="a real robot may move: do not ask")
    add_examples(
        parser,
        "cozmo replay session.pcap --engine-to 127.0.0.1  # to an emulator",
        "cozmo replay session.pcap --engine-to 172.31.1.1 --yes  # to a robot, which moves",
        "cozmo replay session.pcap --serve  # and connect the driver to 127.0.0.1",
        "cozmo replay session.pcap --serve 127.0.0.1:5552 --loop --speed 2",
    )


def run(arguments: argparse.Namespace) -> int:
    """Replay; return 0, or 130 when a replay to a robot was interrupted."""
    is_engine = arguments.engine_to is not None
    where = endpoint(arguments.engine_to if is_engine else arguments.serve)
    if is_engine and not arguments.yes:
        _ask(where)
    with as_command_error(TrafficError, EncodeError), reading(arguments.file) as on_read:
        opened = partial(
            timeline,
            arguments.file,
            to_robot=is_engine,
            session=arguments.session,
            on_read=on_read,
        )
        work = _to_robot if is_engine else _serve
        return asyncio.run(work(arguments, where, opened))


def _ask(robot: Endpoint) -> None:
    """Get the consent of who stands beside a real robot; an emulator needs none."""
    try:
        if ipaddress.ip_address(robot.address).is_loopback:
            return
    except ValueError:
        pass
    warning = f"the robot at {robot} will move as in the recording; put it where it has room"
    if not sys.stdin.isatty():
        raise CommandError(f"{warning}, and say so by --yes", 2)
    if input(f"{warning}. Go on? [y/N] ").strip().lower() not in ("y", "yes"):
        raise CommandError("nothing was sent")


async def _to_robot(
    arguments: argparse.Namespace,
    robot: Endpoint,
    opened: Callable[[], Iterator[TimedMessage]],
) -> int:
    replay = EngineReplay(robot, arguments.speed, arguments.network_interface)
    # Interrupted, the robot is still left at rest.
    cancel_on_first_signal()
    code = 0
    try:
        while True:
            with closing(opened()) as messages:  # type: ignore[type-var]
                await replay.play(messages)
            if not arguments.loop:
                break
    except asyncio.CancelledError:
        code = _INTERRUPTED
    print(f"sent      {_listed(replay.sent)}")
    if replay.withheld:
        print(f"withheld  {_listed(replay.withheld)}: harmful, or for flash or power")
    print(f"received  {_listed(replay.link.received)}")
    return code


async def _serve(
    arguments: argparse.Namespace,
    listen: Endpoint,
    opened: Callable[[], Iterator[TimedMessage]],
) -> int:
    # Tells now what is wrong with the file, not when somebody connects.
    with closing(opened()) as messages:  # type: ignore[type-var]
        next(messages)
    ends: asyncio.Queue[Exception | None] = asyncio.Queue()
    robot = RobotReplay(opened, arguments.speed)
    robot.on_end = ends.put_nowait
    where = await robot.start(listen)
    cancel_on_first_signal()
    try:
        print(f"the recorded robot is on {where}", flush=True)
        while (problem := await ends.get()) is None and arguments.loop:
            robot.disconnect()
        if problem is not None:
            raise problem
    except asyncio.CancelledError:
        pass
    finally:
        robot.close()
    print(f"sessions  {robot.sessions}")
    print(f"sent      {_listed(robot.sent)}")
    print(f"received  {_listed(robot.received)}")
    return 0


def _listed(counts: Counter[str]) -> str:
    names = ", ".join(f"{count} {name}" for name, count in counts.most_common())
    return f"{sum(counts.values())} messages{f': {names}' if names else ''}"
