"""Names that the Tab key offers; see ``completion.py``."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from typing import Any


def complete_with(action: argparse.Action, names: Callable[[], Iterable[str]]) -> None:
    """Offer names for an argument; they are looked for when the key is pressed."""

    def offer(**_: Any) -> Iterable[str]:
        return names()

    action.completer = offer  # type: ignore[attr-defined]


def clip_names() -> Iterable[str]:
    """Return the names of triggers, groups and clips that can be played."""
    from ..animation.assets import load_assets

    library = load_assets("").library
    return [*library.triggers, *library.groups, *library.clips.names]


def expression_names() -> Iterable[str]:
    """Return the names of the expressions of the face."""
    from ..face.expressions import EXPRESSIONS

    return [one.name for one in EXPRESSIONS]


def world_names() -> Iterable[str]:
    """Return the names of the emulator's own worlds."""
    from ..emulator.world.layout_file import known_worlds

    return known_worlds()


def message_names() -> Iterable[str]:
    """Return the names of all messages."""
    from ..protocol import messages

    return messages.__all__
