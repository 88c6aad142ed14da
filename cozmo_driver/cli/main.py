"""The ``cozmo`` command: sub-commands in modules that are imported when they are needed."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType

from .. import __version__
from .errors import CommandError

COMMANDS = {
    "anim": "cozmo_driver.cli.anim",
    "decode": "cozmo_driver.cli.decode",
    "emulator": "cozmo_driver.cli.emulator",
    "face": "cozmo_driver.cli.face",
    "linktest": "cozmo_driver.cli.linktest",
    "resources": "cozmo_driver.cli.resources",
}
"""Name and module of each sub-command.

A module has ``HELP`` (one line), ``configure(parser)`` and ``run(arguments) -> exit code``.
"""

_INTERRUPTED = 130
_BROKEN_PIPE = 141


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code: 0 done, 1 failed, 2 called wrongly."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    try:
        parsed = _parser(given).parse_args(given)
        code = int(parsed.run(parsed))
        sys.stdout.flush()
    except CommandError as error:
        return _fail(given, str(error), error.exit_code)
    except BrokenPipeError:
        # Whoever read our output has gone; what is left in the buffer has no reader.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _BROKEN_PIPE
    except OSError as error:
        return _fail(given, _explain(error), 1)
    except KeyboardInterrupt:
        return _INTERRUPTED
    return code


def _parser(given: Sequence[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="cozmo", description="Tools for the robot Cozmo that need no ROS."
    )
    parser.add_argument("--version", action="version", version=f"cozmo_driver {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    named = next((word for word in given if not word.startswith("-")), None)
    # All are needed only for the overview and for the list of choices in an error.
    for name in [named] if named in COMMANDS else COMMANDS:
        module: ModuleType = import_module(COMMANDS[name])
        command = commands.add_parser(name, help=module.HELP, description=module.HELP)
        module.configure(command)
        command.set_defaults(run=module.run)
    return parser


def _fail(given: Sequence[str], text: str, code: int) -> int:
    name = next((word for word in given if word in COMMANDS), None)
    print(f"cozmo {name}: {text}" if name else f"cozmo: {text}", file=sys.stderr)
    return code


def _explain(error: OSError) -> str:
    reason = error.strerror or str(error)
    return f"{error.filename}: {reason}" if error.filename else reason


if __name__ == "__main__":
    sys.exit(main())
