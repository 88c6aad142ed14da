"""Traffic for a sub-command: opened with a progress bar, errors in one line."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

from ..traffic import ROBOT_PORT, Endpoint, Traffic, TrafficError, open_file
from .common import CommandError, as_command_error
from .progress import progress_bar


@contextmanager
def opened(path: str, *, shows_progress: bool) -> Iterator[Traffic]:
    """Open a capture or recording; a bar on a terminal shows how much of it was read.

    Raises ``CommandError`` and ``OSError``, also while the traffic is read.
    """
    progress = reading(path) if shows_progress else nullcontext(lambda size: None)
    with progress as on_read, as_command_error(TrafficError), open_file(path, on_read) as traffic:
        yield traffic


@contextmanager
def reading(path: str) -> Iterator[Callable[[int], None]]:
    """Show how much of a file was read; yield ``on_read`` of ``open_file``."""
    if not os.path.isfile(path):
        yield lambda size: None
        return
    whole, done = os.path.getsize(path), 0
    with progress_bar(path) as show:

        def on_read(size: int) -> None:
            nonlocal done
            # A file replayed in a loop starts again.
            done = done + size if size else 0
            show(done, whole)

        yield on_read


def endpoint(text: str) -> Endpoint:
    """Return what ``ADDRESS[:PORT]`` names. Raises ``CommandError``."""
    address, _, number = text.partition(":")
    if not number:
        return Endpoint(address, ROBOT_PORT)
    if not number.isdecimal() or not 0 <= int(number) <= 65535:
        raise CommandError(f"'{text}': ADDRESS or ADDRESS:PORT expected, a port is up to 65535", 2)
    return Endpoint(address, int(number))
