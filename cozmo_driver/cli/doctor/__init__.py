"""``cozmo doctor``: looks for what keeps a robot from being driven, and says what to do."""

from __future__ import annotations

import argparse
import json
import logging
import os
import shutil
from collections.abc import Iterator
from ipaddress import IPv4Address

from ..ending import run_until_terminated
from ..errors import CommandError
from ..examples import add_examples
from ..robot_address import DEFAULT_ROBOT, add_address, check_port
from . import network, network_facts, robot, ros, software, wifi_facts
from .findings import Finding, as_document, is_usable, lines, summary

_WIDEST = 110


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = (
        "Looks at Python, ROS 2, the network and the robot. Nothing is changed on this computer; "
        "the robot is connected to for about five seconds, and nothing is sent to anybody else. "
        "Ends with 0 when nothing failed (a warning is no failure), else with 1."
    )
    add_address(parser)
    add = parser.add_argument
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
            f"--robot {arguments.robot}: not an IPv4 address; a robot is at {DEFAULT_ROBOT}", 2
        ) from None
    check_port(arguments.port)
    # What the layers below would log is told by the findings.
    logging.getLogger("cozmo_driver").addHandler(logging.NullHandler())
    findings = list(_of_computer(arguments))
    width = min(_WIDEST, shutil.get_terminal_size((_WIDEST, 24)).columns)
    if not arguments.json:
        # The robot may take its time.
        print("\n".join(lines(findings, width)), flush=True)
    answers = run_until_terminated(_of_robot(arguments))
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
    return [
        finding
        async for finding in robot.check(
            arguments.robot,
            arguments.port,
            arguments.network_interface,
            is_start_wanted=arguments.start,
        )
    ]
