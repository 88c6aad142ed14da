"""Progress bars: on standard error, and only where a person looks at it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_FORMAT = "{desc}  {percentage:3.0f} % {bar} {elapsed}"


class Bar:
    """A bar that appears with the first news and goes away in the end."""

    def __init__(self, text: str) -> None:
        """Show ``text`` beside the bar."""
        self._text = text
        self._is_shown = sys.stderr.isatty()
        self._bar: Any = None

    def __call__(self, done: float, total: float) -> None:
        """Show that so much is done of so much."""
        if not self._is_shown:
            return
        if self._bar is None:
            # Slow to import, and not needed by programs.
            from tqdm import tqdm  # type: ignore[import-untyped]

            self._bar = tqdm(
                desc=self._text, total=total, leave=False, dynamic_ncols=True, bar_format=_FORMAT
            )
        self._bar.total = total
        self._bar.update(done - self._bar.n)
        if done >= total:
            self._bar.refresh()

    def say(self, text: str) -> None:
        """Show from now on what is going on."""
        if text != self._text:
            self._text = text
            if self._bar is not None:
                self._bar.set_description_str(text)

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.close()


@contextmanager
def progress_bar(text: str) -> Iterator[Bar]:
    """Yield a bar for the time of a block."""
    bar = Bar(text)
    try:
        yield bar
    finally:
        bar.close()
