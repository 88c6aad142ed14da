"""``cozmo emulator``: an emulated robot on UDP until it is interrupted."""

from __future__ import annotations

import argparse
import asyncio
import errno
import json
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from ..emulator import (
    COMMANDS,
    DEFAULT_HARDWARE,
    DEFAULT_PORT,
    DEFAULT_SERIAL,
    HARDWARE,
    WIFI,
    Command,
    CommandRefused,
    ControlError,
    ControlServer,
    EmulatorOptions,
    EmulatorServer,
    Identity,
    ImageEffects,
    ImpairmentOptions,
    World,
    ask,
    find_world,
    load_layout,
    occupancy_map,
    socket_path,
    write_map,
)
from ..signals import on_signals
from .common import CommandError, add_examples, add_number, as_command_error, check_suffix
from .completion import complete_with, world_names
from .emulator_view import STDOUT, TERMINAL, Outputs, Print


def configure(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--host", default="127.0.0.1", help="address to listen on (default %(default)s)")
    add_number(parser, "--port", DEFAULT_PORT, "UDP port, 0 for any free one")
    add_number(parser, "--seed", 0, "of every random number")
    text = "start on the charger; on that of a world only the first robot does"
    add("--on-charger", action="store_true", help=text)
    world = add(
        "--world",
        metavar="NAME|FILE",
        help="where the robot is: table, room, maze or a world file (default: an endless floor)",
    )
    complete_with(world, world_names)
    add(
        "--hardware",
        choices=HARDWARE,
        default=DEFAULT_HARDWARE,
        help="which of two measured robots it errs like (default %(default)s)",
    )
    add(
        "--ideal",
        "--no-noise",
        action="store_true",
        help="nothing random and no errors of this robot's own; what every robot does stays",
    )
    add(
        "--like",
        type=Path,
        metavar="REPORT",
        help="a report.json of cozmo checkup, or its folder: err as that robot instead",
    )
    text = "how much it shakes as it drives, 1 for as measured, 0 to 10"
    add_number(parser, "--shaking", 1.0, text, "FACTOR", low=0.0, high=10.0)
    add(
        "--serial",
        type=_serial,
        default=DEFAULT_SERIAL,
        metavar="HEX|N",
        help="serial number of its head, counted up for more robots: each number is a robot with "
        f"errors of its own (default {DEFAULT_SERIAL:#x})",
    )
    text = "how far pictures of a world are from ideal ones, 0 to 3"
    add_number(parser, "--image-effects", 1.0, text, "FACTOR")
    text = "as always, unless --ideal; for older scripts"
    for name in ("--rolling-shutter", "--motion-blur"):
        add(name, action="store_true", help=text)
    add_number(parser, "--speed", 1.0, "how fast time passes for the robot, 0.1 to 100", "FACTOR")
    text = "robots in the world, each on its own port, counted up from --port"
    add_number(parser, "--robots", 1, text, "COUNT", low=1, high=8)
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
        "cozmo emulator --world room --on-charger --view view  # open view/index.html",
        "cozmo emulator --robots 2 --port 5561  # on the ports 5561 and 5562",
        "cozmo emulator --loss 0.1 --latency-ms 30 --seed 7",
        "cozmo emulator --wifi home",
    )
    parser.set_defaults(control=None)
    commands = parser.add_subparsers(title="commands", metavar="ctl|map")
    text = "do something to the robot of a running emulator, or ask how it is"
    _configure_control(commands.add_parser("ctl", help=text, description=text))
    text = "write a world as a map for Nav2: a .yaml file and the picture beside it"
    _configure_map(commands.add_parser("map", help=text, description=text))


def _serial(word: str) -> int:
    """Return a serial number: 0x45a1b2c3, or a decimal number."""
    try:
        serial = int(word, 0)
    except ValueError:
        serial = 0
    if not 0 < serial < 1 << 32:
        raise CommandError(f"--serial {word}: it is a number from 1 to 0xffffffff", 2)
    return serial


