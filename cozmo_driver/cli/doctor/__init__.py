"""``cozmo doctor``: checks what keeps a robot from being driven, and suggests remedies."""

from __future__ import annotations

import argparse
import json
import logging
import os
import shutil
from ipaddress import IPv4Address

from ..common import DEFAULT_ROBOT, CommandError, add_address, add_examples
from ..signals import run_until_signalled
from . import network, network_facts, robot, software
from .findings import as_document, is_usable, lines, summary

_WIDEST = 110


def configure(parser: argparse.ArgumentParser) -> None:
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
    try:
        IPv4Address(arguments.robot)
    except ValueError:
        raise CommandError(
            f"--robot {arguments.robot}: not an IPv4 address; a robot is at {DEFAULT_ROBOT}", 2
        ) from None
    # What the layers below would log is in the findings.
    logging.getLogger("cozmo_driver").addHandler(logging.NullHandler())
    address, interface = arguments.robot, arguments.network_interface
    facts = network_facts.read(address, interface)
    findings = [*software.check(), *software.check_ros(os.environ), *network.check(facts)]
    width = min(_WIDEST, shutil.get_terminal_size((_WIDEST, 24)).columns)
    if not arguments.json:
        # The robot may take its time.
        print("\n".join(lines(findings, width)), flush=True)
    gateway = facts.to_robot.gateway if facts.to_robot else ""
    answers = run_until_signalled(
        robot.check(address, arguments.port, interface, gateway=gateway, start_it=arguments.start)
    )
    findings += answers
    if arguments.json:
        print(json.dumps(as_document(f"{address}:{arguments.port}", findings), indent=2))
    else:
        print("\n".join([*lines(answers, width), "", summary(findings)]))
    return 0 if is_usable(findings) else 1
