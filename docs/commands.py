"""``python -m docs.commands``: write the table of docs/cli.md from the parsers of ``cozmo``."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from cozmo_driver.cli.common import examples_of
from cozmo_driver.cli.main import COMMANDS, parser_for

PAGE = Path(__file__).parent / "cli.md"
BEGIN, END = "<!-- made by: python -m docs.commands -->\n", "<!-- end -->\n"

Related = tuple[argparse.ArgumentParser, argparse.ArgumentParser | None]
"""A parser, and the one that it is an action of."""


def command_parsers() -> list[Related]:
    """Return the parser of every command and of every action, in the order of the help."""
    found: list[Related] = []
    for name in COMMANDS:
        parser = dict(_actions_of(parser_for([name])))[name]
        found += [(parser, None), *_below(parser)]
    return found


def is_action(parser: argparse.ArgumentParser) -> bool:
    """Tell whether a parser does something itself, instead of having actions that do."""
    return not any(group.required for group in _groups(parser))


def _groups(parser: argparse.ArgumentParser) -> Iterator[argparse._SubParsersAction]:  # type: ignore[type-arg]
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield action


def _actions_of(
    parser: argparse.ArgumentParser,
) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for group in _groups(parser):
        yield from group.choices.items()


def _below(parser: argparse.ArgumentParser) -> Iterator[Related]:
    for _, child in _actions_of(parser):
        yield child, parser
        yield from _below(child)


def _purpose(parser: argparse.ArgumentParser, parent: argparse.ArgumentParser | None) -> str:
    """Return what the overview says of it."""
    name = parser.prog.split()[-1]
    if parent is None:
        return COMMANDS[name]
    helps = (one for group in _groups(parent) for one in group._get_subactions())
    return next(one.help or "" for one in helps if one.dest == name)


def table() -> str:
    """Return a row for everything whose help has examples."""
    rows = ["| command | what it is for | `--json` |", "|---|---|---|"]
    for parser, parent in command_parsers():
        if examples_of(parser):
            machine = "yes" if "--json" in parser._option_string_actions else ""
            rows.append(f"| `{parser.prog}` | {_purpose(parser, parent)} | {machine} |")
    return "\n".join(rows) + "\n"


def page() -> str:
    """Return docs/cli.md with the table of today."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    return f"{before}{BEGIN}\n{table()}\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