def _add_link(parser: argparse.ArgumentParser) -> None:
    link = parser.add_argument_group("a bad link, both ways")
    for name, meaning in (
        ("loss", "lost"),
        ("duplicate", "doubled"),
        ("reorder", "overtaken by others"),
    ):
        text = f"share of datagrams that are {meaning}, 0 to 1"
        add_number(link, f"--{name}", 0.0, text, "SHARE", low=0.0, high=1.0)
    add_number(link, "--latency-ms", 0.0, "one way", "MS")
    link.add_argument(
        "--wifi",
        choices=WIFI,
        help="stalls, bursts of loss, changes of address as of a Wi-Fi at home, besides the others",
    )


def run(arguments: argparse.Namespace) -> int:
    if arguments.control is not None:
        return int(arguments.control(arguments))
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
    with as_command_error(ValueError, exit_code=2):
        layout = load_layout(find_world(arguments.world)) if arguments.world else None
        world = World(layout, seed=arguments.seed, ideal=arguments.ideal)
        effects = arguments.image_effects
        own: dict[str, Any] = {"hardware": arguments.hardware, "shaking": arguments.shaking}
        if arguments.like is not None:
            # Rarely needed, and slow to import.
            from .twin import twin_options

            own |= twin_options(arguments.like)
        link = ImpairmentOptions(
            loss=arguments.loss,
            duplicate=arguments.duplicate,
            reorder=arguments.reorder,
            latency=arguments.latency_ms / 1000.0,
        )
        return [
            EmulatorServer(
                EmulatorOptions(
                    **own,
                    seed=arguments.seed + index,
                    on_charger=arguments.on_charger,
                    ideal=arguments.ideal,
                    identity=Identity(head_serial=(arguments.serial + index) % (1 << 32)),
                    image_effects=ImageEffects(effects, effects),
                ),
                host=arguments.host,
                port=arguments.port and arguments.port + index,
                uplink=link,
                downlink=link,
                wifi=WIFI.get(arguments.wifi),
                world=world,
                speed=arguments.speed,
            )
            for index in range(arguments.robots)
        ]


async def _serve(servers: list[EmulatorServer], outputs: Outputs, speed: float) -> None:
    stop = asyncio.Event()
    on_signals(lambda _: stop.set())
    async with AsyncExitStack() as stack:
        for server in servers:
            stack.push_async_callback(server.stop)
            await _start(server)
            await _open_control(server, stack)
            outputs.print(f"Cozmo emulator on {server.host}:{server.port}")
            server.on_change = _ConnectionLog(server, outputs.print).update
        for task in outputs.start(servers, speed):
            stack.callback(task.cancel)
        await stop.wait()


async def _open_control(server: EmulatorServer, stack: AsyncExitStack) -> None:
    """Open the control socket; without one the robot works all the same."""
    try:
        control = ControlServer(server.control, socket_path(server.host, server.port))
        await control.start()
    except ControlError as error:
        print(f"cozmo emulator ctl will not work: {error}", file=sys.stderr, flush=True)
    else:
        stack.push_async_callback(control.stop)


async def _start(server: EmulatorServer) -> None:
    try:
        await server.start()
    except ValueError as error:
        raise CommandError(str(error), 2) from error
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise CommandError(
                f"UDP port {server.port} of {server.host} is in use: stop the other program or "
                "choose another port with --port"
            ) from None
        raise CommandError(f"cannot listen on {error.strerror}") from error


