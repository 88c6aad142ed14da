"""What every sub-command uses: its error, examples in the help, the robot's address."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

DEFAULT_ROBOT = "172.31.1.1"
_EXAMPLES = "examples:"
_LONGEST_COMMAND = 14


class CommandError(Exception):
    """What went wrong and what to do, in one line; ends the command with ``exit_code``.

    That is 1 for what failed and 2 for a wrong call.
    """

    def __init__(self, text: str, exit_code: int = 1) -> None:
        super().__init__(text)
        self.exit_code = exit_code


@contextmanager
def as_command_error(*kinds: type[Exception], exit_code: int = 1) -> Iterator[None]:
    """End the command with the text of an error of a layer below."""
    try:
        yield
    except kinds as error:
        raise CommandError(str(error), exit_code) from error


def check_suffix(path: Path, *kinds: str) -> None:
    """Refuse the name of a file that is of no kind that can be written or read."""
    if path.suffix.lower() not in kinds:
        raise CommandError(f"{path}: name a {' or a '.join(kinds)}", 2)


def print_result(arguments: argparse.Namespace, content: object, lines: Iterable[str]) -> None:
    """Print ``content`` where ``--json`` is given, and lines for people else."""
    print(json.dumps(content, indent=1) if arguments.json else "\n".join(lines))


def counted(number: int, one: str, several: str = "") -> str:
    """Return ``1 entry`` or ``2 entries``; ``several`` is ``one`` and an s by default."""
    return f"{number} {one if number == 1 else several or one + 's'}"


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Keeps lines as they are written, and a sub-command beside what it is for."""

    def __init__(self, prog: str, **details: Any) -> None:
        super().__init__(prog, **details)
        # argparse leaves the indent of sub-commands out.
        self._action_max_length = _LONGEST_COMMAND


def add_examples(parser: argparse.ArgumentParser, *lines: str) -> None:
    """Show calls under the help of ``parser``, each a shell line like ``cozmo face list``.

    What a line does may follow as a comment: two blanks, ``#``, text. A test runs each line.
    """
    calls = [line.partition("  #") for line in lines]
    width = max(len(call.rstrip()) for call, _, _ in calls)
    shown = (
        f"  {call.rstrip():{width}}  # {comment.strip()}" if mark else f"  {call}"
        for call, mark, comment in calls
    )
    parser.formatter_class = _Formatter
    parser.epilog = "\n".join([_EXAMPLES, *shown])


def examples_of(parser: argparse.ArgumentParser) -> list[str]:
    """Return the lines that the help of ``parser`` shows, without their comments."""
    _, title, text = (parser.epilog or "").partition(f"{_EXAMPLES}\n")
    return [line.split("  #", 1)[0].strip() for line in text.splitlines()] if title else []


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


def run_action(arguments: argparse.Namespace) -> int:
    """Run what ``action_adder`` kept; return its exit code."""
    return int(arguments.action(arguments))


def add_number(
    parser: argparse._ActionsContainer,
    name: str,
    default: float,
    text: str,
    metavar: str = "",
    **limits: float,
) -> None:
    """Declare an option for a number of the default's type; its help ends with the default."""
    parser.add_argument(
        name,
        type=within(type(default), name, **limits) if limits else type(default),
        default=default,
        metavar=metavar or None,
        help=f"{text} (default %(default)g)",
    )


def within(
    kind: type[float],
    name: str,
    low: float = -math.inf,
    high: float = math.inf,
    above: float = -math.inf,
) -> Callable[[str], float]:
    """Return the argparse type of a finite number within limits; ``above`` is outside of them."""

    def number(word: str) -> float:
        value = kind(word)
        if low <= value <= high and above < value < math.inf:
            return value
        limits = f"{low:g} or more" if high == math.inf else f"from {low:g} to {high:g}"
        limits = limits if above == -math.inf else f"more than {above:g}"
        raise CommandError(f"{name} {word}: it is {limits}", 2)

    # In errors about what is no number at all.
    number.__name__ = kind.__name__
    return number


def add_address(parser: argparse._ActionsContainer) -> None:
    """Declare the robot's address and port, and the network adapter towards it."""
    add = parser.add_argument
    add("--robot", default=DEFAULT_ROBOT, metavar="ADDRESS", help="default %(default)s")
    add_number(parser, "--port", 5551, "UDP port of the robot", low=1, high=65535)
    add_network_interface(parser)


def add_directory(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--directory",
        type=Path,
        metavar="DIR",
        help="where imported assets are kept instead of ~/.local/share/cozmo",
    )


def add_network_interface(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--network-interface",
        default="",
        metavar="NAME",
        help="the adapter towards the robot",
    )
