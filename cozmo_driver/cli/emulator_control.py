"""``cozmo emulator ctl``: do something to the robot of a running emulator."""

from __future__ import annotations

import argparse
import json
from typing import Any

from ..emulator.commands import COMMANDS, Command, CommandRefused, Value
from ..emulator.control import ControlError, ask, socket_path
from .errors import CommandError
from .examples import add_examples

HELP = "do something to the robot of a running emulator, or ask how it is"


def configure(parser: argparse.ArgumentParser) -> None:
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
    parser.set_defaults(control=run)
    add_examples(
        parser,
        "cozmo emulator ctl status  # of the robot that cozmo emulator runs",
        "cozmo emulator ctl charger on",
        "cozmo emulator ctl tap 1  # cube 1, as a finger does",
        "cozmo emulator ctl --port 5562 pickup  # another robot",
    )


def _declare(parser: argparse.ArgumentParser, command: Command) -> None:
    for value in command.values:
        details: dict[str, Any] = {"help": _meaning(value)}
        if value.choices:
            details["choices"] = value.choices
        else:
            details["type"] = int if value.whole else float
            details["metavar"] = value.name.upper()
        if value.optional or value.default is not None:
            details["nargs"] = "?"
        parser.add_argument(value.name, **details)


def _meaning(value: Value) -> str:
    if value.default is None:
        return value.meaning
    return f"{value.meaning} (default {value.default})"


def run(arguments: argparse.Namespace) -> int:
    """Ask once; print what the emulator tells as JSON; return 0."""
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
