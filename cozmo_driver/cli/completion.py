"""``cozmo completion``: the Tab key of the shell knows commands, options, names and files."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from .common import add_examples

_SHELLS = ("bash", "zsh", "fish")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=_SHELLS, help="the shell that shall complete")
    add_examples(
        parser,
        "source <(cozmo completion bash)  # in this shell; in ~/.bashrc: in every one",
        "cozmo completion zsh > _cozmo  # into a folder of $fpath",
        "cozmo completion fish > cozmo.fish  # into ~/.config/fish/completions",
    )


def run(arguments: argparse.Namespace) -> int:
    from argcomplete.shell_integration import shellcode

    text = shellcode(["cozmo"], False, arguments.shell)  # type: ignore[no-untyped-call]
    print(text)
    return 0


def complete(parser_for: Callable[[Sequence[str]], argparse.ArgumentParser]) -> None:
    import argcomplete
    from argcomplete.completers import FilesCompleter

    line = os.environ["COMP_LINE"][: int(os.environ["COMP_POINT"])]
    # The word that is being typed may become another command.
    parser = parser_for(f"{line}.".split()[1:-1])
    files: Any = FilesCompleter()  # type: ignore[no-untyped-call]

    def complete_files(action: argparse.Action, **details: Any) -> Iterable[str]:
        return files(action=action, **details) if _is_file(action) else ()

    argcomplete.autocomplete(parser, default_completer=complete_files)  # type: ignore[arg-type]


def _is_file(action: argparse.Action) -> bool:
    named = str(action.metavar or "")
    return action.type is Path or any(word in named for word in ("FILE", "FOLDER", "DIR"))


def complete_with(action: argparse.Action, names: Callable[[], Iterable[str]]) -> None:
    """Offer names for an argument; they are looked for when the key is pressed."""
    action.completer = lambda **_: names()  # type: ignore[attr-defined]


def clip_names() -> Iterable[str]:
    from ..animation import load_assets

    library = load_assets("").library
    return [*library.triggers, *library.groups, *library.clips.names]


def expression_names() -> Iterable[str]:
    from ..face import EXPRESSIONS

    return [one.name for one in EXPRESSIONS]


def world_names() -> Iterable[str]:
    from ..emulator import known_worlds

    return known_worlds()


def message_names() -> Iterable[str]:
    from ..protocol import messages

    return messages.__all__
