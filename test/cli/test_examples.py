"""Every example of every help, run as it stands there (see ``stages``)."""

from __future__ import annotations

import argparse
import ipaddress
import shlex
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from cozmo_driver.cli import main as cli
from cozmo_driver.cli.common import examples_of
from cozmo_driver.emulator import running_emulator
from docs.commands import PAGE, command_parsers, is_action, page

from .command import COMMAND, cozmo, started
from .programs import on_path
from .stages import STAGES, Stage

HOST = "127.0.0.1"
PARSERS = command_parsers()
LINES = {line: parser for parser, _ in PARSERS for line in examples_of(parser)}


def fitting(table: Mapping[str, Any], line: str, default: Any) -> Any:
    """Return what a table has for the longest beginning of a line."""
    fits = [beginning for beginning in table if line.startswith(beginning)]
    return table[max(fits, key=len)] if fits else default


def takes_robot(parser: argparse.ArgumentParser) -> bool:
    return any("--robot" in action.option_strings for action in parser._actions)


def check_loopback(values: argparse.Namespace) -> None:
    """A test talks to nobody outside this machine."""
    for name, value in vars(values).items():
        try:
            address = ipaddress.ip_address(value if isinstance(value, str) else "")
        except ValueError:
            continue
        assert address.is_loopback, f"--{name} {value} is not on this machine"


def words_of(line: str) -> list[str]:
    """Return the arguments of the only ``cozmo`` in a line."""
    start = line.index("cozmo ") + len("cozmo ")
    end = next((i for i in range(start, len(line)) if line[i] in "|><)&;"), len(line))
    return shlex.split(line[start:end])


def run_in_shell(
    line: str, appended: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[int, str]:
    """Run a line to its end; return exit code and what it printed."""
    command = f'exec {shlex.join(COMMAND)} "$@" {appended}'
    on_path(monkeypatch, folder, cozmo=f"#!/bin/sh\n{command}\n")
    with started(line, words=["bash", "-c"], merged=True) as process:
        code, output, _ = process.end()
    return code, output


@pytest.mark.parametrize("line", LINES)
def test_an_example_of_the_help_does_what_it_says(
    line: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parser = LINES[line]
    stage = STAGES.get(parser.prog.split()[1], Stage())
    stage.prepare(folder)
    until = fitting(stage.ends, line, "")
    with ExitStack() as stack:
        appended = fitting(stage.words, line, "")
        emulator = None
        if takes_robot(parser):
            options = {"calibration_time": 0.0, **stage.emulator}
            emulator = stack.enter_context(running_emulator(**options))
            # The last one of an option counts.
            appended += f" --robot {HOST} --port {emulator.port}"
        appended += " " + stack.enter_context(stage.meanwhile(line))
        words = [*words_of(line), *appended.split()]
        check_loopback(cli.parser_for(words).parse_args(words))
        if until or not set("|><)&;") & set(line):
            done = cozmo(*words, until=until)
            code, output = done.returncode, done.stdout + done.stderr
        else:
            code, output = run_in_shell(line, appended, folder, monkeypatch)
        is_alone = emulator is None or line.startswith(tuple(stage.offline))
        sessions = 1 if is_alone else emulator.state().sessions
    assert code == fitting(stage.codes, line, 0), output
    assert sessions > 0, output


@pytest.mark.parametrize(("parser", "parent"), PARSERS, ids=[parser.prog for parser, _ in PARSERS])
def test_every_help_has_examples_or_belongs_to_one_that_has(
    parser: argparse.ArgumentParser, parent: argparse.ArgumentParser | None
) -> None:
    examples = examples_of(parser)
    if is_action(parser):
        assert examples or (parent and examples_of(parent)), "call add_examples"
    if examples:
        text = parser.format_help()
        assert all(f"\n  {line}" in text for line in examples)


def test_the_page_about_the_command_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "call: make docs"
