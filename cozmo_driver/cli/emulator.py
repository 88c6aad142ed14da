"""``cozmo emulator``: an emulated robot on UDP until it is interrupted."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys

from ..emulator import (
    DEFAULT_PORT,
    EmulatorOptions,
    EmulatorServer,
    ImpairmentOptions,
    PortTaken,
)
from ..emulator.control import ControlError, ControlServer, socket_path
from ..emulator.world import World, find_world, load_layout
from . import emulator_control, emulator_map
from .completers import complete_with, world_names
from .emulator_view import STDOUT, TERMINAL, Outputs, Print
from .errors import CommandError
from .examples import add_examples

_MOST_ROBOTS = 8


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    add("--host", default="127.0.0.1", help="address to listen on (default %(default)s)")
    add(
        "--port",
        type=int,
        default=DEFAULT_PORT,
        help="UDP port, 0 for any free one (default %(default)s)",
    )
    add("--seed", type=int, default=0, help="of every random number (default %(default)s)")
    add("--on-charger", action="store_true", help="start on the charger")
    world = add(
        "--world",
        metavar="NAME|FILE",
        help="where the robot is: table, room, maze or a world file (default: an endless floor)",
    )
    complete_with(world, world_names)
    add("--no-noise", action="store_true", help="exact sensors, and treads that never slip")
    add(
        "--speed",
        type=float,
        default=1.0,
        metavar="FACTOR",
        help="how fast time passes for the robot, 0.1 to 100 (default 1)",
    )
    add(
        "--robots",
        type=int,
        default=1,
        metavar="COUNT",
        help="robots in the world, each on its own port, counted up from --port (default 1)",
    )
    add(
        "--view",
        metavar=f"FOLDER|{TERMINAL}",
        help="keep the world from above, camera, face and sounds up to date in a folder, with an "
        f"index.html for a browser; {TERMINAL}: show face and camera there",
    )
    add(
        "--truth",
        nargs="?",
        const=STDOUT,
        metavar="FILE",
        help="write ten lines of JSON a second: where robots, cameras, cubes and charger really "
        "are, in m and rad (default: to the output)",
    )
    _add_link(parser)
    add_examples(
        parser,
        "cozmo emulator  # then: cozmo face show Happiness --robot 127.0.0.1",
        "cozmo emulator --world room --on-charger --view view  # look at view/index.html",
        "cozmo emulator --robots 2 --port 5561  # on the ports 5561 and 5562",
        "cozmo emulator --loss 0.1 --latency-ms 30 --seed 7",
    )
    parser.set_defaults(control=None)
    commands = parser.add_subparsers(title="commands", metavar="ctl|map")
    emulator_control.configure(
        commands.add_parser("ctl", help=emulator_control.HELP, description=emulator_control.HELP)
    )
    emulator_map.configure(
        commands.add_parser("map", help=emulator_map.HELP, description=emulator_map.HELP)
    )


def _add_link(parser: argparse.ArgumentParser) -> None:
    link = parser.add_argument_group("a bad link, both ways")
    for name, meaning in (
        ("loss", "lost"),
        ("duplicate", "doubled"),
        ("reorder", "overtaken by others"),
    ):
        link.add_argument(
            f"--{name}",
            type=float,
            default=0.0,
            metavar="SHARE",
            help=f"share of datagrams that are {meaning}, 0 to 1 (default 0)",
        )
    link.add_argument(
        "--latency-ms", type=float, default=0.0, metavar="MS", help="one way (default 0)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Serve until SIGINT or SIGTERM; return 0."""
    if arguments.control is not None:
        return int(arguments.control(arguments))
    if not 1 <= arguments.robots <= _MOST_ROBOTS:
        raise CommandError(f"--robots {arguments.robots}: it is from 1 to {_MOST_ROBOTS}", 2)
    if not 0 <= arguments.port <= 65536 - arguments.robots:
        raise CommandError(f"--port {arguments.port}: a port is from 0 to 65535", 2)
    servers = _servers(arguments)
    outputs = Outputs(arguments.view, arguments.truth, len(servers))
    try:
        asyncio.run(_serve(servers, outputs, arguments.speed))
    finally:
        outputs.close()
    return 0


def _servers(arguments: argparse.Namespace) -> list[EmulatorServer]:
    """Return a server for each robot, all in one world."""
    noise = not arguments.no_noise
    try:
        layout = load_layout(find_world(arguments.world)) if arguments.world else None
        world = World(layout, seed=arguments.seed, noise=noise)
        link = ImpairmentOptions(
            loss=arguments.loss,
            duplicate=arguments.duplicate,
            reorder=arguments.reorder,
            latency=arguments.latency_ms / 1000.0,
        )
        return [
            EmulatorServer(
                EmulatorOptions(
                    seed=arguments.seed + index, on_charger=arguments.on_charger, noise=noise
                ),
                host=arguments.host,
                port=arguments.port and arguments.port + index,
                uplink=link,
                downlink=link,
                world=world,
                speed=arguments.speed,
            )
            for index in range(arguments.robots)
        ]
    except ValueError as error:
        raise CommandError(str(error), 2) from error


async def _serve(servers: list[EmulatorServer], outputs: Outputs, speed: float) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    controls: list[ControlServer] = []
    writers: list[asyncio.Task[None]] = []
    try:
        for server in servers:
            await _start(server)
            await _listen_to_ctl(server, controls)
            outputs.print(f"Cozmo emulator on {server.host}:{server.port}")
            server.on_change = _Reporter(server, outputs.print).look
        writers = outputs.begin(servers, speed)
        await stop.wait()
    finally:
        for writer in writers:
            writer.cancel()
        for control in controls:
            await control.stop()
        for server in servers:
            await server.stop()


async def _listen_to_ctl(server: EmulatorServer, controls: list[ControlServer]) -> None:
    """Open the control socket; without one the robot works all the same."""
    try:
        control = ControlServer(server.control, socket_path(server.host, server.port))
        await control.start()
    except ControlError as error:
        print(f"cozmo emulator ctl will not work: {error}", file=sys.stderr, flush=True)
    else:
        controls.append(control)


async def _start(server: EmulatorServer) -> None:
    try:
        await server.start()
    except PortTaken:
        raise CommandError(
            f"UDP port {server.port} of {server.host} is in use: stop the other program or choose "
            "another port with --port"
        ) from None
    except ValueError as error:
        raise CommandError(str(error), 2) from error
    except OSError as error:
        raise CommandError(
            f"cannot listen on {server.host}, port {server.port}: {error.strerror or error}"
        ) from error


class _Reporter:
    """Prints a line whenever an engine comes or goes."""

    def __init__(self, server: EmulatorServer, show: Print) -> None:
        """Watch a server on which nobody is connected."""
        self._server, self._print = server, show
        self._reported = 0
        self._connected = False

    def look(self) -> None:
        """Report what has changed."""
        core = self._server.firmware.core
        connected = self._server.firmware.connected
        if (core.sessions, connected) == (self._reported, self._connected):
            return
        if self._connected or not connected:
            reason = core.last_disconnect.value if core.last_disconnect else "unknown"
            self._print(f"disconnected: {reason}")
        if connected and self._server.peer is not None:
            host, port = self._server.peer
            self._print(f"connected: {host}:{port}")
        self._reported, self._connected = core.sessions, connected
