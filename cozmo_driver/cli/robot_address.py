"""Where the robot is: the arguments of every sub-command that talks to one."""

from __future__ import annotations

import argparse

from .errors import CommandError

DEFAULT_ROBOT = "172.31.1.1"


def add_address(parser: argparse._ActionsContainer) -> None:
    """Declare address, port and network adapter."""
    add = parser.add_argument
    add("--robot", default=DEFAULT_ROBOT, metavar="ADDRESS", help="default %(default)s")
    add("--port", type=int, default=5551, help="UDP port of the robot (default %(default)s)")
    add_network_interface(parser)


def add_network_interface(parser: argparse._ActionsContainer) -> None:
    """Declare the network adapter alone."""
    parser.add_argument(
        "--network-interface",
        default="",
        metavar="NAME",
        help="the adapter towards the robot",
    )


def check_port(port: int) -> None:
    """Raise ``CommandError`` for what is no port of a robot."""
    if not 1 <= port <= 65535:
        raise CommandError(f"--port {port}: a port is from 1 to 65535", 2)
