"""``cozmo run``: run a program for the maker's SDK or for PyCozmo."""

from __future__ import annotations

import argparse
import os
import sys
import threading
from pathlib import Path

from ..compat import ProgramError, RunOptions, check_program, run_old_program
from .common import CommandError, add_examples, add_number, as_command_error
from .completion import complete_with, world_names

_INTERRUPTED = 130


def configure(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--robot",
        action="append",
        default=[],
        metavar="ADDRESS[:PORT]",
        help="where the robot is; again for each further one (default 172.31.1.1:5551)",
    )
    add("--emulator", action="store_true", help="start an emulated robot for the program")
    world = add(
        "--world",
        metavar="NAME|FILE",
        help="as --emulator, in a world: table, room, maze or a file (default: an endless floor)",
    )
    complete_with(world, world_names)
    add("--ideal", action="store_true", help="as --emulator, without any errors")
    add("--on-charger", action="store_true", help="as --emulator, standing on the charger")
    add_number(parser, "--robots", 1, "emulated robots in the world", "COUNT", low=1, high=8)
    add_number(parser, "--seed", 0, "of every random number of the emulator")
    add("--no-pictures", action="store_true", help="no page with what the robot sees")
    add("--check", action="store_true", help="only tell what of the program is missing here")
    add("program", type=Path, metavar="PROGRAM", help="a Python file")
    add("arguments", nargs=argparse.REMAINDER, metavar="ARGUMENT", help="of the program")
    add_examples(
        parser,
        "cozmo run --emulator hello_world.py",
        "cozmo run --world room --ideal hello_world.py loud  # loud is the program's own argument",
        "cozmo run --check hello_world.py  # nothing moves",
    )


def run(arguments: argparse.Namespace) -> int:
    if arguments.check:
        return _check(arguments.program)
    wants_emulator = arguments.emulator or arguments.ideal or arguments.on_charger
    is_emulated = bool(wants_emulator or arguments.world or arguments.robots > 1)
    if is_emulated and arguments.robot:
        raise CommandError("give --robot, or what begins an emulator, not both", 2)
    options = RunOptions(
        arguments.program,
        arguments.arguments,
        arguments.robot,
        is_emulated,
        arguments.world or "",
        arguments.ideal,
        arguments.on_charger,
        arguments.robots,
        arguments.seed,
        not arguments.no_pictures,
    )
    with as_command_error(ProgramError, exit_code=2):
        code = run_old_program(options)
    left = set(threading.enumerate()) - {threading.main_thread()}
    if code == _INTERRUPTED and any(not thread.daemon for thread in left):
        # The interpreter would wait for the program's threads, which were to be left behind.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    return code


def _check(program: Path) -> int:
    try:
        findings = check_program(program)
    except SyntaxError as error:
        raise CommandError(f"{program}:{error.lineno}: {error.msg}", 2) from error
    for finding in findings:
        print(f"{program}:{finding.line}: {finding.name}: {finding.text}")
    return int(any(finding.is_missing for finding in findings))