class _ConnectionLog:
    """Prints a line whenever an engine comes or goes, or time was lost."""

    def __init__(self, server: EmulatorServer, show: Print) -> None:
        self._server, self._print = server, show
        self._sessions = 0
        self._connected = False
        self._told = 0.0

    def update(self) -> None:
        if self._server.lost_time >= self._told + 5.0:
            self._told = self._server.lost_time
            self._print(f"too much for this computer: the robot lost {self._told:.1f} s so far")
        core = self._server.firmware.core
        connected, was_connected = self._server.firmware.connected, self._connected
        if (core.sessions, connected) == (self._sessions, was_connected):
            return
        self._sessions, self._connected = core.sessions, connected
        if was_connected or not connected:
            reason = core.last_disconnect.value if core.last_disconnect else "unknown"
            self._print(f"disconnected: {reason}")
        if connected and self._server.peer is not None:
            host, port = self._server.peer
            self._print(f"connected: {host}:{port}")


def _configure_control(parser: argparse.ArgumentParser) -> None:
    """Declare a sub-command for each command of the emulator."""
    # Also understood before ``ctl``, where they have their defaults.
    parser.add_argument("--host", default=argparse.SUPPRESS, help="of the emulator")
    parser.add_argument(
        "--port", type=int, default=argparse.SUPPRESS, help="UDP port of the emulator"
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="do", required=True)
    for name, command in COMMANDS.items():
        one = commands.add_parser(name, help=command.meaning, description=command.meaning)
        _declare(one, command)
    parser.set_defaults(control=_control)
    add_examples(
        parser,
        "cozmo emulator ctl status  # of the robot that cozmo emulator runs",
        "cozmo emulator ctl charger on",
        "cozmo emulator ctl tap 1  # cube 1, as a finger does",
        "cozmo emulator ctl --port 5562 pickup  # another robot",
    )


def _declare(parser: argparse.ArgumentParser, command: Command) -> None:
    for value in command.values:
        default = "" if value.default is None else f" (default {value.default})"
        details: dict[str, Any] = {"help": f"{value.meaning}{default}"}
        if value.choices:
            details["choices"] = value.choices
        else:
            details["type"] = int if value.whole else float
            details["metavar"] = value.name.upper()
        if value.optional or value.default is not None:
            details["nargs"] = "?"
        parser.add_argument(value.name, **details)


def _control(arguments: argparse.Namespace) -> int:
    command = COMMANDS[arguments.do]
    given = {value.name: getattr(arguments, value.name) for value in command.values}
    request = {"do": arguments.do, **{k: v for k, v in given.items() if v is not None}}
    try:
        answer = ask(socket_path(arguments.host, arguments.port), request)
    except CommandRefused as error:
        raise CommandError(f"{arguments.do}: {error}") from error
    except ControlError as error:
        raise CommandError(f"port {arguments.port} of {arguments.host}: {error}") from error
    if answer:
        print(json.dumps(answer, indent=2))
    return 0


def _configure_map(parser: argparse.ArgumentParser) -> None:
    world = parser.add_argument(
        "world_of_map", metavar="NAME|FILE", help="table, room, maze or a file"
    )
    complete_with(world, world_names)
    add_number(parser, "--resolution", 0.01, "m per cell", "M")
    parser.add_argument(
        "--output", metavar="FILE", help="file to write (default: NAME.yaml in this folder)"
    )
    parser.set_defaults(control=_map)
    add_examples(
        parser,
        "cozmo emulator map room  # room.yaml and room.png",
        "cozmo emulator map maze --resolution 0.005 --output fine.yaml",
    )


def _map(arguments: argparse.Namespace) -> int:
    with as_command_error(ValueError, exit_code=2):
        layout = load_layout(find_world(arguments.world_of_map))
        occupancy = occupancy_map(layout, arguments.resolution)
    file = Path(arguments.output or f"{layout.name}.yaml")
    check_suffix(file, ".yaml")
    try:
        picture = write_map(occupancy, file)
    except OSError as error:
        raise CommandError(f"cannot write the map {file}: {error.strerror}") from error
    rows, columns = occupancy.cells.shape
    print(f"{file} and {picture}: {columns} x {rows} cells of {occupancy.resolution:g} m")
    return 0
