"""``cozmo doctor``: looks for what keeps a robot from being driven, and says what to do."""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import shutil
import signal
from collections.abc import Iterator
from ipaddress import IPv4Address

from ..errors import CommandError
from ..examples import add_examples
from . import network, network_facts, robot, ros, software, wifi_facts
from .findings import Finding, as_document, is_usable, lines, summary

_WIDEST = 110
_TERMINATED = 143


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = (
        "Looks at Python, ROS 2, the network and the robot. Nothing is changed on this computer; "
        "the robot is connected to for about five seconds, and nothing is sent to anybody else. "
        "Ends with 0 when nothing failed (a warning is no failure), else with 1."
    )
    add = parser.add_argument
    add("--robot", default="172.31.1.1", metavar="ADDRESS", help="default %(default)s")
    add("--port", type=int, default=5551, help="UDP port of the robot (default %(default)s)")
    add("--network-interface", default="", metavar="NAME", help="the adapter that leads to it")
    add(
        "--start",
        action="store_true",
        help="also set the robot's clock as the driver does: head and lift move",
    )
    add("--json", action="store_true", help="print the findings as JSON")
    add_examples(
        parser,
        "cozmo doctor",
        "cozmo doctor --robot 127.0.0.1 --json  # an emulator",
        "cozmo doctor --network-interface lo --start  # head and lift move",
    )


def run(arguments: argparse.Namespace) -> int:
    """Check everything and print it; return 1 when something failed."""
    try:
        IPv4Address(arguments.robot)
    except ValueError:
        raise CommandError(
            f"--robot {arguments.robot}: not an IPv4 address; a robot is at 172.31.1.1", 2
        ) from None
    if not 1 <= arguments.port <= 65535:
        raise CommandError(f"--port {arguments.port}: a port is from 1 to 65535", 2)
    # What the layers below would log is told by the findings.
    logging.getLogger("cozmo_driver").addHandler(logging.NullHandler())
    findings = list(_of_computer(arguments))
    width = min(_WIDEST, shutil.get_terminal_size((_WIDEST, 24)).columns)
    if not arguments.json:
        # The robot may take its time.
        print("\n".join(lines(findings, width)), flush=True)
    try:
        answers = asyncio.run(_of_robot(arguments))
    except asyncio.CancelledError:
        return _TERMINATED
    findings += answers
    if arguments.json:
        print(json.dumps(as_document(f"{arguments.robot}:{arguments.port}", findings), indent=2))
    else:
        print("\n".join([*lines(answers, width), "", summary(findings)]))
    return 0 if is_usable(findings) else 1


def _of_computer(arguments: argparse.Namespace) -> Iterator[Finding]:
    address, interface = arguments.robot, arguments.network_interface
    yield from software.check()
    yield from ros.check(os.environ)
    facts = network_facts.read(address, interface)
    yield from network.check(address, interface, facts, wifi_facts.joined)


async def _of_robot(arguments: argparse.Namespace) -> list[Finding]:
    task = asyncio.current_task()
    assert task is not None
    # Ended from outside, it still says goodbye: a robot without one is busy for 5 s.
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    return [
        finding
        async for finding in robot.check(
            arguments.robot,
            arguments.port,
            arguments.network_interface,
            is_start_wanted=arguments.start,
        )
    ]
