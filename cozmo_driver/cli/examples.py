"""Examples at the end of a command's help; a test runs each of them as it stands."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from typing import Any

_TITLE = "examples:"
_LONGEST_COMMAND = 14


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Keeps lines as they are written, and a sub-command beside what it is for."""

    def __init__(self, prog: str, **details: Any) -> None:
        super().__init__(prog, **details)
        # argparse leaves the indent of sub-commands out.
        self._action_max_length = _LONGEST_COMMAND


def add_examples(parser: argparse.ArgumentParser, *lines: str) -> None:
    """Show calls under the help of ``parser``, each a shell line like ``cozmo face list``.

    What a line does may follow as a comment: two blanks, ``#``, text.
    """
    calls = [line.split("  #", 1) for line in lines]
    width = max(len(call[0].rstrip()) for call in calls)
    parser.formatter_class = _Formatter
    parser.epilog = "\n".join([_TITLE, *(_line(call, width) for call in calls)])


def action_adder(
    parser: argparse.ArgumentParser, examples: Mapping[str, Sequence[str]]
) -> Callable[[str, str, Callable[..., Any]], argparse.ArgumentParser]:
    """Return ``add(name, text, do)``, which gives ``parser`` an action with its examples.

    ``do`` is kept as ``action`` of the parsed arguments.
    """
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)

    def add(name: str, text: str, do: Callable[..., Any]) -> argparse.ArgumentParser:
        added = actions.add_parser(name, help=text, description=text)
        add_examples(added, *examples[name])
        added.set_defaults(action=do)
        return added

    return add


def _line(call: list[str], width: int) -> str:
    text = f"  {call[0].rstrip():{width}}"
    return f"{text}  # {call[1].strip()}" if len(call) > 1 else text.rstrip()


def examples_of(parser: argparse.ArgumentParser) -> list[str]:
    """Return the lines that the help of ``parser`` shows, without their comments."""
    _, title, text = (parser.epilog or "").partition(f"{_TITLE}\n")
    return [line.split("  #", 1)[0].strip() for line in text.splitlines()] if title else []
