"""``cozmo mcp``: a robot's abilities for an assistant, by the Model Context Protocol."""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import socket
from importlib.util import find_spec
from pathlib import Path

from ..animation import load_assets
from ..installation import pip_install
from ..robot import CameraOptions, Robot, RobotOptions
from . import one_robot
from .common import CommandError, add_examples, add_number, as_command_error
from .signals import run_until_signalled

_SPEED, _DISTANCE, _MAX_DISTANCE = 0.1, 0.5, 10.0
_HOST = "127.0.0.1"


def configure(parser: argparse.ArgumentParser) -> None:
    add_examples(
        parser,
        "cozmo mcp  # as an MCP client starts it",
        "cozmo mcp --allow-motion --max-distance 0.2 --log mcp.log",
        "cozmo mcp --http 8765  # at http://127.0.0.1:8765/mcp",
        "cozmo mcp --ros --allow-motion  # beside a running driver, with its games and tricks",
    )
    one_robot.add_arguments(parser)
    add = parser.add_argument
    add("--allow-motion", action="store_true", help="let the robot be moved")
    add_number(parser, "--max-speed", _SPEED, "of the treads", "M/S")
    add_number(parser, "--max-distance", _DISTANCE, "of one act", "M")
    add("--ros", action="store_true", help="act through the ROS graph, beside a running driver")
    text = "of the driver on the graph, with --ros"
    add("--namespace", default="", metavar="NAME", help=f"namespace {text}")
    add("--http", type=int, metavar="PORT", help="serve HTTP on the loopback instead of stdio")
    add("--log", type=Path, metavar="FILE", help="log calls there instead of to standard error")


def run(arguments: argparse.Namespace) -> int:
    if find_spec("mcp") is None:
        raise CommandError(f"this needs the MCP SDK; install it: {pip_install('mcp')}")
    # Nothing but this command needs the SDK, and its import takes a second.
    from ..assistant import Limits, serve, serve_on_graph

    if arguments.ros and find_spec("rclpy") is None:
        raise CommandError("--ros needs ROS 2: call this in a shell where it is set up")
    if not 0.0 < arguments.max_distance <= _MAX_DISTANCE:
        raise CommandError(
            f"--max-distance {arguments.max_distance:g}: it is more than 0, at most "
            f"{_MAX_DISTANCE:g} m",
            2,
        )
    limits = Limits(arguments.allow_motion, arguments.max_speed, arguments.max_distance)
    with as_command_error(ValueError, exit_code=2):
        drive_limits = limits.drive_limits
    options = RobotOptions(
        arguments.robot,
        arguments.port,
        arguments.network_interface,
        limits=drive_limits,
        camera=CameraOptions(enabled=False, auto_exposure=True),
        volume=arguments.volume,
    )
    _set_up_log(arguments.log)
    with contextlib.ExitStack() as stack:
        listener = None
        if arguments.http is not None:
            listener = stack.enter_context(_listening(arguments.http))
            port = listener.getsockname()[1]
            print(f"serving http://{_HOST}:{port}/mcp", flush=True)
        if arguments.ros:
            return serve_on_graph(arguments.namespace, limits, listener)

        async def work() -> int:
            await serve(Robot(options), limits, load_assets(), listener)
            return 0

        return run_until_signalled(work())


def _listening(port: int) -> socket.socket:
    if not 0 <= port <= 65535:
        raise CommandError(f"--http {port}: a port is from 1 to 65535, 0 for a free one", 2)
    try:
        return socket.create_server((_HOST, port))
    except OSError as error:
        raise CommandError(f"--http {port}: {os.strerror(error.errno or 0)}") from error


def _set_up_log(path: Path | None) -> None:
    """Log to a file or to standard error; standard output is the protocol's."""
    handler = logging.StreamHandler() if path is None else logging.FileHandler(path, "a", "utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    logging.getLogger("cozmo_driver").setLevel(logging.INFO)
