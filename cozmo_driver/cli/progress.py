"""Progress bars: on standard error, and only where a person looks at it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_FORMAT = "{desc}  {percentage:3.0f} % {bar} {elapsed}"


@contextmanager
def progress_bar(text: str) -> Iterator[Callable[..., None]]:
    """Yield ``show(done, total, text=text)``, which draws a bar if standard error is a terminal."""
    bar: Any = None

    def show(done: float, total: float, text: str = text) -> None:
        nonlocal bar
        if not sys.stderr.isatty():
            return
        if bar is None:
            # Slow to import, and not needed by programs.
            from tqdm import tqdm  # type: ignore[import-untyped]

            bar = tqdm(total=total, leave=False, dynamic_ncols=True, bar_format=_FORMAT)
        if text != bar.desc:
            bar.set_description_str(text, refresh=False)
        bar.total = total
        bar.update(done - bar.n)
        if done >= total:
            bar.refresh()

    try:
        yield show
    finally:
        if bar is not None:
            bar.close()
