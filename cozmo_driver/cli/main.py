"""The ``cozmo`` command: sub-commands in modules that are imported when they are needed."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType

from .. import __version__
from ..installation import pip_install
from .common import CommandError, add_examples, run_action

COMMANDS = {
    "anim": "list, show, draw, convert and play animations",
    "behavior": "show what the personality is made of, and why it does what it does",
    "calibrate": "measure how a robot drives, turns and looks, by one cube (it moves)",
    "checkup": "find out step by step what of a robot works, and make a report to send",
    "completion": "print what makes the Tab key of a shell complete this command",
    "decode": "show recorded traffic frame by frame and message by message",
    "doctor": "check what keeps a robot from being driven, and suggest remedies",
    "dump": "show every message of a capture, or of what passes on a network interface",
    "emulator": "run an emulated robot",
    "face": "list, draw and show expressions of the face",
    "info": "show the identity and the state of a robot",
    "linktest": "measure the link to a robot (changes its volume, moves nothing)",
    "map": "learn where printed tags are, to know where a robot is by them; draw that",
    "mcp": "let an assistant see and act through a robot, by the Model Context Protocol",
    "nv": "list, read, save, restore and change what a robot keeps in its storage",
    "people": "list and delete whom the robot knows by their faces",
    "record": "keep a session as a pcap file, by a relay between engine and robot",
    "replay": "play a recorded session again, to a robot or as a robot",
    "resources": "import, show or remove the assets of the official app",
    "run": "run a program for the maker's SDK or for PyCozmo",
    "songs": "list, sing, draw and import songs, and dance (the robot moves)",
    "trace": "show a session over time: frames, resends, round trips, losses",
    "update": "install firmware on a robot, or only check a file",
    "vision": "find cubes in images and enrol them",
    "wifi": "find, join and leave the Wi-Fi of a robot, by NetworkManager",
}
"""Each sub-command and what it is for.

The module of the same name beside this file has ``configure(parser)``, which declares arguments
and examples, and ``run(arguments) -> exit code`` unless it leaves that to its actions.
"""

_INTERRUPTED = 130
_BROKEN_PIPE = 141


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code: 0 done, 1 failed, 2 called wrongly."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            # The caller has closed it: what is printed has no reader.
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Names of files need not be Unicode, and not every terminal shows all of it.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        if arguments is None and "_ARGCOMPLETE" in os.environ:
            from .completion import complete

            complete(parser_for)
        parsed = parser_for(given).parse_args(given)
        code = int(parsed.run(parsed))
        sys.stdout.flush()
    except CommandError as error:
        return _fail(given, str(error), error.exit_code)
    except BrokenPipeError:
        # Whoever read our output has gone; what is left in the buffer has no reader.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _BROKEN_PIPE
    except ModuleNotFoundError as error:
        if (error.name or "").startswith(__package__.partition(".")[0]):
            raise
        name = (error.name or "").partition(".")[0]
        text = f"this needs the Python package {name}; install it: {pip_install(name)}"
        return _fail(given, text, 1)
    except OSError as error:
        reason = error.strerror or str(error)
        return _fail(given, f"{error.filename}: {reason}" if error.filename else reason, 1)
    except EOFError:
        return _fail(given, "the input ended before the question was answered", 1)
    except KeyboardInterrupt:
        return _INTERRUPTED
    return code


def checkup() -> int:
    """Run ``cozmo checkup`` as a program of its own: ``ros2 run cozmo_driver checkup``."""
    return main(["checkup", *sys.argv[1:]])


def parser_for(given: Sequence[str]) -> argparse.ArgumentParser:
    """Return a parser for these words: only the command that they name is imported."""
    parser = argparse.ArgumentParser(
        prog="cozmo", description="Tools for the robot Cozmo that need no ROS."
    )
    add_examples(
        parser,
        "cozmo doctor  # when no robot answers",
        "cozmo emulator  # a robot to try everything with",
        "cozmo info",
        "cozmo face show Surprise",
    )
    parser.add_argument("--version", action="version", version=f"cozmo_driver {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    named = next((word for word in given if not word.startswith("-")), None)
    for name, purpose in COMMANDS.items():
        command = commands.add_parser(name, help=purpose, description=purpose)
        if name == named:
            module: ModuleType = import_module(f"{__package__}.{name}")
            module.configure(command)
            command.set_defaults(run=getattr(module, "run", run_action))
    return parser


def _fail(given: Sequence[str], text: str, code: int) -> int:
    name = next((word for word in given if word in COMMANDS), None)
    print(f"cozmo {name}: {text}" if name else f"cozmo: {text}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
